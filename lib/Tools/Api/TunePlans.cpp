//===- TunePlans.cpp - The search for the best plans ----------------------===//
//
// The plans of a search are compiled again for their ranges of sizes, and proved, as by ccl-tune.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/DSL/Registry.h"
#include "cclc/IR/CollectiveNames.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Invariant.h"
#include "cclc/Search/Tune/ResultCheck.h"

using namespace cclc;
using namespace cclc::api;

static FailureOr<TuneRequest> readOptions(const Target &target, const api::TuneOptions &options,
                                          const std::string &folder, DiagnosticEngine &diags) {
  TuneRequest request;
  FailureOr<CollectiveKind> kind = parseCollective(options.collective, diags);
  FailureOr<TargetRequest> machine = requestOf(target, folder, diags);
  FailureOr<DataType> type = typeOf(options.type, diags);
  if (failed(kind) || failed(machine) || failed(type))
    return failure();
  if (options.bytes.empty() || !std::is_sorted(options.bytes.begin(), options.bytes.end()))
    return diags.error({}, "the sizes of a search must be ascending, and at least one");
  request.collective = *kind;
  request.runtime = &simulatorRuntime();
  request.target = std::move(*machine);
  request.ranks = options.ranks;
  request.endpoints = options.endpoints;
  request.network = options.network;
  request.invariant = options.invariant;
  request.type = *type;
  request.sizes = options.bytes;
  return request;
}

/// Compiles, proves and times the plan of \p range.
static FailureOr<Choice> compileChoice(const TuneProblem &problem, const TuneResult &result,
                                       const PlanRange &range, const std::string &folder,
                                       DiagnosticEngine &diags) {
  FailureOr<ExecPlan> plan = compileChosen(problem, result, range, diags);
  if (failed(plan) ||
      failed(checkTimes(problem, result, range, timePlan(problem, *plan, sizesOf(problem, range)),
                        plan->info().name, diags)))
    return failure();
  Choice choice = choiceOf(rowOf(problem, result, range, /*plan=*/""));
  choice.made = PlanAccess::make({std::move(*plan), "", true, folder});
  return choice;
}

static Result<api::Portfolio> tunePlans(const Target &target, const api::TuneOptions &options,
                                        const std::string &folder,
                                        const dsl::ProgramRegistry &registry) {
  DiagnosticEngine diags;
  FailureOr<TuneRequest> request = readOptions(target, options, folder, diags);
  if (failed(request))
    return Failed{diags};
  FailureOr<TuneProblem> problem = TuneProblem::create(*request, diags);
  if (failed(problem))
    return Failed{diags};
  FailureOr<CandidateSpace> space =
      CandidateSpace::create(*problem, registry, options.programs, diags);
  if (failed(space))
    return Failed{diags};
  cclc::TuneOptions search;
  search.jobs = std::max(options.jobs, 1u);
  search.complete = options.maxPlans.has_value();
  search.budget = options.budget;
  search.onStage = stagesOf(options.onProgress, options.cancellation);
  FailureOr<TuneResult> result = options.invariant
                                     ? tuneInvariant(*space, MeasureStore(), search, diags)
                                     : cclc::tune(*space, MeasureStore(), search, diags);
  if (failed(result))
    return Failed{diags};
  if (failed(checkResult(*problem, *result, diags)))
    return Failed{diags};
  std::vector<PlanRange> ranges = choosePlans(*problem, *result, options.maxPlans);
  if (ranges.empty()) {
    reportUncovered(*problem, *result, options.maxPlans, diags);
    return Failed{diags};
  }
  Portfolio portfolio{target.name, target.settings, problem->network, options.type, {}};
  for (const PlanRange &range : ranges) {
    FailureOr<Choice> choice = compileChoice(*problem, *result, range, folder, diags);
    if (failed(choice))
      return Failed{diags};
    portfolio.choices.push_back(std::move(*choice));
  }
  return {std::move(portfolio), messagesOf(diags)};
}

Result<api::Portfolio> Toolchain::tune(const Target &target, const TuneOptions &options) const {
  return unlessCancelled([&] { return tunePlans(target, options, folder, *registry); });
}
