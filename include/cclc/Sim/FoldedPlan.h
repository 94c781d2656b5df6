//===- FoldedPlan.h - Times of a rolled plan from few ranks -----*- C++ -*-===//
//
// The ranks of a rolled plan execute the same threadblocks. If in addition all of them have equal
// links to their peers, and no link or engine serves two threadblocks or connections, then
// simultaneous events do not affect each other. So each step ends at the same time on all ranks,
// and its time depends on the steps, links and slots that it waits for, which the folded plan has
// as well: its times, on a machine with the same links, are those of the plan of all ranks. Without
// contention, links may be shared.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_FOLDEDPLAN_H
#define CCL_SIM_FOLDEDPLAN_H

#include "cclc/Sim/SweepResult.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

namespace cclc {

/// The bandwidth and the latency of each link, by connection of a rank.
using FoldedRoutes = std::vector<std::vector<std::pair<Bandwidth, SimTime>>>;

/// Why the times of \p folded, a fold of \p plan, may differ from those of the plan of all ranks on
/// the machine \p whole; empty if they are equal. Ranks are on the endpoints with their numbers.
/// Sets \p routes.
std::string findFoldingFault(const RolledPlan &plan, const ExecPlan &folded, const Machine &whole,
                             StringRef network, FoldedRoutes &routes);

/// A machine for \p ranks with the values of \p whole, in which each connection of \p plan has its
/// own links, with the values of \p routes.
Machine foldedMachine(const RolledPlan &plan, const FoldedRanks &ranks, const FoldedRoutes &routes,
                      Machine &&whole);

/// The sizing of \p folded in which its chunks have the size of those of \p plan with a buffer of
/// \p requested bytes.
FailureOr<Sizing> foldedSizing(const RolledPlan &plan, const PlacedPlan &folded, Bytes requested,
                               DataType type, DiagnosticEngine &diags);

/// The time, the bandwidths and the counts of all ranks from \p row of \p folded, without the
/// values of single links and threadblocks.
SizeResult resultOfAllRanks(const RolledPlan &plan, const PlacedPlan &folded, SizeResult row);

} // namespace cclc

#endif // CCL_SIM_FOLDEDPLAN_H
