//===- Plan.cpp - Plans of the interface ----------------------------------===//
//
// A plan is converted, so that the rules of its destination apply as in `cclc convert`.
// Plan::write writes a form that loses nothing without a proof.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Plan.h"

#include "Access.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/Spelling.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

Result<Plan> Plan::read(std::string_view text, const std::string &name) {
  DiagnosticEngine diags;
  FailureOr<ExecutablePlan> plan = readExecutablePlan(text, name, diags);
  if (failed(plan))
    return Failed{diags};
  return {PlanAccess::make({std::move(*plan), name, sniffPlanFormat(text)->isComplete}),
          messagesOf(diags)};
}

Result<Plan> Plan::load(const std::string &path) {
  DiagnosticEngine diags;
  auto file = openPlanFile(path, diags);
  if (failed(file))
    return Failed{diags};
  return read(std::string_view((*file)->getBuffer()), planFileName(path).str());
}

std::string Plan::name() const { return content->info().name; }
std::string Plan::collective() const {
  return std::string(collectiveName(content->info().collective.kind()));
}
std::string Plan::protocol() const { return protocolName(content->info().protocol).str(); }
std::string Plan::target() const { return content->info().target.name; }
std::string Plan::file() const { return content->file; }
uint32_t Plan::ranks() const { return content->info().ranks(); }
uint32_t Plan::channels() const { return content->shown().channels(); }
uint64_t Plan::steps() const { return content->shown().numSteps(); }
bool Plan::hasSteps() const { return !content->mscclpp(); }

static Result<std::string> convert(const PlanAccess::Content &plan, const ConvertOptions &options,
                                   const std::string &folder) {
  DiagnosticEngine diags;
  const PlanFormat *format = findPlanFormat(options.form);
  if (!format || !format->isWritten()) {
    diags.error({}, "unknown form '" + options.form + "' of plans" +
                        didYouMean(options.form, planFormatNames()));
    return Failed{diags};
  }
  ConvertRequest request;
  request.format = format;
  if (format->hasDialects)
    request.dialect = findMscclDialect(options.dialect);
  if (format->hasDialects && !request.dialect)
    diags.error({}, "unknown dialect '" + options.dialect + "' of MSCCL XML");
  else if (options.worldSize && !format->ahbm.write)
    diags.error({}, "a world size applies to the form ahbm-module");
  else if (options.threadblockGroup != 1 && !format->mscclpp.write)
    diags.error({}, "a group of threadblocks applies to the form mscclpp");
  if (diags.hasErrors())
    return Failed{diags};
  request.worldSize = options.worldSize;
  request.sharing = options.threadblockGroup;
  request.prove = options.verify;
  request.targetDir = folder;
  request.onStage = stagesOf(options.onProgress, options.cancellation);
  FailureOr<std::string> bytes =
      convertPlan(plan.mscclpp() ? ConvertiblePlan(*plan.mscclpp()) : plan.steps(), request, diags);
  if (failed(bytes))
    return Failed{diags};
  return {std::move(*bytes), messagesOf(diags)};
}

Result<std::string> Plan::write(const std::string &form, const std::string &dialect) const {
  const PlanFormat *format = findPlanFormat(form);
  const mscclpp::Plan *other = content->mscclpp();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (format && other && format->mscclpp.write)
    format->mscclpp.write(*other, {}, os);
  else if (format && !other && format->exec.write && format->isComplete)
    format->exec.write(content->steps(), {}, os);
  else
    return convert(*content, {.form = form, .dialect = dialect}, content->folder);
  return text;
}

Result<std::string> Toolchain::convert(const Plan &plan, const ConvertOptions &options) const {
  return unlessCancelled([&] { return ::convert(*PlanAccess::content(plan), options, folder); });
}
