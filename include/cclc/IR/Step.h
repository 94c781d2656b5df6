//===- Step.h - Steps of plans ----------------------------------*- C++ -*-===//

#ifndef CCL_IR_STEP_H
#define CCL_IR_STEP_H

#include "cclc/IR/Operand.h"
#include "cclc/IR/Ops.h"
#include "cclc/Support/Ids.h"
#include "cclc/Support/Location.h"

#include <optional>

namespace cclc {

/// Step \p step of threadblock \p tb of the same rank. Satisfied as soon as that threadblock has
/// completed this or a later step that publishes.
struct Wait {
  ThreadblockId tb;
  StepIndex step;
  friend bool operator==(const Wait &, const Wait &) = default;
};

/// One step. 40 bytes, since plans have millions of them.
struct Step {
  /// Local operands. An operand that the operation does not use (Ops.def) is none.
  Operand src, dst;
  uint32_t count;
  LocId loc;
  /// Location of the sending half of a fused step; else equal to loc.
  LocId sendLoc;
  uint16_t phase = 0;
  OpKind op;
  /// Announces its completion to other threadblocks (`hasdep`).
  bool publishes = false;

  bool waits() const { return waitTb.has_value(); }
  std::optional<Wait> wait() const {
    return waitTb ? std::optional<Wait>({*waitTb, StepIndex(waitStep)}) : std::nullopt;
  }
  void setWait(std::optional<Wait> wait) {
    waitTb = wait ? OptionalId<ThreadblockId>(wait->tb) : OptionalId<ThreadblockId>();
    waitStep = wait ? wait->step.index() : 0;
  }

  Step(OpKind op, Operand src, Operand dst, uint32_t count, LocId loc, LocId sendLoc)
      : src(src), dst(dst), count(count), loc(loc), sendLoc(sendLoc), op(op) {}

private:
  OptionalId<ThreadblockId> waitTb;
  uint32_t waitStep = 0;
};

} // namespace cclc

#endif // CCL_IR_STEP_H
