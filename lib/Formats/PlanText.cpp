#include "cclc/Formats/PlanText.h"

#include "cclc/IR/Module.h"
#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Support/Text.h"

#include <algorithm>

using namespace cclc;

bool cclc::looksLikeTextPlan(StringRef text) {
  text = withoutByteOrderMark(text);
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text.starts_with("ccl.");
    text = text.drop_front(std::min(text.find('\n'), text.size()));
  }
}

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
