//===- Parts.h - The parts of a comparison ----------------------*- C++ -*-===//

#ifndef CCL_LIB_DIFF_PARTS_H
#define CCL_LIB_DIFF_PARTS_H

#include "cclc/Diff/PlanDiff.h"

namespace cclc::diff {

/// Compares the headers of two plans, and the scratch of their ranks.
std::vector<AttributeChange> compareAttributes(const ExecPlan &before, const ExecPlan &after,
                                               bool xml);

/// Numbers the phases of both plans, so that equal phases have equal numbers.
struct PhaseNumbers {
  std::vector<uint32_t> before, after;
};
PhaseNumbers numberPhases(const ProgramInfo &before, const ProgramInfo &after);

/// Compares the connections, on channels as matched by \p matching.
std::vector<ConnectionChange>
compareConnections(const IndexedPlan &before, const IndexedPlan &after, const Matching &matching);

/// Compares the transfers, independent of threadblocks, channels and the grouping of chunks.
std::vector<TransferChange> compareTransfers(const IndexedPlan &before, const IndexedPlan &after);

/// Compares the reductions under every placement that both plans have. Both plans must complete.
std::vector<ReductionChange> compareReductions(const IndexedPlan &before, const IndexedPlan &after);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_PARTS_H
