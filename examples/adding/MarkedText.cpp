//===- MarkedText.cpp - Plans as text IR below a mark ---------------------===//
//
// The reader removes the first line and passes the rest to the parser of text IR, preceded by an
// empty line, so that errors have the line numbers of the file.
//
//===----------------------------------------------------------------------===//

#include "Adding.h"

#include "cclc/Formats/PlanText.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

static constexpr StringRef mark = "#marked-plan\n";

static FailureOr<ExecPlan> readMarkedText(StringRef text, StringRef fileName,
                                          DiagnosticEngine &diags) {
  if (!text.consume_front(mark))
    return diags.error({fileName.str(), 1, 1}, "expected '#marked-plan'");
  return readPlanText("\n" + text.str(), fileName, diags);
}

static void writeMarkedText(const ExecPlan &plan, const PlanWriteOptions &options,
                            raw_ostream &os) {
  os << mark;
  writePlanText(plan, options.locations, os);
}

static constexpr const char *extensions[] = {".marked"};

const PlanFormat cclc::markedText = {
    .name = "marked",
    .title = "marked text IR",
    .extensions = extensions,
    .sniff = [](StringRef text) { return text.starts_with(mark); },
    .exec = {readMarkedText, writeMarkedText},
    .mscclpp = {},
    .isComplete = true,
    .hasDialects = false,
    .constraints = nullptr,
    .kind = "a plan",
    .use = "'ccl-sim FILE' runs it, 'ccl-diff OLD NEW' compares two",
};
