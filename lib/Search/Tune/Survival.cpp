//===- Survival.cpp - The search for plans without one part ---------------===//
//
// Most failures cost little: the plans of the portfolio take the routes around them. A class is
// searched for the sizes that take longer than with all parts, among the programs that are near the
// best on the whole machine; the classes that lose most come first. All that this simulates is
// limited by the messages of the search before it, so that a machine without symmetry, whose every
// link is a class, does not take as many searches. Every time is that of the text of a plan, read
// back.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Survival.h"

#include "PlanCover.h"
#include "cclc/Bound/FailureClasses.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/ResultCheck.h"
#include "cclc/Search/Tune/Vary.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// A size that takes up to this many thousandths of the least time is not searched for more.
constexpr int64_t enoughPermille = 1010;
/// Programs up to this percentage of the best time of a size are searched again.
constexpr int64_t promisingPercent = 130;
/// In percent of the messages of the search before: those that the classes share, the least that a
/// class has, those after which no class is searched, and those after which no plan is timed for
/// another class. The batch that reaches a limit ends.
constexpr uint64_t sharedPercent = 120, leastPercent = 5, searchPercent = 140, allPercent = 160;

bool isEnough(std::optional<SimTime> time, SimTime least) {
  return time && Wide(time->picoseconds()) * 1000 <= Wide(least.picoseconds()) * enoughPermille;
}

/// A time that no plan for the failure undercuts by much.
SimTime leastOf(const Survival::Point &point) {
  return std::max({point.before.value_or(SimTime()), point.bound.time(), SimTime(1)});
}

/// Calls \p use with the failures of \p part in \p problem.
template <class Use> auto withFailures(const TuneProblem &problem, PartKind part, Use use) {
  const std::vector<EndpointId> endpoints(problem.endpoints.begin(), problem.endpoints.end());
  const Collective collective(problem.collective, problem.ranks(), 1);
  return use(
      FailureRequest{problem.machine, endpoints, problem.target, collective, part, "--survive"});
}

/// A class with its machine.
struct SearchedClass {
  Survival survival;
  std::optional<TuneProblem> problem = {}; ///< unset if no plan is possible
  /// By plan; unset outside of its sizes, and if it was not timed.
  std::vector<TimesOfPlan> times = {};
  double loss = 0; ///< the largest part that a slow size takes longer
};

class SurvivalSearch {
public:
  SurvivalSearch(const SurvivalRequest &request, DiagnosticEngine &diags)
      : in(request), sizes(request.problem.sizes),
        best(bestOfSizes(request.problem, request.result)), diags(diags) {}

  FailureOr<SurvivalResult> run();

private:
  LogicalResult deliver(const TuneProblem &problem, const TuneResult &result,
                        const PlanRange &range, StringRef folder);
  LogicalResult deliverPortfolio();
  LogicalResult addClasses(PartKind part);
  LogicalResult add(PartKind part, FailureClass found);
  LogicalResult time(SearchedClass &each, size_t plan);
  LogicalResult timePortfolio(SearchedClass &each);
  std::vector<uint64_t> slowSizes(const SearchedClass &each) const;
  std::vector<std::string> promisingPrograms(ArrayRef<uint64_t> slow) const;
  LogicalResult search(SearchedClass &each, uint64_t budget);
  PlanRange widened(PlanRange range, const TuneProblem &problem) const;
  LogicalResult searchAll(ArrayRef<SearchedClass *> open);
  LogicalResult timeOthers(ArrayRef<SearchedClass *> open);
  std::vector<size_t> keep() const;
  void finish(SearchedClass &each, ArrayRef<size_t> kept);
  void dropOthers(ArrayRef<size_t> kept);

  const SurvivalRequest &in;
  ArrayRef<uint64_t> sizes;
  const std::vector<BestOfSize> best; ///< with all parts
  DiagnosticEngine &diags;
  std::vector<SearchedClass> classes;
  std::vector<const TuneProblem *> origins; ///< by plan: what it was compiled for
  std::vector<uint64_t> messages;           ///< by plan: of all its sizes
  SurvivalResult out;
  /// In messages of a search, which compiles as well: a message of a plan that is timed is a half.
  uint64_t work = 0;
};

/// Makes the plan of \p range, and adds it to the others.
LogicalResult SurvivalSearch::deliver(const TuneProblem &problem, const TuneResult &result,
                                      const PlanRange &range, StringRef folder) {
  const Runtime &runtime = *problem.runtime;
  const std::string name = planNameOf(runtime, problem.collective, out.plans.size() + 1);
  FailureOr<DeliveredPlan> delivered = deliverPlan(problem, result, range, name, diags);
  if (failed(delivered))
    return failure();
  PortfolioFileRow row = rowOf(problem, result, range, fileOf(runtime, name, folder));
  row.points.clear();
  out.plans.push_back(
      {result.tried[range.plan].candidate.title(), std::move(row), std::move(*delivered)});
  origins.push_back(&problem);
  messages.push_back(0);
  for (uint64_t size : sizesOf(problem, range))
    messages.back() += result.tried[range.plan].measure.runs.at(size).messages;
  return success();
}

