//===- PlanBin.h - The binary format of plans -------------------*- C++ -*-===//
//
// A complete plan, as tables of fixed-size rows after a header with the number of rows of each
// table. A step takes 12 bytes and is read at the speed of memory. The bytes do not depend on
// compiler, host or build. The header determines the length of the file, which ends in a checksum.
// Older versions are read as well. docs/PlanFormat.md is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANBIN_H
#define CCL_FORMATS_PLANBIN_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Whether a file begins like a binary plan, which no text file does.
bool looksLikePlanBin(StringRef bytes);

void writePlanBin(const ExecPlan &plan, raw_ostream &os);

/// Validates every length, index and enumerator. Errors name the table and the row; structural
/// errors name the step.
FailureOr<ExecPlan> readPlanBin(StringRef bytes, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANBIN_H
