//===- Advise.cpp - Trying and ranking changes ----------------------------===//
//
// Options are tried in parallel, compilations one after the other, because a plan may take much
// memory. Of the values of a choice, the first that is within 1 % of the best is advised:
// candidates are in the order of the size of the change.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Advise/Advise.h"

#include "AdviceCandidates.h"
#include "AdvicePrograms.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
/// Whether \p time is at most \p percent % of \p whole.
bool isWithin(SimTime time, uint32_t percent, SimTime whole) {
  return Wide(time.picoseconds()) * 100 <= Wide(whole.picoseconds()) * percent;
}

class Advisor {
public:
  explicit Advisor(const AdviceRequest &request)
      : request(request), now(request.report.sizes.back()) {}

  AdviceResult run() {
    result.requested = true;
    stage("advice");
    uint32_t dispatch = dispatchPercent(request);
    tryOptions(dispatch);
    tryPrograms(dispatch);
    rank();
    if (dispatch >= boundByDispatch)
      result.notes.push_back(formatv(
          "dispatch-bound: the dispatch of {0} steps is {1} % of the time, which only a plan "
          "with fewer steps reduces: fused, or with fewer chunks, channels or instances",
          now.steps, dispatch));
    noteLimit();
    return std::move(result);
  }

private:
  struct Tried {
    Advice advice;
    uint32_t weight; ///< of its gain, in percent
  };

  void stage(const std::string &name) const {
    if (request.onStage)
      request.onStage(name);
  }

  void tryOptions(uint32_t dispatch) {
    std::vector<OptionCandidate> candidates = optionCandidates(request, dispatch);
    std::vector<std::optional<RunFigures>> runs(candidates.size());
    parallelFor(request.jobs, candidates.size(), [&](size_t i) {
      runs[i] = tryRun(request, request.placed.plan, request.slotsNeeded, candidates[i].options);
    });
    for (size_t i = 0; i < candidates.size(); ++i)
      if (runs[i])
        tried[candidates[i].subject].push_back(
            {{candidates[i].cause, candidates[i].action, Advice::Tool::Simulator,
              candidates[i].options.text(), runs[i]->time},
             candidates[i].weight});
  }

  void tryPrograms(uint32_t dispatch) {
    DiagnosticEngine refused;
    FailureOr<Sizing> sizing =
        Sizing::create(request.placed, now.bytes, request.report.type, refused);
    if (failed(sizing))
      return;
    RunFigures before = figuresOf(request.placed, *sizing, now);
    std::vector<ProgramCandidate> candidates = programCandidates(request, dispatch, result.notes);
    SimTime optimised = now.time;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const ProgramCandidate &candidate = candidates[i];
      stage(formatv("advice: plan {0} of {1}", i + 1, candidates.size()));
      std::optional<RunFigures> then = tryProgram(candidate);
      if (!then)
        continue;
      // All compilations have the default optimisation. Its effect is not that of another change.
      if (candidate.subject == "optimisation") // the first one
        optimised = std::min(optimised, then->time);
      else if (!isWithin(then->time, 99, optimised))
        continue;
      if (std::string cause = candidate.cause(before, *then); !cause.empty())
        tried[candidate.subject].push_back(
            {{std::move(cause), candidate.action, Advice::Tool::Compiler, candidate.command(),
              then->time},
             candidate.weight});
    }
  }

  /// Runs the plan of \p candidate, if it is for the same ranks.
  std::optional<RunFigures> tryProgram(const ProgramCandidate &candidate) const {
    DiagnosticEngine refused;
    FailureOr<Compiled> compiled = compile(*candidate.program, candidate.request, refused);
    if (failed(compiled) || !compiled->report ||
        compiled->plan.ranks() != request.placed.plan.ranks())
      return std::nullopt;
    return tryRun(request, compiled->plan, compiled->report->slotsNeeded, {});
  }

  void rank() {
    std::vector<Tried> found;
    for (auto &[subject, choices] : tried) {
      SimTime best = std::min_element(choices.begin(), choices.end(), [](auto &a, auto &b) {
                       return a.advice.time < b.advice.time;
                     })->advice.time;
      auto chosen = llvm::find_if(
          choices, [&](const Tried &a) { return isWithin(a.advice.time, 101, best); });
      if (isWithin(chosen->advice.time, 99, now.time))
        found.push_back(std::move(*chosen));
    }
    std::vector<std::pair<Wide, size_t>> order;
    for (size_t i = 0; i < found.size(); ++i)
      order.emplace_back(Wide((now.time - found[i].advice.time).picoseconds()) * found[i].weight,
                         i);
    // The order of the subjects decides among equal gains.
    llvm::sort(order, [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto &[gain, i] : order)
      result.rows.push_back(std::move(found[i].advice));
  }

  void noteLimit() {
    if (!now.bound || !isWithin(now.time, 105, now.bound->time()))
      return;
    result.notes.push_back(
        formatv("at the limit: no algorithm is faster by more than 5 %, because of {0}",
                now.bound->witness));
  }

  const AdviceRequest &request;
  const SizeResult &now;
  llvm::MapVector<std::string, std::vector<Tried>, std::map<std::string, unsigned>> tried;
  AdviceResult result;
};
} // namespace

AdviceResult cclc::advise(const AdviceRequest &request) { return Advisor(request).run(); }
