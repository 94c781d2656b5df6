//===- Joins.h - Merging waits of several steps -----------------*- C++ -*-===//
//
// A step has one wait; each further wait is a `nop`. If several steps of a rank wait for the same
// threadblocks, one of them (the hub) can wait on behalf of all: the others wait for the hub. They
// may be delayed by this, so a hub is used only if the plan does not become longer than permitted.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_JOINS_H
#define CCL_LIB_SCHEDULE_JOINS_H

#include "Draft.h"
#include "StepTimes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc::schedule {

/// The permitted cost of joins: no increase of the path, neither in units nor in chunks, or any
/// increase.
enum class JoinPrice : uint8_t { Free, Any };

/// Returns \p draft, which has the waits \p waits, no joins, and the earliest \p ends of its steps,
/// with joins, and with its steps in an order in which they can execute with \p slots. None if
/// there are no joins, the slots do not suffice, or \p isEnough is false for an upper bound of the
/// nops that joins save.
std::optional<Draft> joinWaits(const InstrProgram &program, const Assignment &assignment,
                               const Waits &waits, Slots slots, JoinPrice price, const Draft &draft,
                               std::vector<uint32_t> ends,
                               llvm::function_ref<bool(uint64_t mostSaved)> isEnough);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_JOINS_H
