//===- Toolchain.h - Compile, simulate, bound and tune ----------*- C++ -*-===//

#ifndef CCLC_API_TOOLCHAIN_H
#define CCLC_API_TOOLCHAIN_H

#include "cclc/Tools/Api/Advice.h"
#include "cclc/Tools/Api/Comparison.h"
#include "cclc/Tools/Api/Machines.h"
#include "cclc/Tools/Api/Options.h"
#include "cclc/Tools/Api/Portfolio.h"

namespace cclc::dsl {
class Declaration;
class ProgramRegistry;
} // namespace cclc::dsl

namespace cclc::api {

/// The simulation of a plan with one size.
struct Timing {
  uint64_t bytes = 0;
  int64_t picoseconds = 0;
  uint64_t messages = 0;
  /// The largest lower bound of the collective over the time: 1 if no plan is faster. Unset without
  /// a bound.
  std::optional<double> boundShare;
  std::string binds; ///< the name of that bound, as in LowerBound
};

struct Simulation {
  std::vector<Timing> sizes;
  std::string trace; ///< of the last size, if it is wanted
  std::string page;  ///< of all sizes, if it is wanted: HTML that needs no other file
  Advice advice;     ///< for the last size, if it is wanted
  Report report;     ///< of ccl-sim
};

/// An algorithm that was found for a machine.
struct Synthesis {
  Plan plan;
  std::string source;  ///< of its program, in C++
  std::string summary; ///< the trees or paths and their load, as cclc synth prints them
};

/// A file for another tool.
struct ExportedFile {
  std::string name; ///< "PLAN.goal" or "PLAN.3.et", with the name of the plan
  std::string bytes;
};

/// What no plan can beat, with one size, and each bound by itself. Zero: there is none.
struct LowerBound {
  uint64_t bytes = 0;
  int64_t picoseconds = 0; ///< the largest
  std::string binds;       ///< its name: "throughput", "latency", "engine", ...
  std::string witness;     ///< of the bound that binds: a cut, a path or a rank
  int64_t throughput = 0, volume = 0, latency = 0, engine = 0, memory = 0, protocol = 0;
  std::optional<int64_t> planTime; ///< if a plan is bounded
};

struct Bounds {
  std::vector<LowerBound> sizes;
  Report report; ///< of ccl-bound
};

/// The bundled programs and machines.
class Toolchain {
public:
  /// \p targets is the folder of the bundled machines: CCLC_TARGETS_DIR of find_package(cclc),
  /// `pkg-config --variable=targetsdir cclc`.
  explicit Toolchain(std::string targets);

  std::vector<std::string> programs() const;
  std::vector<std::string> targets() const;

  /// Describes a machine, with \p ranks endpoints if its size is not fixed.
  Result<Description> describe(const Target &target, std::optional<uint32_t> ranks = {}) const;
  /// Finds parts of a machine that have less than most others of their kind, or than those of the
  /// target \p against. \p path is a target, or a file that importTarget() reads.
  Result<TargetCheck> check(const std::string &path,
                            const std::optional<std::string> &against = {}) const;

  /// Compiles and proves a bundled program.
  Result<Plan> compile(const std::string &program, const CompileOptions &options = {}) const;
  /// The same for a program of the caller (cclc/DSL/DSL.h).
  Result<Plan> compile(const dsl::Declaration &program, const CompileOptions &options = {}) const;

  /// The graph of a bundled program at a stage of its compilation, for Graphviz. A program that
  /// fails later has a graph, with the errors as messages.
  Result<std::string> graph(const std::string &program, const CompileOptions &compilation = {},
                            const GraphOptions &options = {}) const;
  /// The same for a program of the caller.
  Result<std::string> graph(const dsl::Declaration &program, const CompileOptions &compilation = {},
                            const GraphOptions &options = {}) const;

  /// Finds an algorithm for the links of the target of \p compilation, and compiles it.
  Result<Synthesis> synthesise(const std::string &collective, const CompileOptions &compilation,
                               const SynthOptions &options = {}) const;

  /// Writes the plan as a file in any form, as cclc convert does.
  Result<std::string> convert(const Plan &plan, const ConvertOptions &options) const;
  /// Writes a plan of steps with one size for another simulator, as --emit-goal and --emit-chakra
  /// of ccl-sim do: one file, or one for each rank.
  Result<std::vector<ExportedFile>> exportFiles(const Plan &plan, const Target &target,
                                                const ExportOptions &options) const;

  /// Proves the plan with the slots and the limits of a machine, and all sizes.
  Result<Proof> verify(const Plan &plan, const Target &target,
                       const VerifyOptions &options = {}) const;
  /// Proves the plan and simulates it. Fails if it is wrong, if a size is not safe, or if data are
  /// wrong.
  Result<Simulation> simulate(const Plan &plan, const Target &target,
                              const SimulateOptions &options = {}) const;
  Result<Bounds> bound(const Target &target, const BoundOptions &options) const;
  /// The bounds of the plan's collective on its ranks, and its times.
  Result<Bounds> bound(const Plan &plan, const Target &target,
                       const BoundOptions &options = {}) const;
  /// Compares two plans as ccl-diff does, on machines and with gates. Fails if they cannot be
  /// timed.
  Result<Comparison> diff(const Plan &before, const Plan &after, const DiffOptions &options) const;
  /// Searches for the fastest plan of every size, as ccl-tune does. Plans are proved.
  Result<Portfolio> tune(const Target &target, const TuneOptions &options) const;

private:
  const dsl::Declaration *find(const std::string &program, std::vector<Message> &messages) const;

  std::string folder;
  std::shared_ptr<const dsl::ProgramRegistry> registry;
};

} // namespace cclc::api

#endif // CCLC_API_TOOLCHAIN_H