LogicalResult SurvivalSearch::deliverPortfolio() {
  for (const PlanRange &range : in.ranges)
    if (failed(deliver(in.problem, in.result, range, runtimeFolder)))
      return failure();
  out.portfolioPlans = out.plans.size();
  return success();
}

LogicalResult SurvivalSearch::addClasses(PartKind part) {
  FailureOr<std::vector<FailureClass>> found =
      withFailures(in.problem, part, [&](FailureRequest request) {
        request.onStage = in.options.onStage;
        return failureClasses(request, diags);
      });
  if (failed(found))
    return failure();
  for (FailureClass &each : *found)
    if (failed(add(part, std::move(each))))
      return failure();
  return success();
}

LogicalResult SurvivalSearch::add(PartKind part, FailureClass found) {
  SearchedClass &each = classes.emplace_back();
  each.survival.part = part;
  each.survival.parts = std::move(found.parts);
  for (const BestOfSize &size : best) {
    Survival::Point &point = each.survival.points.emplace_back();
    point.bytes = size.bytes;
    point.before = size.time;
  }
  if (!found.remains) {
    each.survival.lost = "this rank is the root";
    return success();
  }
  if (found.remains->endpoints.size() < 2) {
    each.survival.lost = "a single rank remains";
    return success();
  }
  TuneRequest request = in.request;
  request.target = found.remains->target;
  if (part == PartKind::Rank) {
    request.ranks = std::nullopt;
    request.mapper = std::nullopt;
    request.endpoints.clear();
    for (EndpointId endpoint : found.remains->endpoints)
      request.endpoints.push_back(endpoint.index());
  }
  // What is warned of is known from the whole machine.
  DiagnosticEngine own;
  FailureOr<TuneProblem> problem = TuneProblem::create(request, own);
  if (failed(problem)) {
    diags.append(std::move(own));
    return failure();
  }
  each.survival.lost = problem->bounds->noPathText();
  if (!each.survival.lost.empty())
    return success();
  for (Survival::Point &point : each.survival.points)
    point.bound = problem->boundOf(point.bytes);
  each.problem.emplace(std::move(*problem));
  return success();
}

/// Times a plan for a class, by size; unset where it is not made for the size or the ranks.
LogicalResult SurvivalSearch::time(SearchedClass &each, size_t plan) {
  each.times.resize(std::max(each.times.size(), plan + 1), TimesOfPlan(sizes.size()));
  const TuneProblem &problem = *each.problem, &origin = *origins[plan];
  if (origin.ranks() != problem.ranks() ||
      (problem.runtime->placesRanks() && origin.endpoints != problem.endpoints))
    return success();
  const PortfolioFileRow &row = out.plans[plan].row;
  const size_t first = llvm::lower_bound(sizes, row.minBytes) - sizes.begin(),
               end = llvm::upper_bound(sizes, *row.maxBytes) - sizes.begin();
  FailureOr<TimesOfPlan> found = timeDelivered(problem, sizes.slice(first, end - first), row.plan,
                                               out.plans[plan].delivered, diags);
  if (failed(found))
    return failure();
  out.messages += messages[plan];
  work += messages[plan] / 2;
  std::move(found->begin(), found->end(), each.times[plan].begin() + first);
  return success();
}

/// Times the plans of the portfolio, and finds what a search may gain.
LogicalResult SurvivalSearch::timePortfolio(SearchedClass &each) {
  for (size_t p = 0; p < out.portfolioPlans; ++p)
    if (failed(time(each, p)))
      return failure();
  for (size_t s = 0; s < sizes.size(); ++s) {
    Survival::Point &point = each.survival.points[s];
    for (const TimesOfPlan &times : each.times)
      if (times[s])
        point.unchanged = std::min(point.unchanged.value_or(*times[s]), *times[s]);
    const SimTime least = leastOf(point);
    if (!isEnough(point.unchanged, least))
      each.loss = std::max(each.loss, point.unchanged ? double(point.unchanged->picoseconds()) /
                                                            double(least.picoseconds())
                                                      : std::numeric_limits<double>::max());
  }
  return success();
}

