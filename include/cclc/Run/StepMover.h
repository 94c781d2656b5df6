//===- StepMover.h - The data of a step -------------------------*- C++ -*-===//

#ifndef CCL_RUN_STEPMOVER_H
#define CCL_RUN_STEPMOVER_H

#include "cclc/Run/RunPlan.h"

namespace cclc::run {

/// Moves and reduces the elements of steps of one rank.
class StepMover {
public:
  explicit StepMover(const RunPlan &plan)
      : plan(plan), reduce(reduceFunction(plan.settings.type, plan.settings.op)) {}

  RankBuffers buffers{};

  /// Executes one piece of \p step. \p in is the received message and \p out the slot of the
  /// message to send, if the step has one; in both, a chunk begins every RunPlan::pieceBytes()
  /// bytes. Either may be the operand of the step itself, which is then not copied.
  void move(const Step &step, uint32_t piece, const std::byte *in, std::byte *out);

private:
  void moveSpan(const Step &step, const RunPlan::Span &src, const RunPlan::Span &dst,
                const std::byte *in, std::byte *out);
  std::byte *at(Operand operand, const RunPlan::Span &span) const {
    return buffers[static_cast<size_t>(operand.buffer())] + span.first * plan.elementSize();
  }

  const RunPlan &plan;
  ReduceFn reduce;
};

} // namespace cclc::run

#endif // CCL_RUN_STEPMOVER_H
