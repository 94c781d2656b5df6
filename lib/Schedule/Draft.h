//===- Draft.h - Steps before they are numbered -----------------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_DRAFT_H
#define CCL_LIB_SCHEDULE_DRAFT_H

#include "Assignment.h"
#include "Order.h"
#include "ProgramGraph.h"
#include "cclc/Support/Grouped.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc::schedule {

/// One step, in an order of the steps of all ranks in which they can execute.
struct DraftStep {
  InstrId instr;             ///< the instruction of the step
  ThreadblockId threadblock; ///< index into Assignment::threadblocks
  OpKind op;
};

struct Draft {
  std::vector<DraftStep> steps;
  std::vector<uint32_t> scratchChunks; ///< by rank; steps may use fewer
  /// By instruction: the operand into which it receives, if this is a separate step.
  llvm::DenseMap<uint32_t, Operand> received;
  /// By step: another step of its rank that it waits for instead of the threadblocks that both
  /// depend on (Joins.h).
  llvm::DenseMap<uint32_t, uint32_t> joins;
  /// By instruction that reduces: the send that is one step with it.
  llvm::DenseMap<uint32_t, InstrId> multicasts;

  struct Operands {
    Operand src, dst;
  };
  /// The local operands of \p step, a step of \p instr.
  Operands operandsOf(const DraftStep &step, const Instr &instr) const;
};

/// Makes steps of the items of an order and assigns each to a threadblock, local steps to that of a
/// dependence. If reductions are merged, those of an operation go to one threadblock, and separate
/// sums to different ones of the channel. Adds threadblocks for local operations if the user
/// requests them, if the rank has none, if the others of the rank have \p mostSteps steps, or if
/// all others of a channel reduce. Fails if directives contradict each other.
FailureOr<Draft> draftSteps(const ProgramGraph &graph, const Order &order,
                            std::optional<uint32_t> mostSteps, const ScheduleOptions &options,
                            Assignment &assignment, DiagnosticEngine &diags);

/// The waits of every step.
class Waits {
public:
  /// The steps of other threadblocks of the rank that \p step waits for, the latest last.
  ArrayRef<uint32_t> of(uint32_t step) const { return targets[step]; }
  /// Whether another step waits for \p step.
  bool isTarget(uint32_t step) const { return target[step]; }

private:
  friend class WaitFinder;
  Grouped targets; ///< by step
  std::vector<bool> target;
};

/// The dependences between threadblocks, transitively reduced. Only paths inside
/// the rank imply a wait, never one through another rank.
Waits findWaits(ProgramGraph &graph, const Draft &draft, const Assignment &assignment,
                unsigned jobs);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_DRAFT_H
