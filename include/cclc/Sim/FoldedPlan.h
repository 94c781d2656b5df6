//===- FoldedPlan.h - Times of a rolled plan from few ranks -----*- C++ -*-===//
//
// The ranks of a rolled plan execute the same threadblocks. If in addition all of them have equal
// links to their peers, and no link or engine serves two threadblocks or connections, then
// simultaneous events do not affect each other. So each step ends at the same time on all ranks,
// and its time depends on the steps, links and slots that it waits for, which the folded plan has
// as well: the times of the folded plan are those of the plan of all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_FOLDEDPLAN_H
#define CCL_SIM_FOLDEDPLAN_H

#include "cclc/Rolled/RolledPlan.h"
#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// Why the times of \p folded, the fold of \p plan on \p ranks, may differ from those of the plan
/// of all ranks on the machine \p whole; empty if they are equal. Ranks are on the endpoints with
/// their numbers.
std::string findFoldingFault(const RolledPlan &plan, const FoldedRanks &ranks,
                             const BoundPlan &folded, const Machine &whole, StringRef network);

/// The sizing of \p folded in which its chunks have the size of those of \p plan with a buffer of
/// \p requested bytes.
FailureOr<Sizing> foldedSizing(const RolledPlan &plan, const BoundPlan &folded, Bytes requested,
                               DataType type, DiagnosticEngine &diags);

/// The time, the bandwidths and the counts of all ranks from \p row of \p folded, without the
/// values of single links and threadblocks.
SizeResult resultOfAllRanks(const RolledPlan &plan, const BoundPlan &folded, SizeResult row);

} // namespace cclc

#endif // CCL_SIM_FOLDEDPLAN_H