/// The sizes for which a search may find a faster plan.
std::vector<uint64_t> SurvivalSearch::slowSizes(const SearchedClass &each) const {
  std::vector<uint64_t> slow;
  for (const Survival::Point &point : each.survival.points)
    if (!isEnough(point.unchanged, leastOf(point)))
      slow.push_back(point.bytes);
  return slow;
}

/// The names of the programs that are near the best with some of \p slow on the whole machine.
std::vector<std::string> SurvivalSearch::promisingPrograms(ArrayRef<uint64_t> slow) const {
  std::vector<std::string> names;
  for (uint64_t size : slow) {
    std::vector<size_t> ranking = in.result.ranking(size);
    for (size_t i : ranking) {
      const Tried &tried = in.result.tried[i];
      const SimTime best = *in.result.tried[ranking.front()].measure.time(size);
      if (Wide(tried.measure.time(size)->picoseconds()) * 100 >
          Wide(best.picoseconds()) * promisingPercent)
        break;
      const dsl::ProgramFile *file = in.programs.fileOf(*tried.candidate.program);
      std::string name = file ? file->name : tried.candidate.program->name();
      if (!llvm::is_contained(names, name))
        names.push_back(std::move(name));
    }
  }
  return names;
}

LogicalResult SurvivalSearch::search(SearchedClass &each, uint64_t budget) {
  TuneProblem &problem = *each.problem;
  problem.sizes = slowSizes(each);
  // With fewer ranks, other programs may be possible.
  std::vector<std::string> names = in.names.vec();
  if (each.survival.part != PartKind::Rank)
    names = promisingPrograms(problem.sizes);
  FailureOr<CandidateSpace> space = CandidateSpace::create(problem, in.programs, names, diags);
  if (failed(space))
    return failure();
  TuneOptions options = in.options;
  options.budget = budget;
  options.known = nullptr;
  FailureOr<TuneResult> found = tune(*space, in.store, options, diags);
  if (failed(found) || failed(checkResult(problem, *found, diags)))
    return failure();
  out.messages += found->messages;
  work += found->messages;
  for (const PlanRange &range : choosePlans(problem, *found, std::nullopt))
    if (failed(deliver(problem, *found, widened(range, problem), survivalFolder)) ||
        failed(time(each, out.plans.size() - 1)))
      return failure();
  return success();
}

/// \p range with the sizes up to the next ones, which need not be slow.
PlanRange SurvivalSearch::widened(PlanRange range, const TuneProblem &problem) const {
  const uint64_t first = problem.sizes[range.firstSize], last = problem.sizes[range.lastSize];
  const auto below = llvm::lower_bound(sizes, first), above = llvm::upper_bound(sizes, last);
  range.minBytes = below == sizes.begin() ? first : below[-1] + 1;
  range.maxBytes = above == sizes.end() ? last : *above - 1;
  return range;
}

/// Searches \p open, while the limit of messages is not reached.
LogicalResult SurvivalSearch::searchAll(ArrayRef<SearchedClass *> open) {
  const uint64_t percent = in.result.messages / 100 + 1, shared = sharedPercent * percent;
  for (size_t i = 0; i < open.size() && work < searchPercent * percent; ++i) {
    const uint64_t share = (shared - std::min(shared, work)) / (open.size() - i);
    if (failed(search(*open[i], std::max(share, leastPercent * percent))))
      return failure();
    open[i]->survival.isSearched = true;
  }
  return success();
}

/// Times the new plans for the other classes of \p open, while the limit of messages is not
/// reached.
LogicalResult SurvivalSearch::timeOthers(ArrayRef<SearchedClass *> open) {
  for (size_t p = out.portfolioPlans; p < out.plans.size(); ++p)
    for (SearchedClass *each : open)
      if (work * 100 < in.result.messages * allPercent && &*each->problem != origins[p] &&
          failed(time(*each, p)))
        return failure();
  return success();
}

/// The plans beside those of the portfolio that all classes need.
std::vector<size_t> SurvivalSearch::keep() const {
  const size_t own = out.portfolioPlans;
  std::vector<std::vector<size_t>> served(out.plans.size() - own);
  size_t cells = 0;
  for (const SearchedClass &each : classes)
    for (size_t s = 0; s < sizes.size(); ++s) {
      SimTime least = SimTime::max();
      for (const TimesOfPlan &times : each.times)
        least = std::min(least, times[s].value_or(SimTime::max()));
      if (least == SimTime::max() || isEnough(each.survival.points[s].unchanged, least))
        continue;
      for (size_t p = own; p < each.times.size(); ++p)
        if (isEnough(each.times[p][s], least))
          served[p - own].push_back(cells);
      ++cells;
    }
  std::vector<size_t> kept = fewestSets(cells, served);
  for (size_t &plan : kept)
    plan += own;
  return kept;
}

