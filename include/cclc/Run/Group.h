//===- Group.h - Those who execute plans together ---------------*- C++ -*-===//
//
// The threads of one process, or the processes of an MPI job. All processes of a group call the
// same functions in the same order. A virtual call is made once for each run; the steps of a run
// are executed by a RankExecutor that is compiled for the transport.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_GROUP_H
#define CCL_RUN_GROUP_H

#include "cclc/Run/Stall.h"
#include "cclc/Support/Diagnostics.h"

#include <chrono>
#include <memory>

namespace cclc::run {

/// When a step was executed, on one clock for all ranks.
struct StepTime {
  PlanThreadblockId threadblock;
  StepId step;
  uint32_t piece;
  Position::Reason waited; ///< what it waited for last before its begin, or None
  std::chrono::nanoseconds begin, end;
};

/// The timeline of an execution.
struct RunTrace {
  std::chrono::nanoseconds begin{}, end{};
  /// The steps of each threadblock in their order.
  std::vector<StepTime> steps;
  /// How much the clocks of ranks may differ.
  std::chrono::nanoseconds clockError{};
};

struct RunOptions {
  /// Injects random delays before steps.
  std::optional<uint64_t> jitter;
  /// Whether a plan that needs more slots than it has must hang, even if the transport could buffer
  /// further messages.
  bool exactSlots = false;
  /// Without any step for this time, the execution is given up.
  double timeoutSeconds = 10;
  /// Records the times of all steps of the last execution.
  bool trace = false;
  /// Each rank writes its input before each execution, as applications do. Otherwise the caches of
  /// other ranks may hold it from the last one, and a message costs next to nothing.
  bool freshInputs = false;
};

struct RunResult {
  /// Of every completed execution: the longest time that a thread or process took.
  std::vector<std::chrono::nanoseconds> times;
  /// The last execution of all ranks, in the process that leads; with RunOptions::trace.
  RunTrace trace;
};

class Group {
public:
  virtual ~Group() = default;

  /// To be called once, when the processes have compared their options. Warns if processes execute
  /// plans in another way than is chosen.
  virtual void open(DiagnosticEngine &) {}

  /// "threads", "Open MPI 4.1.4", "2 nodes, Open MPI 4.1.4".
  virtual std::string name() const = 0;
  /// The number of ranks that a plan must have; unset: any.
  virtual std::optional<uint32_t> size() const = 0;
  /// The ranks of this process.
  virtual std::vector<RankId> localRanks(const ExecPlan &plan) const = 0;
  /// The ranks for whose buffers allocate() makes memory: the local ones, and those of other
  /// processes that share memory with this one.
  virtual std::vector<RankId> nearRanks(const ExecPlan &plan) const { return localRanks(plan); }
  /// \p bytes of zeros from the beginning of a page on, which the processes of nearRanks() have in
  /// common. Null if they cannot share memory: from then on only local ranks are near. The memory
  /// remains as long as its owner, and all processes call the function.
  virtual std::shared_ptr<std::byte> allocate(uint64_t bytes);
  /// Whether this process prints results.
  virtual bool leads() const = 0;
  /// The texts of all processes, in the process that leads; empty in others.
  virtual std::vector<std::string> gather(const std::string &text) = 0;

  /// Whether all processes pass the same value.
  virtual bool agree(uint64_t value) = 0;

  /// Executes the plan \p executions times on \p memory, which has the buffers of the local ranks,
  /// and those of near ranks if they are shared. Ranks begin an execution together. Fails with a
  /// diagnosis if an execution makes no progress.
  virtual FailureOr<RunResult> execute(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                       uint32_t executions, const RunOptions &options,
                                       DiagnosticEngine &diags) = 0;

  /// Whether executeNative() has the collective with these settings.
  virtual bool hasNative(const PreparedPlan &plan) const = 0;
  /// The times of the collective of the MPI library itself on the same memory, of whose options
  /// only the inputs matter.
  virtual std::vector<std::chrono::nanoseconds> executeNative(const PreparedPlan &plan,
                                                              ArrayRef<RankBuffers> memory,
                                                              uint32_t executions,
                                                              const RunOptions &options) = 0;
  /// The mean time of \p calls calls of MPI's function, one after another, in the slowest process:
  /// those of an application with libccl-mpi, which executes the plan of \p file of its folder, or
  /// those of the MPI library itself, if it is null. \p plan says what is called. None if libccl-mpi
  /// leaves the calls to the library. Requires ProcessChoice::preloaded.
  virtual std::optional<std::chrono::nanoseconds> executeCalls(const PreparedPlan &,
                                                               ArrayRef<RankBuffers>,
                                                               const std::string *, uint32_t) {
    return std::nullopt;
  }
};

/// How the processes of a job execute plans.
struct ProcessChoice {
  /// Processes end with a diagnosis if one of them does not answer for so long.
  double seconds = 10;
  /// Those of one node exchange messages in memory that they share.
  bool sharesMemory = false;
  /// The number of nodes, of successive ranks each; unset: the machines of the processes.
  std::optional<uint32_t> nodes;
  /// libccl-mpi is preloaded, with the folder of the plans.
  bool preloaded = false;
};

/// The function of a transport module, by the name createGroupName. The group is the caller's.
using CreateGroup = Group *(const ProcessChoice &choice);
inline constexpr const char *createGroupName = "cclc_create_group";

} // namespace cclc::run

#endif // CCL_RUN_GROUP_H
