//===- Plan.cpp - Plans of the interface ----------------------------------===//
//
// A plan is written as JSON first and converted, so that the rules of its destination apply as in
// `cclc convert`. The canonical forms, which can express every plan, are written directly.
//
//===----------------------------------------------------------------------===//

#include "cclc/Api/Plan.h"

#include "Access.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Diff/Differences.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Support/Spelling.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

static Result<Plan> resultOf(FailureOr<ExecPlan> plan, const DiagnosticEngine &diags) {
  if (failed(plan))
    return Failed{diags};
  return {PlanAccess::make(std::move(*plan)), messagesOf(diags)};
}

Result<Plan> Plan::load(const std::string &path) {
  DiagnosticEngine diags;
  return resultOf(readPlanFile(path, diags), diags);
}

Result<Plan> Plan::read(std::string_view text, const std::string &name) {
  DiagnosticEngine diags;
  return resultOf(readPlan(text, name, diags), diags);
}

std::string Plan::name() const { return content->info().name; }
std::string Plan::collective() const {
  return std::string(collectiveName(content->info().collective.kind()));
}
std::string Plan::protocol() const { return protocolName(content->info().protocol).str(); }
std::string Plan::target() const { return content->info().target.name; }
uint32_t Plan::ranks() const { return content->ranks(); }
uint32_t Plan::channels() const { return content->channels(); }
uint64_t Plan::steps() const { return content->steps().size(); }

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
    return textOfPlan(*content, *format);
  ConvertRequest request;
  request.format = format;
  if (format->hasDialects)
    request.dialect = findMscclDialect(dialect);
  if (format->hasDialects && !request.dialect) {
    diags.error({}, "unknown dialect '" + dialect + "' of MSCCL XML");
    return Failed{diags};
  }
  ConvertOutcome outcome =
      convertPlan(textOfPlan(*content, *findPlanFormat("json")), name(), request, diags);
  if (outcome.code != ExitCode::Success)
    return Failed{diags, failureOf(outcome.code)};
  return {std::move(outcome.bytes), messagesOf(diags)};
}

Proof Plan::verify(std::optional<uint32_t> slots) const {
  DiagnosticEngine diags;
  Slots used = content->slots().value_or(defaultSlots);
  if (slots)
    used = *slots ? Slots(*slots) : Slots::unlimited();
  PlanProof proof = verifyPlan(*content, used, diags);
  if (!proof.note.empty())
    diags.note({}, proof.note);
  return {verdictName(proof.verdict).str(), proof.slotsNeeded, proof.reductionHash,
          messagesOf(diags)};
}

Comparison api::diff(const Plan &before, const Plan &after) {
  cclc::diff::PlanDiff found =
      cclc::diff::comparePlans(PlanAccess::of(before), PlanAccess::of(after));
  Comparison result{found.comparable, found.equivalent(), cclc::diff::verdict(found, false), {}};
  cclc::diff::forEachDifference(found, false, [&](const cclc::diff::Difference &each) {
    std::optional<uint32_t> rank;
    if (each.rank)
      rank = each.rank->index();
    result.differences.push_back(
        {cclc::diff::aspectName(each.aspect).str(), rank,
         each.field.empty() ? each.subject : each.subject + ": " + each.field, each.before,
         each.after});
  });
  return result;
}
