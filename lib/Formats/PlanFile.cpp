//===- PlanFile.cpp - Reading plans in any form ---------------------------===//
//
// The first bytes of a file identify its form (PlanFormat.h). Only forms of plans of steps are read
// here; the errors about others say how to get one.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanFile.h"

#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/InputFile.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

static std::string readableForms() {
  std::vector<std::string> titles;
  for (const PlanFormat &format : planFormats())
    if (format.exec.read)
      titles.push_back(format.title);
  return llvm::join(titles, " nor ");
}

FailureOr<AnyPlan> cclc::readAnyPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  MemoryBudget::Work work("reading the plan");
  const PlanFormat *format = sniffPlanFormat(text);
  if (!format)
    return diags.error({fileName.str()}, "not a plan: neither " + readableForms());
  if (!format->exec.read)
    return diags.error({fileName.str()},
                       llvm::Twine(format->kind) + " has no connections and steps: " +
                           (format->mscclpp.read
                                ? "convert it with cclc convert"
                                : "compile the program to a plan in another form"));
  FailureOr<ExecPlan> plan = format->exec.read(withoutByteOrderMark(text), fileName, diags);
  if (failed(plan))
    return failure();
  if (plan->info().rotations.empty())
    return AnyPlan(std::move(*plan));
  FailureOr<RolledPlan> rolled = rolledPlan(*plan, {fileName.str()}, diags);
  if (failed(rolled))
    return failure();
  return AnyPlan(std::move(*rolled));
}

FailureOr<ExecPlan> cclc::readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  FailureOr<AnyPlan> plan = readAnyPlan(text, fileName, diags);
  if (failed(plan))
    return failure();
  if (auto *rolled = std::get_if<RolledPlan>(&*plan))
    return unroll(*rolled, diags);
  return std::get<ExecPlan>(std::move(*plan));
}

FailureOr<ExecutablePlan> cclc::readExecutablePlan(StringRef text, StringRef fileName,
                                                   DiagnosticEngine &diags) {
  if (const PlanFormat *format = sniffPlanFormat(text); format && format->mscclpp.read)
    return format->mscclpp.read(text, fileName, diags);
  return readPlan(text, fileName, diags);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> cclc::openPlanFile(StringRef path,
                                                                  DiagnosticEngine &diags) {
  return readInput(path, "'" + planFileName(path) + "'", diags);
}

FailureOr<ExecPlan> cclc::readPlanFile(StringRef path, DiagnosticEngine &diags) {
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  return readPlan((*buffer)->getBuffer(), planFileName(path), diags);
}
