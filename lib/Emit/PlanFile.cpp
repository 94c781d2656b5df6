#include "cclc/Emit/PlanFile.h"

#include "cclc/Emit/MscclXml.h"
#include "cclc/Emit/PlanJson.h"
#include "cclc/IR/Module.h"
#include "cclc/IR/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace cclc;

FailureOr<ExecPlan> cclc::readPlan(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  // A byte order mark says nothing here.
  text.consume_front("\xef\xbb\xbf");
  StringRef start = text.ltrim();
  if (start.starts_with("{"))
    return readPlanJson(text, fileName, diags);
  if (start.starts_with("<"))
    return readMscclXml(text, fileName, diags);
  if (!looksLikeTextIR(text))
    return diags.error({fileName.str()},
                       "not a plan: neither JSON nor MSCCL XML nor text IR ('ccl.version ...')");
  FailureOr<Module> module = parseModule(text, fileName, diags);
  if (failed(module))
    return failure();
  if (auto *plan = std::get_if<ExecPlan>(&*module))
    return std::move(*plan);
  return diags.error({fileName.str()}, "the file holds a program of the " +
                                           levelName(levelOf(*module)) +
                                           " level, not a plan; ccl-opt lowers it");
}

FailureOr<ExecPlan> cclc::readPlanFile(StringRef path, DiagnosticEngine &diags) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  StringRef name = path == "-" ? "<stdin>" : path;
  if (!buffer)
    return diags.error({}, "cannot read '" + name + "': " + buffer.getError().message());
  return readPlan((*buffer)->getBuffer(), name, diags);
}