/// Chooses the ranges of a class among the plans of the portfolio and \p kept.
void SurvivalSearch::finish(SearchedClass &each, ArrayRef<size_t> kept) {
  if (each.problem) {
    std::vector<size_t> indices;
    std::vector<TimesOfPlan> times;
    for (size_t p = 0; p < each.times.size(); ++p)
      if (p < out.portfolioPlans || llvm::is_contained(kept, p)) {
        indices.push_back(p);
        times.push_back(each.times[p]);
      }
    for (const PlanRange &range : coverSizes(sizes, times)) {
      const size_t index = indices[range.plan];
      const PortfolioFileRow &row = out.plans[index].row;
      each.survival.ranges.push_back(
          {index, std::max(range.minBytes, row.minBytes), std::min(range.maxBytes, *row.maxBytes)});
      for (size_t s = range.firstSize; s <= range.lastSize; ++s) {
        each.survival.points[s].after = times[range.plan][s];
        each.survival.points[s].plan = index;
      }
    }
  }
  out.classes.push_back(std::move(each.survival));
}

/// Removes the new plans that are not among \p kept.
void SurvivalSearch::dropOthers(ArrayRef<size_t> kept) {
  std::vector<size_t> indices(out.plans.size()); // of the plans that stay
  std::vector<SurvivalPlan> plans;
  for (size_t p = 0; p < out.plans.size(); ++p)
    if (p < out.portfolioPlans || llvm::is_contained(kept, p)) {
      indices[p] = plans.size();
      plans.push_back(std::move(out.plans[p]));
    }
  out.plans = std::move(plans);
  for (Survival &each : out.classes) {
    for (Survival::Range &range : each.ranges)
      range.plan = indices[range.plan];
    for (Survival::Point &point : each.points)
      point.plan = indices[point.plan];
  }
}

FailureOr<SurvivalResult> SurvivalSearch::run() {
  if (failed(deliverPortfolio()))
    return failure();
  for (PartKind part : in.parts)
    if (failed(addClasses(part)))
      return failure();
  std::vector<SearchedClass *> open;
  for (SearchedClass &each : classes) {
    if (each.problem && failed(timePortfolio(each)))
      return failure();
    each.survival.isSearched = each.loss == 0;
    if (each.loss > 0)
      open.push_back(&each);
  }
  // Equal losses stay in the order of the machine.
  llvm::sort(open, [](const SearchedClass *a, const SearchedClass *b) {
    return std::pair(-a->loss, a) < std::pair(-b->loss, b);
  });
  if (failed(searchAll(open)) || failed(timeOthers(open)))
    return failure();
  const std::vector<size_t> kept = keep();
  for (SearchedClass &each : classes)
    finish(each, kept);
  dropOthers(kept);
  return std::move(out);
}
} // namespace

std::vector<PortfolioFailure> cclc::failuresOf(const SurvivalResult &result,
                                               const TuneProblem &problem) {
  std::vector<PortfolioFailure> all;
  auto inNanoseconds = [](std::optional<SimTime> time) {
    return time ? std::optional(toNanoseconds(*time)) : std::nullopt;
  };
  for (const Survival &each : result.classes) {
    PortfolioFailure &failure = all.emplace_back(PortfolioFailure{problem.collective,
                                                                  problem.runtime->name.str(),
                                                                  partNames[size_t(each.part)],
                                                                  each.parts,
                                                                  each.lost,
                                                                  {}});
    for (const Survival::Range &range : each.ranges) {
      PortfolioFileRow &row = failure.rows.emplace_back(result.plans[range.plan].row);
      row.minBytes = range.minBytes;
      row.maxBytes = range.maxBytes;
      for (const Survival::Point &point : each.points)
        if (point.after && point.bytes >= range.minBytes && point.bytes <= range.maxBytes) {
          PortfolioPoint &made =
              row.points.emplace_back(pointOf(point.bytes, *point.after, point.bound));
          made.beforeNanoseconds = inNanoseconds(point.before);
          made.unchangedNanoseconds = inNanoseconds(point.unchanged);
        }
    }
  }
  return all;
}

LogicalResult cclc::checkSurvival(const TuneProblem &problem, ArrayRef<PartKind> parts,
                                  DiagnosticEngine &diags) {
  for (PartKind part : parts)
    if (failed(withFailures(problem, part, [&](const FailureRequest &request) {
          return checkParts(request, diags);
        })))
      return failure();
  return success();
}

FailureOr<SurvivalResult> cclc::tuneSurvival(const SurvivalRequest &request,
                                             DiagnosticEngine &diags) {
  return SurvivalSearch(request, diags).run();
}
