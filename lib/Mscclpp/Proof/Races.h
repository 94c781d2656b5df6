//===- Races.h - Race detection for plans of MSCCL++ ------------*- C++ -*-===//
//
// Uses vector clocks over threadblocks and over the callers, one per rank, which write the inputs
// before every launch and read the outputs after it. The plan is launched until a launch reuses the
// memory of an earlier one: twice, or three times with a double scratch buffer.
//
// A threadblock's time is counted in segments, which a nop or a barrier ends. An event that one of
// its threads waits for is ordered before all of them from the next segment on, and its signals are
// ordered after the accesses of all threads in earlier segments.
//
// There are two kinds of ordering. A signal or semaphore makes all earlier accesses visible. A
// packet or a relaxed signal shows only the progress of its rank: the accesses of earlier launches
// are complete, but those of this launch may not be visible. DataFlow.h finds the reads that a
// packet implies.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_RACES_H
#define CCL_LIB_MSCCLPP_PROOF_RACES_H

#include "ControlFlow.h"

namespace cclc::mscclpp {

enum class RaceCheck {
  Ordered,
  Race,       ///< reported
  OtherOrder, ///< more counters than assumed have takes in no fixed order
  TooLarge    ///< too large to be verified, which is reported
};

/// Reports the first race. \p order is the order of a launch that was run under the assumption that
/// only the takes of the counters in \p contested have no fixed order. If there are more such
/// counters, they are added, and the order may have to change.
RaceCheck checkRaces(const Plan &plan, const CellMap &cells, const Counters &counters,
                     ArrayRef<Completed> order, std::vector<bool> &contested,
                     DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_RACES_H
