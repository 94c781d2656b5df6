//===- Plan.cpp - Plans of the interface ----------------------------------===//
//
// A plan is written as JSON first and converted, so that the rules of its destination apply as in
// `cclc convert`. The canonical forms, which can express every plan, are written directly.
//
//===----------------------------------------------------------------------===//

#include "cclc/Api/Plan.h"

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
  FailureOr<ExecPlan> plan = readPlan(text, name, diags);
  if (failed(plan))
    return Failed{diags};
  return {PlanAccess::make(std::move(*plan), name, sniffPlanFormat(text)->isComplete),
          messagesOf(diags)};
}

Result<Plan> Plan::load(const std::string &path) {
  DiagnosticEngine diags;
  auto file = openPlanFile(path, diags);
  if (failed(file))
    return Failed{diags};
  return read(std::string_view((*file)->getBuffer()), planFileName(path).str());
}

static const ProgramInfo &infoOf(const Plan &plan) { return PlanAccess::of(plan).info(); }

std::string Plan::name() const { return infoOf(*this).name; }
std::string Plan::collective() const {
  return std::string(collectiveName(infoOf(*this).collective.kind()));
}
std::string Plan::protocol() const { return protocolName(infoOf(*this).protocol).str(); }
std::string Plan::target() const { return infoOf(*this).target.name; }
std::string Plan::file() const { return content->file; }
uint32_t Plan::ranks() const { return content->plan.ranks(); }
uint32_t Plan::channels() const { return content->plan.channels(); }
uint64_t Plan::steps() const { return content->plan.steps().size(); }

static std::string textOfPlan(const ExecPlan &plan, const PlanFormat &format) {
  std::string text;
  llvm::raw_string_ostream os(text);
  format.exec.write(plan, {}, os);
  return text;
}

Result<std::string> Plan::write(const std::string &form, const std::string &dialect) const {
  DiagnosticEngine diags;
  const PlanFormat *format = findPlanFormat(form);
  if (!format || !format->isWritten()) {
    diags.error({}, "unknown form '" + form + "' of plans" + didYouMean(form, planFormatNames()));
    return Failed{diags};
  }
  if (format->exec.write && format->isComplete)
    return textOfPlan(content->plan, *format);
  ConvertRequest request;
  request.format = format;
  if (format->hasDialects)
    request.dialect = findMscclDialect(dialect);
  if (format->hasDialects && !request.dialect) {
    diags.error({}, "unknown dialect '" + dialect + "' of MSCCL XML");
    return Failed{diags};
  }
  ConvertOutcome outcome =
      convertPlan(textOfPlan(content->plan, *findPlanFormat("json")), name(), request, diags);
  if (outcome.code != ExitCode::Success)
    return Failed{diags, failureOf(outcome.code)};
  return {std::move(outcome.bytes), messagesOf(diags)};
}
