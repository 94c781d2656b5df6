//===- PlanText.h - Plans in text IR ----------------------------*- C++ -*-===//
//
// Text IR has programs of all levels; this is the part of it that is about plans.
// docs/LangRef.md is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANTEXT_H
#define CCL_FORMATS_PLANTEXT_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Whether a file begins as text IR does, of whatever level.
bool looksLikeTextPlan(StringRef text);

/// Reports errors at line and column, and a program of another level as one. Steps
/// without a location get their place in \p text.
FailureOr<ExecPlan> readPlanText(StringRef text, StringRef fileName, DiagnosticEngine &diags);

void writePlanText(const ExecPlan &plan, bool locations, raw_ostream &os);

} // namespace cclc

#endif // CCL_FORMATS_PLANTEXT_H
