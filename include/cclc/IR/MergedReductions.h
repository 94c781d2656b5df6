//===- MergedReductions.h - Reductions in one operation ---------*- C++ -*-===//
//
// The runtimes of MSCCL-IR execute consecutive reductions into one place as one operation, which
// reads all operands and writes the sum once. A reduction belongs to the operation of the step
// directly before it if both reduce with the same destination, source buffer and count, the earlier
// one does not publish, and the later one does not wait. The operation ends after the sixteenth
// reduction of the threadblock; the runtimes do not count again from there. The result is that of
// the separate reductions if no operand overlaps the destination.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_MERGEDREDUCTIONS_H
#define CCL_IR_MERGEDREDUCTIONS_H

#include "cclc/IR/Step.h"

namespace cclc {

/// Finds the operations of a threadblock. An operation has at most 16 reductions, and its operands
/// do not overlap the destination: writers of MSCCL-IR let the runtimes begin another one.
class MergedReductions {
public:
  static constexpr uint32_t most = 16;

  /// Whether \p step, the next one of the threadblock, belongs to the operation of the step before
  /// it.
  bool add(const Step &step);

private:
  std::optional<Step> before;
  uint32_t reductions = 0; ///< of the threadblock
  uint32_t merged = 0;     ///< of the current operation
};

} // namespace cclc

#endif // CCL_IR_MERGEDREDUCTIONS_H
