//===- PlanFile.h - Plans in files of any form ------------------*- C++ -*-===//

#ifndef CCL_EMIT_PLANFILE_H
#define CCL_EMIT_PLANFILE_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/Support/MemoryBuffer.h"

namespace cclc {

/// What messages call a file: its path, or "<stdin>" for "-".
inline StringRef planFileName(StringRef path) { return path == "-" ? "<stdin>" : path; }

/// The bytes of a file, or of standard input for "-".
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> openPlanFile(StringRef path,
                                                            DiagnosticEngine &diags);

/// Reads a plan from a file, or from standard input for "-": JSON, MSCCL XML,
/// text IR or binary, told apart by its first bytes.
FailureOr<ExecPlan> readPlanFile(StringRef path, DiagnosticEngine &diags);

/// The same for text that is already at hand.
FailureOr<ExecPlan> readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// What a file is written in. MSCCL XML has no place for most attributes of a plan.
enum class PlanForm : uint8_t { Json, Xml, Text, Binary };
/// By the first bytes; text IR is what looks like none of the others.
PlanForm planFormOf(StringRef text);
/// Whether \p text begins as a plan does that is not text IR.
bool looksLikePlan(StringRef text);

} // namespace cclc

#endif // CCL_EMIT_PLANFILE_H
