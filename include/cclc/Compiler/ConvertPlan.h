//===- ConvertPlan.h - Converting plans between formats ---------*- C++ -*-===//
//
// Converts a plan of any model to a format, for the runtime of that format: the plan is verified,
// adapted to the runtime or rejected, and written; then the output is read and verified again,
// unless no tool reads it (algorithm modules of AHBM).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_CONVERTPLAN_H
#define CCL_COMPILER_CONVERTPLAN_H

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"

#include <functional>
#include <string>

namespace cclc {

struct ConvertRequest {
  const PlanFormat *format = nullptr; ///< format of the output
  /// The runtime of the output, if its format has dialects.
  const MscclDialect *dialect = nullptr;
  /// Whether the waits of reductions that the runtime merges are gathered (gatherWaits). A plan
  /// that was compiled for the runtime has them where its compilation decided.
  bool gathersWaits = true;
  /// Whether input and output are verified. Lowering to MSCCL++ and to AHBM, and lifting
  /// from MSCCL++ require it.
  bool prove = true;
  /// Of a module of AHBM (Formats/AhbmModule.h).
  std::optional<uint32_t> worldSize;
  /// The name of the result, if it is lowered to MSCCL++; unset: that of the program.
  std::optional<std::string> name;
  /// The threadblocks that share the operations of one, if it is lowered to MSCCL++.
  uint32_t sharing = 1;
  /// The folder of the bundled targets.
  std::string targetDir;
  /// Called with the name of each stage as it begins; may be empty.
  std::function<void(StringRef)> onStage;
};

/// A plan of steps, of all ranks or rolled, or one of MSCCL++.
using ConvertiblePlan = std::variant<ExecPlan, RolledPlan, mscclpp::Plan>;

/// Converts \p plan; returns the bytes of the output. A failure is of the kind Wrong if the plan
/// is, and Unfit if the format cannot express it.
FailureOr<std::string> convertPlan(ConvertiblePlan plan, const ConvertRequest &request,
                                   DiagnosticEngine &diags);

/// The same for a file in any format. A failure is of the kind Unusable if it cannot be read.
FailureOr<std::string> convertText(StringRef text, StringRef fileName,
                                   const ConvertRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_CONVERTPLAN_H
