#include "cclc/Formats/PlanText.h"

#include "cclc/IR/Module.h"
#include "cclc/IR/Parser.h"
#include "cclc/IR/Printer.h"
#include "cclc/Support/Text.h"

using namespace cclc;

bool cclc::looksLikeTextPlan(StringRef text) { return looksLikeTextIR(withoutByteOrderMark(text)); }

FailureOr<ExecPlan> cclc::readPlanText(StringRef text, StringRef fileName,
                                       DiagnosticEngine &diags) {
  FailureOr<Module> module = parseModule(text, fileName, diags);
  if (failed(module))
    return failure();
  if (auto *plan = std::get_if<ExecPlan>(&*module))
    return std::move(*plan);
  return diags.error({fileName.str()}, "the file holds a program of the " +
                                           levelName(levelOf(*module)) +
                                           " level, not a plan; ccl-opt lowers it");
}

void cclc::writePlanText(const ExecPlan &plan, bool locations, raw_ostream &os) {
  print(os, plan, {.locations = locations, .dependences = false});
}
