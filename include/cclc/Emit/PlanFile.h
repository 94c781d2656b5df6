//===- PlanFile.h - Plans in files of any form ------------------*- C++ -*-===//

#ifndef CCL_EMIT_PLANFILE_H
#define CCL_EMIT_PLANFILE_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Reads a plan from a file, or from standard input for "-": JSON, MSCCL XML or
/// text IR, told apart by its first character.
FailureOr<ExecPlan> readPlanFile(StringRef path, DiagnosticEngine &diags);

/// The same for text that is already at hand.
FailureOr<ExecPlan> readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_EMIT_PLANFILE_H
