//===- Goal.h - Plans for LogGOPSim -----------------------------*- C++ -*-===//
//
// Writes a plan of one size as a GOAL schedule, the text that LogGOPSim and ATLAHS
// read (through txt2bin), so that another simulator can time it: a rank is a graph
// of sends, receives and calculations in whole nanoseconds, with `requires` between
// them.
//
// Carried are every message of every piece, the order of a threadblock, waits, the
// launch, dispatch, reductions, copies, and accesses to slots. A LogGP machine has
// no slots and credits, routes and contention on them, streams, DMA engines or
// rates of threadblocks. Loads of inputs and stores of results are left out, and
// with a protocol a step is one message, not transmissions and slices.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_GOAL_H
#define CCL_SIM_GOAL_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

/// Fails if the messages are too many for GOAL's tags, and warns where threadblocks or
/// connections have to share processors or interfaces, of which a rank has 256.
LogicalResult checkGoal(const BoundPlan &plan, const Sizing &sizing, DiagnosticEngine &diags);

/// Writes a plan that checkGoal() accepts, rank by rank, without keeping anything of what
/// was written.
void writeGoal(const BoundPlan &plan, const Sizing &sizing, raw_ostream &os);

} // namespace cclc

#endif // CCL_SIM_GOAL_H
