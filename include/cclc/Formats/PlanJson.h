//===- PlanJson.h - The canonical form of a plan ----------------*- C++ -*-===//
//
// JSON with everything that a plan holds, one row a step, written and read as a
// stream: no document tree of a plan is ever in memory. docs/PlanFormat.md is the
// reference. Unknown keys are refused; older versions are read.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANJSON_H
#define CCL_FORMATS_PLANJSON_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Version of the schema that is written.
inline constexpr unsigned planJsonVersion = 3;

void writePlanJson(const ExecPlan &plan, raw_ostream &os);

/// Reports syntax, schema and structural errors at line and column.
FailureOr<ExecPlan> readPlanJson(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANJSON_H
