//===- Goal.h - Exporting plans to LogGOPSim --------------------*- C++ -*-===//
//
// Writes a plan for one size as a GOAL schedule, the text format of LogGOPSim and ATLAHS (through
// txt2bin), so that another simulator can time it: a rank is a graph of sends, receives and
// calculations in whole nanoseconds, with `requires` dependences.
//
// The schedule includes every message of every piece, the order of a threadblock, waits, the
// launch, dispatch, reductions, copies, and accesses to slots. The LogGP model has no slots and
// credits, no routes with contention, no streams, DMA engines or rates of threadblocks. Loads of
// inputs and stores of results are omitted, and with a protocol a step is one message without
// transmissions and slices.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_EXPORT_GOAL_H
#define CCL_VIEWS_EXPORT_GOAL_H

#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

/// Fails if there are more messages than GOAL has tags, and warns if threadblocks or connections
/// have to share processors or interfaces, of which a rank has 256.
LogicalResult checkGoal(const PlacedPlan &plan, const Sizing &sizing, DiagnosticEngine &diags);

/// Streams a plan that checkGoal() accepts, rank by rank.
void writeGoal(const PlacedPlan &plan, const Sizing &sizing, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_EXPORT_GOAL_H
