//===- Races.h - Are the accesses of a plan ordered -------------*- C++ -*-===//
//
// Vector clocks over threadblocks and over the callers, one a rank, which write
// the inputs before every launch and read the outputs after it. The plan is
// launched as often as it takes until a launch uses the memory of an earlier one
// again: twice, or three times with a double scratch buffer.
//
// A threadblock's time is counted in segments, which a nop or a barrier ends. What
// its threads learn by waiting is known to all of them from the next segment on,
// and what they tell is what all of them did in earlier ones.
//
// There are two kinds of knowledge. A signal or semaphore tells all that was done
// before. A packet or a relaxed signal tells only that its rank had come this far:
// what earlier launches did there is over, what this one did may not be visible. What
// a packet says about the reads that it is made of is found by DataFlow.h.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_RACES_H
#define CCL_LIB_MSCCLPP_RACES_H

#include "Runner.h"

namespace cclc::mscclpp {

enum class RaceCheck {
  Ordered,
  Race,       ///< reported
  OtherOrder, ///< other counters are taken from in no fixed order than was assumed
  TooLarge    ///< to be proved, which is reported
};

/// Reports the first race; \p order is that of a launch, which was run as if only the
/// counters in \p contested were taken from in no fixed order. If there are more, they
/// are added and the order may be another one.
RaceCheck checkRaces(const Plan &plan, const CellMap &cells, const Counters &counters,
                     ArrayRef<Completed> order, std::vector<bool> &contested,
                     DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_RACES_H
