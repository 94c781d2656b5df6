//===- PlanFile.h - Reading plans in any format -----------------*- C++ -*-===//

#ifndef CCL_FORMATS_PLANFILE_H
#define CCL_FORMATS_PLANFILE_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

#include "llvm/Support/MemoryBuffer.h"

#include <variant>

namespace cclc {

/// The name of a file in messages: its path, or "<stdin>" for "-".
inline StringRef planFileName(StringRef path) { return path == "-" ? "<stdin>" : path; }

/// Reads a file, or standard input for "-".
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> openPlanFile(StringRef path,
                                                            DiagnosticEngine &diags);

/// Reads a plan in any format (PlanFormat.h), which its first bytes identify, from a file or from
/// standard input for "-". A rolled plan is unrolled; a plan of MSCCL++ is an error.
FailureOr<ExecPlan> readPlanFile(StringRef path, DiagnosticEngine &diags);

/// A plan of all ranks, or a rolled one.
using AnyPlan = std::variant<ExecPlan, RolledPlan>;
FailureOr<AnyPlan> readAnyPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// The same for text in memory. A rolled plan is unrolled.
FailureOr<ExecPlan> readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// The same of either kind.
using ExecutablePlan = std::variant<ExecPlan, mscclpp::Plan>;
FailureOr<ExecutablePlan> readExecutablePlan(StringRef text, StringRef fileName,
                                             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PLANFILE_H
