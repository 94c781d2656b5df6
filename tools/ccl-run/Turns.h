//===- Turns.h - Plans that are measured in turns ---------------*- C++ -*-===//
//
// Of several plans for the same size, and the MPI library's own collective, each is executed a few
// times, then the next one, and so on for many rounds. What disturbs the machine for a while
// disturbs all of them, so that their ratios are sharper than their times.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_RUN_TURNS_H
#define CCL_TOOLS_CCL_RUN_TURNS_H

#include "Prediction.h"
#include "RunArguments.h"

#include "cclc/Run/Group.h"

namespace cclc {

/// A plan that has been proved, and the sizes for which it is measured.
struct TurnPlan {
  std::string file;
  ExecPlan plan;
  uint32_t slots;
  std::vector<uint64_t> sizes; ///< ascending
  std::optional<Prediction> prediction = {};
};

/// The plans of one collective with one size.
struct TurnResult {
  /// In nanoseconds by round: the mean of the executions of a turn, each of which takes as long as
  /// its slowest process.
  using Times = std::vector<double>;
  struct Plan {
    std::string file, name;
    Times times; ///< empty if libccl-mpi leaves the calls to the MPI library
    std::optional<SimTime> predicted = {};
  };

  Collective collective;
  Bytes bytes;
  Placement placement = Placement::OutOfPlace;
  uint32_t calls = 1; ///< executions in a turn
  std::vector<Plan> plans = {};
  Times library = {}; ///< empty if the MPI library has no such collective, or is not measured
};

class TurnMeasurement {
public:
  TurnMeasurement(ArrayRef<TurnPlan> plans, const RunArguments &args, run::Group &group,
                  Progress &progress, DiagnosticEngine &diags)
      : plans(plans), args(args), group(group), progress(progress), diags(diags) {}

  /// Calls \p onSize after each size. Rows are printed as they are made.
  LogicalResult run(llvm::function_ref<void(const TurnResult &)> onSize);

private:
  class Member;
  using Members = std::vector<const TurnPlan *>;
  FailureOr<Placement> placementOf(const Members &members, uint64_t bytes);
  /// \p ofCalls: by libccl-mpi, with this placement.
  FailureOr<TurnResult> measure(const Members &members, uint64_t bytes,
                                std::optional<Placement> ofCalls);
  /// Executes a plan, or the library without one, a number of times. Returns their times or, of
  /// calls one after another, the mean; none if the library executes the calls of a plan.
  using Turn = llvm::function_ref<FailureOr<std::vector<std::chrono::nanoseconds>>(
      std::optional<size_t> plan, uint32_t executions)>;
  LogicalResult takeTurns(TurnResult &result, bool hasLibrary, Turn turn);
  /// By libccl-mpi, all plans on the same memory.
  LogicalResult measureCalls(const Members &members, TurnResult &result);
  /// Each plan on memory of its own.
  LogicalResult measureExecutions(const Members &members, TurnResult &result);

  ArrayRef<TurnPlan> plans;
  const RunArguments &args;
  run::Group &group;
  Progress &progress;
  DiagnosticEngine &diags;
};

/// The keys are documented in docs/CommandGuide/ccl-run.md. \p complete is false after an
/// interrupt.
void writeTurns(ArrayRef<TurnResult> results, const RunArguments &args, StringRef transport,
                bool complete, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_TURNS_H
