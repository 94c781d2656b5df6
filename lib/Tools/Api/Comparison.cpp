//===- Comparison.cpp - Two plans compared --------------------------------===//
//
// The report refers to the plans, their differences and the gates, and owns all of them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Comparison.h"

#include "Access.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Diff/Differences.h"
#include "cclc/Diff/MscclppDiff.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct DiffContent : ReportAccess::Content {
  std::shared_ptr<const PlanAccess::Content> before, after;
  std::vector<cclc::diff::RegressionGate> gates;
  std::optional<cclc::diff::PlanDiff> found;
  std::optional<cclc::diff::DiffResult> result; ///< of these
  std::optional<ExecPlan> lifted;               ///< of a plan of MSCCL++ beside one of steps

  DiffContent(const Plan &oldPlan, const Plan &newPlan)
      : before(PlanAccess::content(oldPlan)), after(PlanAccess::content(newPlan)) {}

  /// Of two plans of MSCCL++.
  bool ofOperations() const { return before->mscclpp() && after->mscclpp(); }
  /// Lifts the plan of MSCCL++ if there is one of steps as well.
  LogicalResult lift(DiagnosticEngine &diags) {
    const PlanAccess::Content *other = before->mscclpp()  ? before.get()
                                       : after->mscclpp() ? after.get()
                                                          : nullptr;
    if (!other || ofOperations())
      return success();
    FailureOr<ExecPlan> steps = liftProved(*other->mscclpp(), diags);
    if (failed(steps))
      return failure();
    lifted.emplace(std::move(*steps));
    return success();
  }
  const ExecPlan &stepsOf(const PlanAccess::Content &plan) const {
    return plan.mscclpp() && lifted ? *lifted : plan.steps();
  }

  void compare(const DiffOptions &options, std::vector<DataType> types, DiagnosticEngine &diags) {
    if (ofOperations())
      found = cclc::diff::compareMscclpp(*before->mscclpp(), *after->mscclpp(), diags);
    else
      found = cclc::diff::comparePlans(
          stepsOf(*before), stepsOf(*after),
          {slotsOf(options.slots), lifted || !before->isComplete || !after->isComplete});
    result.emplace(cclc::diff::DiffResult{
        before->name(), after->name(), *found, options.strict, {}, std::move(types), {}, {}});
    if (lifted)
      result->converted = (before->mscclpp() ? before : after)->name();
  }

  void text(raw_ostream &os) const override { writeText(*result, os); }
  void json(raw_ostream &os) const override { writeJson(*result, os); }
};

Comparison comparisonOf(std::shared_ptr<const DiffContent> content, bool gatesOnly) {
  const cclc::diff::DiffResult &result = *content->result;
  Comparison comparison;
  comparison.comparable = result.diff.comparable;
  comparison.equivalent = !result.differs();
  comparison.verdict = cclc::diff::verdict(result.diff, result.strict);
  comparison.passes = !result.fails(gatesOnly);
  cclc::diff::forEachDifference(
      result.diff, result.strict, [&](const cclc::diff::Difference &each) {
        std::optional<uint32_t> rank;
        if (each.rank)
          rank = each.rank->index();
        comparison.differences.push_back(
            {cclc::diff::aspectName(each.aspect).str(), rank,
             each.field.empty() ? each.subject : each.subject + ": " + each.field, each.before,
             each.after});
      });
  for (const cclc::diff::TimeDiff &time : result.times)
    comparison.times.push_back({time.target, dataTypeName(time.type).str(), time.bytes.count(),
                                time.before.picoseconds(), time.after.picoseconds()});
  for (const cclc::diff::GateResult &gate : result.gates)
    comparison.gates.push_back({gate.gate->text, gate.tripped, gate.text()});
  llvm::raw_string_ostream os(comparison.summary);
  writeMarkdown(result, os);
  comparison.report = ReportAccess::make(std::move(content));
  return comparison;
}
} // namespace

Comparison api::diff(const Plan &before, const Plan &after) {
  auto content = std::make_shared<DiffContent>(before, after);
  DiagnosticEngine diags;
  if (failed(content->lift(diags))) {
    Comparison none;
    none.comparable = none.equivalent = none.passes = false;
    none.verdict = diags.all().front().text;
    return none;
  }
  content->compare({}, {DataType::F32}, diags);
  return comparisonOf(std::move(content), /*gatesOnly=*/false);
}

/// The times of both plans on all targets.
static LogicalResult addTimes(const DiffOptions &options, const std::string &folder,
                              DiffContent &content, DiagnosticEngine &diags) {
  cclc::diff::TimesRequest request{{},
                                   slotsOf(options.slots),
                                   options.network,
                                   options.bytes,
                                   stagesOf(options.onProgress, options.cancellation)};
  for (const Target &target : options.targets) {
    FailureOr<TargetRequest> machine = requestOf(target, folder, diags);
    if (failed(machine))
      return failure();
    request.targets.push_back(std::move(*machine));
  }
  if (content.ofOperations())
    return addTimes(request, *content.before->mscclpp(), *content.after->mscclpp(), *content.result,
                    diags);
  return addTimes(request, *content.result, diags);
}

/// Checks that the options apply to two plans of MSCCL++.
static LogicalResult checkOfOperations(const DiffOptions &options,
                                       ArrayRef<cclc::diff::RegressionGate> gates,
                                       DiagnosticEngine &diags) {
  if (options.slots)
    return diags.error({}, "a number of slots does not apply to plans of MSCCL++");
  for (const cclc::diff::RegressionGate &gate : gates)
    if (gate.figure == cclc::diff::Figure::Slots)
      return diags.error({}, "gate " + gate.text + ": plans of MSCCL++ have no slots");
  return success();
}

static Result<Comparison> compareOnTargets(const Plan &before, const Plan &after,
                                           const DiffOptions &options, const std::string &folder) {
  DiagnosticEngine diags;
  auto content = std::make_shared<DiffContent>(before, after);
  std::vector<DataType> types;
  for (const std::string &name : options.types) {
    FailureOr<DataType> type = typeOf(name, diags);
    if (failed(type))
      return Failed{diags};
    types.push_back(*type);
  }
  for (const std::string &text : options.gates) {
    FailureOr<cclc::diff::RegressionGate> gate = cclc::diff::parseGate(text, diags);
    if (failed(gate))
      return Failed{diags};
    if (!gate->figure && options.targets.empty()) {
      diags.error({}, "gate " + text + " requires a target to simulate the plans");
      return Failed{diags};
    }
    content->gates.push_back(std::move(*gate));
  }
  if (failed(content->lift(diags)))
    return Failed{diags};
  if (content->ofOperations() && failed(::checkOfOperations(options, content->gates, diags)))
    return Failed{diags};
  content->compare(options, std::move(types), diags);
  cclc::diff::DiffResult &result = *content->result;
  if (!options.targets.empty() && result.diff.comparable &&
      failed(::addTimes(options, folder, *content, diags)))
    return Failed{diags};
  result.gates =
      applyGates(content->gates, result.diff.figuresBefore, result.diff.figuresAfter, result.times);
  return {comparisonOf(std::move(content), options.gatesOnly), messagesOf(diags)};
}

Result<Comparison> Toolchain::diff(const Plan &before, const Plan &after,
                                   const DiffOptions &options) const {
  return unlessCancelled([&] { return compareOnTargets(before, after, options, folder); });
}
