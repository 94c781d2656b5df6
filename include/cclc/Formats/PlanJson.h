//===- PlanJson.h - The JSON format of plans --------------------*- C++ -*-===//
//
// The canonical format: a complete plan, with one row per step. It is read and written as a stream,
// without a document tree in memory. Unknown keys are rejected; older versions are read.
// docs/PlanFormat.md is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANJSON_H
#define CCL_FORMATS_PLANJSON_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

void writePlanJson(const ExecPlan &plan, raw_ostream &os);

/// Reports syntax, schema and structural errors at line and column.
FailureOr<ExecPlan> readPlanJson(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANJSON_H
