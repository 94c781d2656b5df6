//===- PlanBin.h - The compact form of a plan -------------------*- C++ -*-===//
//
// Everything that a plan holds, as tables of rows of fixed size behind a header
// that counts the rows: 12 bytes a step, read at the speed of memory. The bytes do
// not depend on compiler, host or build. docs/PlanFormat.md is the reference. A
// file is as long as its header says and ends in a checksum; older versions are
// read.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANBIN_H
#define CCL_FORMATS_PLANBIN_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Version of the format that is written.
inline constexpr uint32_t planBinVersion = 3;

/// Whether a file begins as a binary plan does. No text does.
bool looksLikePlanBin(StringRef bytes);

void writePlanBin(const ExecPlan &plan, raw_ostream &os);

/// Believes nothing: not a length, not an index, not an enumerator. Errors name the
/// table and the row, and structural ones the step.
FailureOr<ExecPlan> readPlanBin(StringRef bytes, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANBIN_H
