//===- MemoryConflicts.h - Steps that use the same memory -------*- C++ -*-===//
//
// A message that is sent from a buffer, or received into one, is under way before or after its
// step: the memory must not be overwritten until it is sent, and must be free before it may arrive.
// Pieces have separate memory, so that the conditions refer to the steps of the same piece.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_MEMORYCONFLICTS_H
#define CCL_RUN_MEMORYCONFLICTS_H

#include "cclc/Run/PreparedPlan.h"

namespace cclc::run {

class MemoryConflicts {
public:
  /// The first \p steps steps of a threadblock of the rank, and the messages that these send.
  struct Prefix {
    uint32_t threadblock, steps, sends;
  };

  /// For the steps of \p rank, with input and output as \p placement says.
  MemoryConflicts(const PreparedPlan &plan, RankId rank, Placement placement);

  /// What must have been executed before the message of a receiving step may arrive in the step's
  /// destination: all accesses to it that are not known to follow the step.
  ArrayRef<Prefix> beforeArrival(uint32_t threadblock, uint32_t step) const {
    return arrivals[threadblock][step];
  }
  /// The messages that are sent from memory which the step overwrites, each as the last one of a
  /// prefix: those that are sent before the step must have left the memory. Others follow the step.
  ArrayRef<Prefix> overwritten(uint32_t threadblock, uint32_t step) const {
    return overwrites[threadblock][step];
  }

private:
  template <class T> using ByStep = std::vector<std::vector<T>>; ///< by threadblock and step
  ByStep<SmallVector<Prefix, 1>> arrivals, overwrites;
};

} // namespace cclc::run

#endif // CCL_RUN_MEMORYCONFLICTS_H
