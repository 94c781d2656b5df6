//===- ConvertPlan.h - A plan in another form -------------------*- C++ -*-===//
//
// A file in any form becomes one in another form, for the runtime of that form: the
// input is proved, adapted to what the runtime executes or refused, written, and what
// was written is read and proved again.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_CONVERTPLAN_H
#define CCL_COMPILER_CONVERTPLAN_H

#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/ExitCode.h"

#include <functional>
#include <string>

namespace cclc {

struct ConvertRequest {
  const PlanFormat *format = nullptr; ///< of the result
  /// Runtime of the result, if its format has dialects.
  const MscclDialect *dialect = nullptr;
  /// Whether input and result are proved. MSCCL++ is only lowered to from a proved plan.
  bool prove = true;
  /// Called with the name of each stage as it begins; may be empty.
  std::function<void(StringRef)> onStage;
};

struct ConvertOutcome {
  ExitCode code;
  std::string bytes; ///< of the result, on success
};

/// Converts \p text. On failure the diagnostics say why; the code tells a plan that is wrong, or
/// that the form cannot express, from a file that cannot be read and from a defect of ours.
ConvertOutcome convertPlan(StringRef text, StringRef fileName, const ConvertRequest &request,
                           DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_CONVERTPLAN_H
