#include "MscclppCommand.h"

#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Limits.h"
#include "cclc/Mscclpp/Lower.h"
#include "cclc/Mscclpp/Verify.h"

using namespace cclc;

std::variant<mscclpp::Plan, ExitCode> cclc::lowerToMscclpp(const ExecPlan &plan, bool prove,
                                                           DiagnosticEngine &diags) {
  FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags);
  if (failed(lowered) || failed(mscclpp::checkLimits(*lowered, diags)))
    return ExitCode::Wrong;
  Verdict verdict = prove ? mscclpp::verify(*lowered, diags).verdict : Verdict::Ok;
  if (verdict == Verdict::Illegal)
    return ExitCode::Wrong;
  // The ExecPlan was proved: what goes wrong now is ours.
  if (verdict != Verdict::Ok)
    return ExitCode::Internal;
  return std::move(*lowered);
}

PlanReport cclc::verifyMscclpp(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  PlanReport report;
  report.verdict = Verdict::Malformed;
  FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, fileName, diags);
  if (failed(plan))
    return report;
  bool legal = succeeded(mscclpp::checkLimits(*plan, diags));
  report = mscclpp::verify(*plan, diags);
  if (!legal)
    report.verdict = std::max(report.verdict, Verdict::Illegal);
  return report;
}
