//===- TunePlans.cpp - The search for the best plans ----------------------===//
//
// The plans of a search are compiled again for their ranges of sizes, and proved, as by ccl-tune.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/DSL/Registry.h"
#include "cclc/IR/CollectiveNames.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Search/Tune/Invariant.h"
#include "cclc/Search/Tune/ResultCheck.h"
#include "cclc/Support/Spelling.h"

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
  if (options.runtime)
    request.runtime = findRuntime(*options.runtime);
  if (options.runtime && !request.runtime)
    return diags.error({}, unknownWord("runtime", *options.runtime, runtimeNames()));
  request.target = std::move(*machine);
  request.ranks = options.ranks;
  request.endpoints = options.endpoints;
  request.network = options.network;
  request.invariant = options.invariant;
  request.type = *type;
  request.sizes = options.bytes;
  request.guardsPrograms = options.guard;
  return request;
}

/// Compiles, proves and times the plan of \p range, which is plan \p number of the portfolio.
static FailureOr<Choice> compileChoice(const TuneProblem &problem, const TuneResult &result,
                                       const PlanRange &range, size_t number,
                                       const std::string &folder, DiagnosticEngine &diags) {
  const Runtime &runtime = *problem.runtime;
  Choice choice = choiceOf(rowOf(problem, result, range, /*plan=*/""));
  if (runtime.form == RuntimeForm::Choices) {
    FailureOr<ExecPlan> plan = compileChosen(problem, result, range, diags);
    if (failed(plan))
      return failure();
    choice.selections =
        std::make_shared<const Selections>(Selections{selectionsOf(problem, result, range)});
    choice.made = PlanAccess::make({std::move(*plan), "", true, folder});
    return choice;
  }
  const std::string name = planNameOf(runtime, problem.collective, number);
  FailureOr<DeliveredPlan> delivered = deliverPlan(problem, result, range, name, diags);
  if (failed(delivered))
    return failure();
  if (runtime.form == RuntimeForm::Steps || runtime.form == RuntimeForm::Module) {
    choice.made = PlanAccess::make({std::move(delivered->plan), "", true, folder});
  } else {
    Result<Plan> read = Plan::read(delivered->text, name + runtime.extension.str());
    if (!read)
      return diags.error({}, read.text()).as(cclc::Failure::Defect);
    choice.made = std::move(*read);
  }
  choice.text = std::move(delivered->text);
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
  dsl::ProgramRegistry programs = registry;
  for (const dsl::Declaration *program : options.declarations)
    programs.add(*program, {program->name(), ""});
  FailureOr<CandidateSpace> space =
      CandidateSpace::create(*problem, programs, options.programs, diags);
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
  portfolio.isPartial = result->end != SearchEnd::Complete;
  for (const PlanRange &range : ranges) {
    FailureOr<Choice> choice =
        compileChoice(*problem, *result, range, portfolio.choices.size() + 1, folder, diags);
    if (failed(choice))
      return Failed{diags};
    portfolio.choices.push_back(std::move(*choice));
  }
  for (const PortfolioGap &gap : gapsOf(*problem, *result, ranges))
    portfolio.gaps.push_back(gapOf(gap));
  return {std::move(portfolio), messagesOf(diags)};
}

Result<api::Portfolio> Toolchain::tune(const Target &target, const TuneOptions &options) const {
  return unlessCancelled([&] { return tunePlans(target, options, folder, *registry); });
}
