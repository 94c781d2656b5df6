//===- TunePlans.cpp - The search for the best plans ----------------------===//
//
// The plans of a search are compiled again for their ranges of sizes, and proved, as by ccl-tune.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/DSL/Registry.h"
#include "cclc/Tune/Portfolio.h"
#include "cclc/Tune/Tuner.h"

using namespace cclc;
using namespace cclc::api;

static FailureOr<TuneRequest> readOptions(const Target &target, const api::TuneOptions &options,
                                          const std::string &folder, DiagnosticEngine &diags) {
  TuneRequest request;
  FailureOr<CollectiveKind> kind = collectiveOf(options.collective, diags);
  FailureOr<TargetRequest> machine = requestOf(target, folder, diags);
  FailureOr<DataType> type = typeOf(options.type, diags);
  if (failed(kind) || failed(machine) || failed(type))
    return failure();
  if (options.bytes.empty() || !std::is_sorted(options.bytes.begin(), options.bytes.end()))
    return diags.error({}, "the sizes of a search must be ascending, and at least one");
  request.collective = *kind;
  request.target = std::move(*machine);
  request.ranks = options.ranks;
  request.type = *type;
  request.sizes = options.bytes;
  return request;
}

/// Compiles and proves the plan of \p range.
static FailureOr<Choice> choiceOf(const TuneProblem &problem, const TuneResult &result,
                                  const PlanRange &range, DiagnosticEngine &diags, Failure &why) {
  const Tried &tried = result.tried[range.plan];
  CompileRequest request = tried.candidate.request(problem);
  request.minBytes = range.minBytes;
  request.maxBytes = range.maxBytes;
  CompileOutcome outcome = cclc::compile(*tried.candidate.program, request, diags);
  if (!outcome.compiled) {
    why = Failure::Internal; // the same plan was simulated
    return failure();
  }
  Choice choice{std::string(collectiveName(problem.collective)),
                problem.ranks(),
                range.minBytes,
                range.maxBytes,
                "",
                tried.candidate.command(),
                {},
                PlanAccess::make(std::move(outcome.compiled->plan))};
  for (size_t s = range.firstSize; s <= range.lastSize; ++s) {
    SimTime time = *tried.measure.time(problem.sizes[s]);
    SimTime least = problem.linkBound(problem.sizes[s]);
    std::optional<double> share;
    if (least > SimTime())
      share = double(least.picoseconds()) / double(time.picoseconds());
    choice.points.push_back({problem.sizes[s], time.picoseconds(), share});
  }
  return choice;
}

Result<api::Portfolio> Toolchain::tune(const Target &target, const TuneOptions &options) const {
  DiagnosticEngine diags;
  FailureOr<TuneRequest> request = readOptions(target, options, folder, diags);
  if (failed(request))
    return Failed{diags};
  FailureOr<TuneProblem> problem = TuneProblem::create(*request, diags);
  if (failed(problem))
    return Failed{diags};
  FailureOr<CandidateSpace> space =
      CandidateSpace::create(*problem, *registry, options.programs, diags);
  if (failed(space))
    return Failed{diags};
  cclc::TuneOptions search;
  search.jobs = std::max(options.jobs, 1u);
  search.complete = options.maxPlans.has_value();
  FailureOr<TuneResult> result = cclc::tune(*space, MeasureStore(), search, diags);
  if (failed(result))
    return Failed{diags};
  std::vector<PlanRange> ranges = choosePlans(*problem, *result, options.maxPlans);
  if (ranges.empty()) {
    diags.error({}, "no plans cover all sizes");
    return Failed{diags, Failure::Wrong};
  }
  Portfolio portfolio{target.name, target.settings, problem->network, options.type, {}};
  Failure why = Failure::Wrong;
  for (const PlanRange &range : ranges) {
    FailureOr<Choice> choice = choiceOf(*problem, *result, range, diags, why);
    if (failed(choice))
      return Failed{diags, why};
    portfolio.choices.push_back(std::move(*choice));
  }
  return {std::move(portfolio), messagesOf(diags)};
}
