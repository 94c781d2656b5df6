//===- Joins.h - One step that waits for many, for all ----------*- C++ -*-===//
//
// A step has room for one wait; each further one is a `nop`. Where several steps of
// a rank wait for the same threadblocks, one of them (the hub) can do so for all: the
// others wait for the hub. They may run later than they could, so the hub is taken
// only where that makes the plan no longer than it may be.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_JOINS_H
#define CCL_LIB_SCHEDULE_JOINS_H

#include "Draft.h"
#include "StepTimes.h"

namespace cclc::schedule {

/// What joins may cost: nothing, in units nor in chunks, or any time.
enum class JoinPrice : uint8_t { Free, Any };

/// Adds joins to \p draft, whose \p waits are these, and brings its steps into an order in
/// which they can execute with \p slots. False, and nothing is changed, if there are none or
/// the slots are too few for that.
bool joinWaits(const InstrProgram &program, const Assignment &assignment, const Waits &waits,
               Slots slots, JoinPrice price, Draft &draft);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_JOINS_H
