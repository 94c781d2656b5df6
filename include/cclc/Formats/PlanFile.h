//===- PlanFile.h - Plans in files of any form ------------------*- C++ -*-===//

#ifndef CCL_FORMATS_PLANFILE_H
#define CCL_FORMATS_PLANFILE_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/Support/MemoryBuffer.h"

namespace cclc {

/// What messages call a file: its path, or "<stdin>" for "-".
inline StringRef planFileName(StringRef path) { return path == "-" ? "<stdin>" : path; }

/// The bytes of a file, or of standard input for "-".
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> openPlanFile(StringRef path,
                                                            DiagnosticEngine &diags);

/// Reads a plan in any form (PlanFormat.h), told apart by its first bytes, from a file or from
/// standard input for "-". A plan of MSCCL++ is an error.
FailureOr<ExecPlan> readPlanFile(StringRef path, DiagnosticEngine &diags);

/// The same for text that is already at hand.
FailureOr<ExecPlan> readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANFILE_H
