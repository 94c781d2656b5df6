//===- Bounds.h - Bounds as text and JSON -----------------------*- C++ -*-===//

#ifndef CCL_REPORT_BOUNDS_H
#define CCL_REPORT_BOUNDS_H

#include "cclc/Driver/BoundTable.h"

namespace cclc {

void printBounds(const BoundTable &table, raw_ostream &os);
/// docs/CommandGuide/ccl-bound.md documents the keys.
void writeBoundsJson(const BoundTable &table, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_BOUNDS_H
