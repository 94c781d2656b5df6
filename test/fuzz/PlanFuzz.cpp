//===- PlanFuzz.cpp - Any bytes, read as a plan ---------------------------===//
//
// Reading ends in a plan or in an error. A plan is written as JSON and as text,
// and each must give the same bytes once more after it was read back; small ones
// are verified.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Emit/PlanFile.h"
#include "cclc/Emit/PlanJson.h"
#include "cclc/IR/Printer.h"
#include "cclc/Semantics/PlanVerifier.h"

using namespace cclc;
using namespace cclc::fuzz;

namespace {
std::string jsonOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(plan, os);
  return os.str();
}

std::string textOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, plan);
  return os.str();
}

void checkForm(const ExecPlan &plan, std::string (*write)(const ExecPlan &), const char *form) {
  std::string once = write(plan);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> again = readPlan(once, "again", diags);
  if (failed(again))
    defect(std::string(form) + " that was written is not read", once, diags);
  // Names that are not UTF-8 lose bytes in JSON, and two names may become one.
  bool lost = StringRef(once).contains("\xef\xbf\xbd");
  if (write(*again) != once && !lost)
    defect(std::string(form) + " differs when it is written again", once, diags);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = readPlan(text, "fuzz", diags);
  if (failed(plan)) {
    if (!diags.hasErrors())
      defect("refused without an error", text.str(), diags);
    return -1;
  }
  if (diags.hasErrors())
    defect("read in spite of an error", text.str(), diags);
  checkForm(*plan, jsonOf, "JSON");
  checkForm(*plan, textOf, "text");
  if (isSmall(*plan))
    for (Slots slots : {Slots(1), Slots(8), Slots::unlimited()}) {
      DiagnosticEngine found;
      PlanReport report = verifyPlan(*plan, slots, found);
      if ((report.verdict == Verdict::Ok) == found.hasErrors())
        defect("the verdict and the errors disagree", text.str(), found);
    }
  return 0;
}
