//===- Parts.h - The parts of a comparison ----------------------*- C++ -*-===//

#ifndef CCL_LIB_DIFF_PARTS_H
#define CCL_LIB_DIFF_PARTS_H

#include "cclc/Diff/PlanDiff.h"

namespace cclc::diff {

/// What stands in the header of a plan, and the scratch of its ranks.
std::vector<AttributeChange> compareAttributes(const ExecPlan &before, const ExecPlan &after,
                                               bool xml);

/// The number of each phase of both plans, so that equal phases have equal numbers.
struct PhaseNumbers {
  std::vector<uint32_t> before, after;
};
PhaseNumbers numberPhases(const ProgramInfo &before, const ProgramInfo &after);

/// Who is connected with whom, on which of the channels that \p matching has names for.
std::vector<ConnectionChange>
compareConnections(const IndexedPlan &before, const IndexedPlan &after, const Matching &matching);

/// Of messages, whatever the threadblocks and channels, and however chunks are put together.
std::vector<TransferChange> compareTransfers(const IndexedPlan &before, const IndexedPlan &after);

/// Under every placement that both plans are offered for. Both complete.
std::vector<ReductionChange> compareReductions(const IndexedPlan &before, const IndexedPlan &after);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_PARTS_H
