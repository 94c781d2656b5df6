//===- WhyDiff.h - Two ways to the value of a cell --------------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_WHYDIFF_H
#define CCL_LIB_DRIVER_WHYDIFF_H

#include "Why.h"

namespace cclc {

/// How \p cell comes to its value in either plan, and the first step, seen from the cell, in which
/// they do something else: whatever threadblock does it. True if there is none. Says so where a
/// plan does not complete.
bool printWhyDiff(const ExecPlan &before, StringRef oldName, const ExecPlan &after,
                  StringRef newName, const CellName &cell, Placement placement, raw_ostream &os);

} // namespace cclc

#endif // CCL_LIB_DRIVER_WHYDIFF_H
