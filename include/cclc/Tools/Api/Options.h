//===- Options.h - Options of the toolchain ---------------------*- C++ -*-===//
//
// Each has the meaning of the option of the tools with this name. An unset value is the default of
// the tool.
//
//===----------------------------------------------------------------------===//

#ifndef CCLC_API_OPTIONS_H
#define CCLC_API_OPTIONS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cclc::dsl {
class Declaration;
} // namespace cclc::dsl

namespace cclc::api {

/// A machine: the name of a bundled target or the path of a JSON file, with values that replace its
/// own, each "PATH=VALUE". For a plan, an empty name is the machine that the plan was compiled for.
struct Target {
  std::string name;
  std::vector<std::string> settings = {};
};

/// Is called when a stage begins, with its name, such as "simulate 1024 bytes, 40 %". It must not
/// throw. With several jobs it is called by several threads, one at a time.
using Progress = std::function<void(std::string_view stage)>;

/// Ends calls that take long, from another thread or from Progress: they look at it whenever a
/// stage begins, and fail as Interrupted. Copies are one request.
class Cancellation {
public:
  void request() const { *flag = true; }
  bool isRequested() const { return *flag; }

private:
  std::shared_ptr<std::atomic<bool>> flag = std::make_shared<std::atomic<bool>>(false);
};

/// The number of slots of a connection that has no limit.
inline constexpr uint32_t unlimitedSlots = 0;

struct CompileOptions {
  std::map<std::string, std::string> parameters = {}; ///< of the program
  std::optional<uint32_t> ranks = {};           ///< unset: those of the target, or the default
  std::optional<Target> target = {};            ///< unset: the plan is for no machine
  std::vector<uint32_t> endpoints = {};         ///< of the ranks, in order; empty: by the program
  std::optional<std::string> protocol = {};     ///< unset: Simple, or chosen by level 3
  std::optional<uint32_t> instances = {};       ///< unset: 1, or chosen by level 3
  std::string instanceLayout = "blocked";       ///< a value of --instance-layout
  std::optional<std::string> placement = {};    ///< a value of --placement
  std::optional<uint32_t> slots = {};           ///< unset: those of the target, or 8
  std::optional<uint64_t> slotSize = {};        ///< in bytes, on a target whose slots plans choose
  unsigned optimisation = 2;                    ///< 0 to 3; level 3 needs a target
  std::optional<std::string> optimizeFor = {};  ///< a value of --optimize-for
  std::optional<uint32_t> maxChannels = {};     ///< of the plan
  std::optional<uint32_t> maxThreadblocks = {}; ///< of a rank
  bool aggregate = false;                       ///< whether adjacent operations are joined
  std::optional<std::vector<std::string>> fuse = {}; ///< "rcs", "rrcs", "rrs"; unset: all
  std::optional<std::string> fusedOps = {};          ///< a value of --fused-ops
  /// What the plan is for, a value of --emit: with "xml" a plan within the limits of the runtime of
  /// `dialect`, with "mscclpp" one of MSCCL++.
  std::string form = "json";
  std::string dialect = "msccl";
  std::optional<uint32_t> threadblockGroup = {}; ///< of the form mscclpp
  uint64_t traceLimit = 100'000'000;             ///< of the operations of the program
  uint64_t minBytes = 0;                         ///< the sizes that the plan is for
  std::optional<uint64_t> maxBytes = {};
  bool verify = true; ///< whether the program and the plan are proved
  unsigned jobs = 1;  ///< the plan does not depend on it
  /// Whether crashes, exits and endless loops of the program's code end the process with a message,
  /// which one compilation at a time can do. Without it the code is called as it is.
  bool guard = true;
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

/// How an algorithm is found, as the options of cclc synth.
struct SynthOptions {
  std::optional<uint32_t> trees = {};  ///< per root, or paths per pair of ranks: 1 to 64
  std::optional<uint32_t> chunks = {}; ///< of the data of a tree: 1 to 64
  std::optional<uint32_t> root = {};
  bool neighbours = false; ///< whether paths lead from neighbour to neighbour
  bool latency = false;    ///< whether small buffers are fast, instead of large ones
};

/// The graph of a program, as the options --dump of cclc.
struct GraphOptions {
  std::string stage = "chunk-dag"; ///< or "inst-dag" after the last optimisation, or "schedule"
  std::optional<uint32_t> rank = {}, chunk = {}; ///< what is drawn; unset: all
  std::optional<std::string> phase = {};         ///< its name or number
  std::optional<std::string> fold = {};          ///< what a node represents, a value of --dump-fold
};

struct ConvertOptions {
  std::string form = "json";              ///< a value of --emit
  std::string dialect = "msccl";          ///< of the form xml
  std::optional<uint32_t> worldSize = {}; ///< of the form ahbm-module
  uint32_t threadblockGroup = 1;          ///< of the form mscclpp, from a plan of steps
  bool verify = true;                     ///< whether the plan and the result are proved
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct VerifyOptions {
  std::optional<uint32_t> slots = {}; ///< unset: those of the target
  std::vector<uint64_t> bytes = {};   ///< sizes that are proved as well
  std::string type = "f32";
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct SimulateOptions {
  std::vector<uint64_t> bytes = {1 << 20};
  std::string type = "f32";
  std::string op = "sum";
  std::optional<std::string> network = {}; ///< the contention model
  std::optional<uint32_t> slots = {};
  uint32_t repeat = 1;                      ///< runs in a row, whose average is reported
  bool checkData = false;                   ///< whether real data are moved and compared
  std::optional<uint64_t> seed = {};        ///< of random data
  bool trace = false;                       ///< whether the last size gets a trace for Perfetto
  bool page = false;                        ///< whether a page in HTML is made, as by --report
  std::optional<std::string> baseline = {}; ///< the path of a plan beside it on the page
  bool advise = false; ///< whether changes are tried that save time; not for plans of MSCCL++
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct ExportOptions {
  std::string format; ///< "goal" for LogGOPSim and ATLAHS, or "chakra" for ASTRA-sim
  uint64_t bytes = 1 << 20;
  std::string type = "f32";
  std::optional<uint32_t> slots = {};
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct BoundOptions {
  std::string collective = {};          ///< empty: that of the plan
  std::optional<uint32_t> ranks = {};   ///< unset: all of the target
  std::vector<uint32_t> endpoints = {}; ///< of the ranks, in order; empty: the first ones
  uint32_t root = 0;
  std::optional<std::string> network = {};
  std::vector<uint64_t> bytes = {1 << 20};
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct DiffOptions {
  bool strict = false;                ///< whether a renumbering is a difference
  std::optional<uint32_t> slots = {}; ///< for proofs and times
  std::vector<Target> targets = {};   ///< both plans are timed on each
  std::vector<uint64_t> bytes = {1 << 20};
  std::vector<std::string> types = {"f32"};
  std::optional<std::string> network = {};
  std::vector<std::string> gates = {}; ///< each "KEY:LIMIT"
  bool gatesOnly = false;              ///< whether differences within the gates are accepted
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

struct TuneOptions {
  std::string collective;
  std::optional<uint32_t> ranks = {};
  std::vector<uint32_t> endpoints = {};
  std::vector<uint64_t> bytes; ///< ascending
  std::string type = "f32";
  std::optional<std::string> network = {};
  /// What executes the plans, a value of --runtime: their limits and times are those of the form
  /// that it loads. Unset: that of the target.
  std::optional<std::string> runtime = {};
  std::vector<std::string> programs = {}; ///< empty: all of the collective
  /// Programs of the caller, which are tried if they are in `programs`; they outlive the call.
  std::vector<const dsl::Declaration *> declarations = {};
  std::optional<uint32_t> maxPlans = {};
  std::optional<uint64_t> budget = {}; ///< of simulated messages
  bool invariant = false;              ///< whether all sizes have one reduction order
  unsigned jobs = 1;                   ///< the result does not depend on it
  bool guard = true;                   ///< as in CompileOptions
  Progress onProgress = {};
  std::optional<Cancellation> cancellation = {};
};

} // namespace cclc::api

#endif // CCLC_API_OPTIONS_H
