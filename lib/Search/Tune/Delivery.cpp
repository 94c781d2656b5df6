//===- Delivery.cpp - Plans in the forms of their runtimes ----------------===//
//
// Each plan is compiled again with its range of sizes, and proved, as by cclc. A failure at this
// point is a defect, because the same plan was simulated, unless a runtime does not accept it. The
// text that the runtime loads is read and timed with every size of the range, so that it delivers
// what the search promises.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Search/Tune/NativeCandidates.h"
#include "cclc/Search/Tune/ResultCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {
/// The value of --emit for the form of a runtime that executes plans.
StringRef formatOf(RuntimeForm form) {
  switch (form) {
  case RuntimeForm::Xml:
    return "xml";
  case RuntimeForm::Mscclpp:
    return "mscclpp";
  case RuntimeForm::Module:
    return "ahbm-module";
  default:
    return "json";
  }
}

/// The bytes of \p plan as its runtime loads it.
FailureOr<std::string> textOf(const TuneProblem &problem, const Candidate &candidate,
                              const std::string &name, const ExecPlan &plan,
                              DiagnosticEngine &diags) {
  const Runtime &runtime = *problem.runtime;
  const PlanFormat *format = findPlanFormat(formatOf(runtime.form));
  if (runtime.form == RuntimeForm::Steps) {
    std::string text;
    llvm::raw_string_ostream os(text);
    format->exec.write(plan, {}, os);
    return text;
  }
  ConvertRequest convert;
  convert.format = format;
  convert.dialect = findMscclDialect(runtime.name);
  convert.gathersWaits = false;
  convert.sharing = candidate.variant.sharing;
  convert.targetDir = problem.target.targetDir;
  // The executor of MSCCL++ keeps the state of a plan by its name, and modules are found by it.
  if (!format->hasDialects)
    convert.name = name;
  return convertPlan(plan, convert, diags);
}
} // namespace

FailureOr<TimesOfPlan> cclc::timeDelivered(const TuneProblem &problem, ArrayRef<uint64_t> sizes,
                                           StringRef name, const DeliveredPlan &delivered,
                                           DiagnosticEngine &diags) {
  const Runtime &runtime = *problem.runtime;
  if (runtime.form == RuntimeForm::Module) // which no tool reads
    return timePlan(problem, delivered.plan, sizes);
  if (runtime.form == RuntimeForm::Mscclpp) {
    FailureOr<mscclpp::Plan> read = mscclpp::readJson(delivered.text, name, diags);
    return failed(read) ? FailureOr<TimesOfPlan>(failure())
                        : timePlan(problem, std::move(*read), sizes);
  }
  FailureOr<ExecPlan> read = readPlan(delivered.text, name, diags);
  if (failed(read))
    return failure();
  if (!runtime.placesRanks())
    read->setEndpoints(problem.endpoints);
  return timePlan(problem, std::move(*read), sizes);
}

FailureOr<DeliveredPlan> cclc::deliverPlan(const TuneProblem &problem, const TuneResult &result,
                                           const PlanRange &range, const std::string &name,
                                           DiagnosticEngine &diags) {
  FailureOr<ExecPlan> plan = compileChosen(problem, result, range, diags);
  if (failed(plan))
    return failure();
  FailureOr<std::string> text =
      textOf(problem, result.tried[range.plan].candidate, name, *plan, diags);
  if (failed(text))
    return failure();
  DeliveredPlan delivered{std::move(*plan), std::move(*text)};
  const std::string file = fileOf(*problem.runtime, name);
  FailureOr<TimesOfPlan> times =
      timeDelivered(problem, sizesOf(problem, range), file, delivered, diags);
  if (failed(times) || failed(checkTimes(problem, result, range, *times, file, diags)))
    return diags.fail(Failure::Defect);
  return delivered;
}

/// A file sets the bytes of segments, and a candidate their number: the sizes between the measured
/// ones have the segments of the one below.
std::vector<SelectionRow> cclc::selectionsOf(const TuneProblem &problem, const TuneResult &result,
                                             const PlanRange &range) {
  const Tried &plan = result.tried[range.plan];
  std::vector<SelectionRow> selections;
  const std::vector<NativeChoice> choices =
      nativeChoices(problem, *parseSelectingRuntime(problem.runtime->name));
  const NativeAlgorithm &algorithm =
      *llvm::find_if(choices, [&](const NativeChoice &choice) {
         return choice.algorithm->program == plan.candidate.program->name();
       })->algorithm;
  const uint64_t parts = segmentsOf(algorithm, plan.candidate);
  const size_t last = parts > 1 ? range.lastSize : range.firstSize;
  for (size_t s = range.firstSize; s <= last; ++s) {
    SelectionRow &selection = selections.emplace_back(SelectionRow{
        problem.collective, problem.ranks(), problem.ranksPerNode(),
        s == range.firstSize ? range.minBytes : problem.sizes[s],
        s == last ? range.maxBytes : problem.sizes[s + 1] - 1, plan.candidate.program->name(),
        plan.candidate.variant.protocol, uint32_t(channelsOf(algorithm, plan.candidate))});
    if (parts > 1)
      selection.segmentBytes = std::max<uint64_t>(problem.sizes[s] / parts, 1);
    selection.parameters = plan.candidate.parameters;
    selection.hasReducingSwitches = siteOf(problem).hasReducingSwitches;
  }
  return selections;
}
