#include "cclc/Emit/PlanFile.h"

#include "cclc/Emit/MscclXml.h"
#include "cclc/Emit/PlanBin.h"
#include "cclc/Emit/PlanJson.h"
#include "cclc/IR/Module.h"
#include "cclc/IR/Parser.h"

using namespace cclc;

/// A byte order mark and blanks say nothing here.
static StringRef startOf(StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text.ltrim();
}

PlanForm cclc::planFormOf(StringRef text) {
  StringRef start = startOf(text);
  return looksLikePlanBin(text)   ? PlanForm::Binary
         : start.starts_with("{") ? PlanForm::Json
         : start.starts_with("<") ? PlanForm::Xml
                                  : PlanForm::Text;
}

bool cclc::looksLikePlan(StringRef text) { return planFormOf(text) != PlanForm::Text; }

FailureOr<ExecPlan> cclc::readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  if (looksLikePlanBin(text))
    return readPlanBin(text, fileName, diags);
  StringRef start = startOf(text);
  text.consume_front("\xef\xbb\xbf");
  if (start.starts_with("{"))
    return readPlanJson(text, fileName, diags);
  if (start.starts_with("<"))
    return readMscclXml(text, fileName, diags);
  if (!looksLikeTextIR(text))
    return diags.error(
        {fileName.str()},
        "not a plan: neither JSON nor MSCCL XML nor text IR ('ccl.version ...') nor binary");
  FailureOr<Module> module = parseModule(text, fileName, diags);
  if (failed(module))
    return failure();
  if (auto *plan = std::get_if<ExecPlan>(&*module))
    return std::move(*plan);
  return diags.error({fileName.str()}, "the file holds a program of the " +
                                           levelName(levelOf(*module)) +
                                           " level, not a plan; ccl-opt lowers it");
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> cclc::openPlanFile(StringRef path,
                                                                  DiagnosticEngine &diags) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return diags.error({},
                       "cannot read '" + planFileName(path) + "': " + buffer.getError().message());
  return std::move(*buffer);
}

FailureOr<ExecPlan> cclc::readPlanFile(StringRef path, DiagnosticEngine &diags) {
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  return readPlan((*buffer)->getBuffer(), planFileName(path), diags);
}
