//===- PlanText.h - Plans in text IR ----------------------------*- C++ -*-===//
//
// Reads and writes plans in text IR, which also represents programs of the other levels.
// docs/LangRef.md is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANTEXT_H
#define CCL_FORMATS_PLANTEXT_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Whether a file begins like text IR of any level.
bool looksLikeTextPlan(StringRef text);

/// Reports errors at line and column; a program of another level is an error. The location of a
/// step without one is its position in \p text.
FailureOr<ExecPlan> readPlanText(StringRef text, StringRef fileName, DiagnosticEngine &diags);

void writePlanText(const ExecPlan &plan, bool locations, raw_ostream &os);

} // namespace cclc

#endif // CCL_FORMATS_PLANTEXT_H
