//===- StepMover.h - The data of a step -------------------------*- C++ -*-===//

#ifndef CCL_RUN_STEPMOVER_H
#define CCL_RUN_STEPMOVER_H

#include "cclc/Run/PreparedPlan.h"
#include "cclc/Sim/Data/Reduce.h"

namespace cclc::run {

/// Moves and reduces the elements of steps of one rank.
class StepMover {
public:
  StepMover(const PreparedPlan &plan, RankId rank);

  RankBuffers buffers{};

  /// Executes one piece of \p step. \p in is the received message and \p out the slot of the
  /// message to send, if the step has one; in both, a chunk begins every PreparedPlan::pieceBytes()
  /// bytes. Either may be the operand of the step itself, which is then not copied.
  void move(const Step &step, uint32_t piece, const std::byte *in, std::byte *out);

  /// Adds the elements of \p message to those of \p sum.
  void add(std::byte *sum, const std::byte *message, size_t bytes) const {
    reduce(sum, sum, message, bytes / plan.elementSize());
  }

private:
  /// The operands of one piece of a step, if its chunks are moved at once.
  struct Places {
    PreparedPlan::Span src, dst; ///< unlimited where the step has no such operand
  };
  std::optional<Places> placesOf(const Step &step, uint32_t piece) const;
  /// Copies to the destination of \p step. Messages and data may be the same memory.
  void store(const Step &step, std::byte *to, const std::byte *from, size_t bytes) const;
  void moveSpan(const Step &step, const PreparedPlan::Span &src, const PreparedPlan::Span &dst,
                const std::byte *in, std::byte *out);
  std::byte *at(Operand operand, const PreparedPlan::Span &span) const {
    return plan.address(buffers, operand, span);
  }

  const PreparedPlan &plan;
  ReduceFn reduce;
  const Step *firstStep;                     ///< of the rank
  std::vector<std::optional<Places>> places; ///< by step of the rank, if there is one piece
  std::vector<bool> streaming;               ///< by step of the rank; empty: none
};

} // namespace cclc::run

#endif // CCL_RUN_STEPMOVER_H
