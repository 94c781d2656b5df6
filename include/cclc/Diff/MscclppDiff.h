//===- MscclppDiff.h - Comparing two plans of MSCCL++ -----------*- C++ -*-===//
//
// Plans are compared by their operations, with the objects that these refer to (OpText.h).
// Threadblocks with equal operations match; then those with equal numbers, whose operations are
// aligned. The numbers of threadblocks are arbitrary, those of channels, semaphores and barriers
// are not.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_MSCCLPPDIFF_H
#define CCL_DIFF_MSCCLPPDIFF_H

#include "cclc/Diff/PlanTimes.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::diff {

/// The result refers to both plans. In its figures, steps are operations, messages the places on
/// other ranks that operations read or write, channels those of the rank that has most, and there
/// are no slots. The warnings of the two proofs are reported.
PlanDiff compareMscclpp(const mscclpp::Plan &before, const mscclpp::Plan &after,
                        DiagnosticEngine &diags);

/// As addTimes() for other plans; \p result is that of compareMscclpp().
LogicalResult addTimes(const TimesRequest &request, const mscclpp::Plan &before,
                       const mscclpp::Plan &after, DiffResult &result, DiagnosticEngine &diags);

} // namespace cclc::diff

#endif // CCL_DIFF_MSCCLPPDIFF_H
