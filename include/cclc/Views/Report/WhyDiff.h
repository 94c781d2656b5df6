//===- WhyDiff.h - Comparing the provenance of a cell -----------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_WHYDIFF_H
#define CCL_VIEWS_REPORT_WHYDIFF_H

#include "cclc/Views/Report/Why.h"

namespace cclc {

/// Prints the provenance of \p cell in both plans, and the first step, from the cell back, that
/// differs, ignoring the number of its threadblock. Returns true if no step differs. Reports a plan
/// that does not complete.
bool printWhyDiff(const ExecPlan &before, StringRef oldName, const ExecPlan &after,
                  StringRef newName, const CellName &cell, Placement placement, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_WHYDIFF_H
