#include "cclc/Compiler/LowerToMscclpp.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/MscclppEmit/Compact.h"
#include "cclc/MscclppEmit/Lower.h"
#include "cclc/MscclppProof/Verify.h"

using namespace cclc;

std::variant<mscclpp::Plan, ExitCode> cclc::lowerToMscclpp(const ExecPlan &plan, bool prove,
                                                           DiagnosticEngine &diags) {
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect}) {
    DiagnosticEngine none;
    std::optional<mscclpp::Plan> compact = emit(plan);
    if (compact && mscclpp::verify(*compact, none).verdict == Verdict::Ok)
      return std::move(*compact);
  }
  FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags);
  if (failed(lowered) || failed(mscclpp::checkExecutor(*lowered, diags)))
    return ExitCode::Wrong;
  Verdict verdict = prove ? mscclpp::verify(*lowered, diags).verdict : Verdict::Ok;
  if (verdict == Verdict::Unsupported)
    return ExitCode::Wrong;
  // The ExecPlan was verified, so an error now is a defect of the tool.
  if (verdict != Verdict::Ok)
    return ExitCode::Internal;
  return std::move(*lowered);
}
