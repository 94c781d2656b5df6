//===- Draft.h - The steps of a plan before they have numbers ---*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_DRAFT_H
#define CCL_LIB_SCHEDULE_DRAFT_H

#include "Assignment.h"
#include "Order.h"

#include "llvm/ADT/DenseMap.h"

#include <span>

namespace cclc::schedule {

/// One step, in the line of all steps of all ranks in which they can execute.
struct DraftStep {
  OpKind op;
  Operand src, dst;
  InstrId instr;             ///< that it came from
  ThreadblockId threadblock; ///< index into Assignment::threadblocks
};

struct Draft {
  std::vector<DraftStep> steps;
  std::vector<uint32_t> scratchChunks; ///< by rank
  /// By step: another one of its rank that it waits for although it does not need to, because
  /// that one waits for the same threadblocks (Joins.h).
  llvm::DenseMap<uint32_t, uint32_t> joins;
};

/// Makes steps of the items of an order and puts each into a threadblock, local
/// ones beside what they depend on. Adds threadblocks for local operations where
/// the user or the lack of any other asks for them, or where the others of the rank
/// have \p mostSteps. Fails where directives contradict each other.
FailureOr<Draft> draftSteps(const InstrProgram &program, const Order &order,
                            std::optional<uint32_t> mostSteps, Assignment &assignment,
                            DiagnosticEngine &diags);

/// Which steps wait for which.
class Waits {
public:
  /// Steps of other threadblocks of the rank that \p step waits for, the latest
  /// one last.
  std::span<const uint32_t> of(uint32_t step) const {
    return {targets.data() + begin[step], targets.data() + begin[step + 1]};
  }
  /// Whether anybody waits for \p step.
  bool isTarget(uint32_t step) const { return target[step]; }

private:
  friend class WaitFinder;
  std::vector<uint32_t> begin, targets;
  std::vector<bool> target;
};

/// The dependences between threadblocks, transitively reduced. Only paths inside
/// the rank imply a wait, never one through another rank.
Waits findWaits(const InstrProgram &program, const Draft &draft, const Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_DRAFT_H
