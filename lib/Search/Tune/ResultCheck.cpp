//===- ResultCheck.cpp - Checks of what a search has found ----------------===//
//
// The link bound holds for every right plan, so that a time below it is an error of the simulator,
// of the bound or of the proof. Extrapolated times have a tolerance. A plan that is written is
// timed again, because it is compiled for its range of sizes, and the search times it for any.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/ResultCheck.h"

#include "Trial.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using llvm::formatv;

/// The percentage of the link bound that an extrapolated time is at least.
static constexpr int64_t extrapolatedPercent = 99;

/// "chunks=2 channels=4", or "its default parameters".
static std::string parametersOf(const Candidate &candidate) {
  if (candidate.parameters.empty())
    return "its default parameters";
  return llvm::join(
      llvm::map_range(candidate.parameters,
                      [](const auto &each) { return each.first + "=" + each.second; }),
      " ");
}

static void warnOfWrongParameters(const TuneResult &result, DiagnosticEngine &diags) {
  std::set<std::pair<std::string, std::string>> named;
  for (const Tried &tried : result.tried)
    if (const Candidate &candidate = tried.candidate;
        tried.measure.fault == Measure::Fault::Program &&
        named.emplace(candidate.source, parametersOf(candidate)).second)
      diags.warning({candidate.source},
                    formatv("program '{0}' is wrong with {1}, which is left out: {2}",
                            candidate.program->name(), parametersOf(candidate),
                            tried.measure.refusal));
}

LogicalResult cclc::checkResult(const TuneProblem &problem, const TuneResult &result,
                                DiagnosticEngine &diags) {
  warnOfWrongParameters(result, diags);
  for (const Tried &tried : result.tried)
    if (tried.measure.fault == Measure::Fault::Tool)
      return diags
          .error({}, formatv("the plan of '{0}' is wrong: {1}", tried.candidate.command(),
                             tried.measure.refusal))
          .as(Failure::Defect);
  for (uint64_t size : problem.sizes) {
    const std::vector<size_t> order = result.ranking(size);
    if (order.empty())
      continue;
    const Tried &best = result.tried[order.front()];
    const Measure::Run &run = best.measure.runs.at(size);
    const int64_t percent = run.pieces < fewestExtrapolatedPieces ? 100 : extrapolatedPercent;
    const SimTime bound = problem.linkBound(size);
    if (Wide(run.time.picoseconds()) * 100 < Wide(bound.picoseconds()) * percent)
      return diags
          .error(
              {},
              formatv("the plan of '{0}' takes {1} ns with {2} bytes on target {3}, less than the "
                      "link bound of {4} ns",
                      best.candidate.command(), thousandths(run.time.picoseconds()), size,
                      problem.machine.stamp.title(), thousandths(bound.picoseconds())))
          .as(Failure::Defect);
  }
  return success();
}

TimesOfPlan cclc::timePlan(const TuneProblem &problem, ExecPlan plan, ArrayRef<uint64_t> sizes) {
  Trial trial(problem, std::move(plan));
  TimesOfPlan times;
  for (uint64_t size : sizes) {
    trial.simulate(size);
    times.push_back(trial.measure.time(size));
  }
  return times;
}

TimesOfPlan cclc::timePlan(const TuneProblem &problem, mscclpp::Plan plan,
                           ArrayRef<uint64_t> sizes) {
  DiagnosticEngine none;
  FailureOr<EmittedPlan> emitted =
      EmittedPlan::create(std::move(plan), problem.endpoints, problem, none);
  TimesOfPlan times;
  for (uint64_t size : sizes) {
    SimTime time = SimTime::max();
    if (succeeded(emitted))
      time = emitted->run(size, std::nullopt, problem)->time;
    times.push_back(time == SimTime::max() ? std::nullopt : std::optional(time));
  }
  return times;
}

ArrayRef<uint64_t> cclc::sizesOf(const TuneProblem &problem, const PlanRange &range) {
  return ArrayRef(problem.sizes).slice(range.firstSize, range.lastSize - range.firstSize + 1);
}

LogicalResult cclc::checkTimes(const TuneProblem &problem, const TuneResult &result,
                               const PlanRange &range, ArrayRef<std::optional<SimTime>> times,
                               StringRef name, DiagnosticEngine &diags) {
  const Tried &tried = result.tried[range.plan];
  auto text = [](std::optional<SimTime> time) {
    return time ? thousandths(time->picoseconds()) + " ns" : "no time";
  };
  for (auto [size, time] : llvm::zip_equal(sizesOf(problem, range), times))
    if (std::optional<SimTime> found = tried.measure.time(size); time != found)
      return diags
          .error({}, formatv("plan '{0}' takes {1} with {2} bytes on target {3}, but the "
                             "search has found {4} for '{5}'",
                             name, text(time), size, problem.machine.stamp.title(), text(found),
                             tried.candidate.command()))
          .as(Failure::Defect);
  return success();
}
