//===- ThreadTeam.h - Execution by the threads of one process ---*- C++ -*-===//
//
// Every thread drives one rank or several. The slots of a connection are a ring buffer with one
// producer and one consumer (Lamport, "Proving the Correctness of Multiprocess Programs", 1977):
// the number of sent and of received messages, each written by one side with release order and read
// by the other with acquire order. Nothing else is shared during an execution.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_THREADTEAM_H
#define CCL_RUN_THREADTEAM_H

#include "cclc/Run/RankExecutor.h"
#include "cclc/Support/Diagnostics.h"

#include <chrono>

namespace cclc::run {

/// When a step was executed.
struct StepTime {
  PlanThreadblockId threadblock;
  StepId step;
  uint32_t piece;
  std::chrono::nanoseconds end; ///< since the start of the execution
};

struct TeamOptions {
  /// At most the number of ranks; by default also at most the number of processors.
  std::optional<uint32_t> threads;
  /// Injects random delays before steps.
  std::optional<uint64_t> jitter;
  /// Without any step for this time, the execution is given up.
  double timeoutSeconds = 10;
  /// Records the times of all steps of the last execution.
  bool trace = false;
};

struct TeamResult {
  /// Of every completed execution: from the first start of a rank to the last end.
  std::vector<std::chrono::nanoseconds> times;
  /// The steps of the last execution by thread, with TeamOptions::trace.
  std::vector<std::vector<StepTime>> traces;
};

/// Executes the plan \p executions times on \p memory, which has the buffers of each rank. Ranks
/// begin an execution together. Fails with a diagnosis if an execution makes no progress.
FailureOr<TeamResult> runOnThreads(const RunPlan &plan, ArrayRef<RankBuffers> memory,
                                   uint32_t executions, const TeamOptions &options,
                                   DiagnosticEngine &diags);

} // namespace cclc::run

#endif // CCL_RUN_THREADTEAM_H
