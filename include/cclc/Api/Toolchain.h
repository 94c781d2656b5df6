//===- Toolchain.h - Compile, simulate, bound and tune ----------*- C++ -*-===//

#ifndef CCLC_API_TOOLCHAIN_H
#define CCLC_API_TOOLCHAIN_H

#include "cclc/Api/Plan.h"
#include "cclc/Api/Portfolio.h"

#include <map>

namespace cclc::dsl {
class Declaration;
class ProgramRegistry;
} // namespace cclc::dsl

namespace cclc::api {

/// A machine: the name of a bundled target or the path of a JSON file, with values that replace its
/// own, each "PATH=VALUE".
struct Target {
  std::string name;
  std::vector<std::string> settings = {};
};

struct CompileOptions {
  std::map<std::string, std::string> parameters = {}; ///< of the program
  std::optional<uint32_t> ranks = {};       ///< unset: those of the target, or the default
  std::optional<Target> target = {};        ///< unset: the plan is for no machine
  std::optional<std::string> protocol = {}; ///< unset: Simple, or chosen by level 3
  std::optional<uint32_t> instances = {};   ///< unset: 1, or chosen by level 3
  unsigned optimisation = 2;                ///< 0 to 3; level 3 needs a target
  uint64_t minBytes = 0;                    ///< the sizes that the plan is for
  std::optional<uint64_t> maxBytes = {};
};

struct SimulateOptions {
  std::vector<uint64_t> bytes = {1 << 20};
  std::string type = "f32";
  std::optional<std::string> network = {}; ///< the contention model; unset: that of the target
  bool checkData = false;                  ///< whether real data are moved and compared
};

/// The simulation of a plan with one size.
struct Timing {
  uint64_t bytes = 0;
  int64_t picoseconds = 0;
  /// The link bound of the collective over the time: 1 if no plan is faster. Unset without a bound.
  std::optional<double> boundShare;
};

struct BoundOptions {
  std::string collective;
  std::optional<uint32_t> ranks = {}; ///< unset: all of the target
  uint32_t root = 0;
  std::vector<uint64_t> bytes = {1 << 20};
};

/// What no plan can beat, with one size.
struct LowerBound {
  uint64_t bytes = 0;
  int64_t picoseconds = 0;
  std::string binds;   ///< "throughput", "latency", "engine", ...
  std::string witness; ///< of the bound that binds: a cut, a path or a rank
};

struct TuneOptions {
  std::string collective;
  std::optional<uint32_t> ranks = {};
  std::vector<uint64_t> bytes; ///< ascending
  std::string type = "f32";
  std::vector<std::string> programs = {}; ///< empty: all of the collective
  std::optional<uint32_t> maxPlans = {};
  unsigned jobs = 1; ///< the result does not depend on it
};

/// The bundled programs and machines.
class Toolchain {
public:
  /// \p targets is the folder of the bundled machines: CCLC_TARGETS_DIR of find_package(cclc),
  /// `pkg-config --variable=targetsdir cclc`.
  explicit Toolchain(std::string targets);

  std::vector<std::string> programs() const;
  std::vector<std::string> targets() const;

  /// Compiles and proves a bundled program.
  Result<Plan> compile(const std::string &program, const CompileOptions &options = {}) const;
  /// The same for a program of the caller (cclc/DSL/DSL.h).
  Result<Plan> compile(const dsl::Declaration &program, const CompileOptions &options = {}) const;

  /// Proves the plan with the slots and the limits of a machine.
  Result<Proof> verify(const Plan &plan, const Target &target) const;
  /// Proves the plan and simulates it. Fails if it is wrong, or if a size is not safe.
  Result<std::vector<Timing>> simulate(const Plan &plan, const Target &target,
                                       const SimulateOptions &options = {}) const;
  Result<std::vector<LowerBound>> bound(const Target &target, const BoundOptions &options) const;
  /// Searches for the fastest plan of every size, as ccl-tune does. Plans are proved.
  Result<Portfolio> tune(const Target &target, const TuneOptions &options) const;

private:
  std::string folder;
  std::shared_ptr<const dsl::ProgramRegistry> registry;
};

} // namespace cclc::api

#endif // CCLC_API_TOOLCHAIN_H
