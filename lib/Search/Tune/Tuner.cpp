//===- Tuner.cpp - Families of candidates, and the scouts before them -----===//
//
// A family has the roots of one program with one protocol, and what the search reaches from them.
// Scouts are the families that promise most at one of the coarse sizes: by the load of their links
// and the time of the smallest buffer, which no plan of theirs undercuts by much. They are searched
// together, first. What they reach has to be beaten by every other family, and each of these is
// searched by itself. So no family depends on another one, except the scouts, and a shard has the
// scouts and some of the others: the results of all shards are those of a single search. This ends
// with the neighbours of the best plans of all families (LocalSearch.h).
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Tuner.h"

#include "CoarseSizes.h"
#include "FamilySearch.h"
#include "LocalSearch.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace cclc;
using llvm::formatv;

namespace {
/// The families that are scouts for a size.
constexpr size_t scoutsOfSize = 2;
/// The families between two checks of the budget.
constexpr size_t waveSize = 8;

/// The parts of the time of a search that the scouts and the local search usually take.
constexpr double scoutsShare = 0.17, localShare = 0.17;

struct Family {
  const dsl::Declaration *program;
  Protocol protocol;
  Roots roots = {};
  bool isScout = false;
};

class Tuner {
public:
  Tuner(const CandidateSpace &space, const MeasureStore &store, const TuneOptions &options,
        DiagnosticEngine &diags)
      : space(space), store(store), options(options), diags(diags) {}

  FailureOr<TuneResult> run() {
    if (failed(addFamilies()))
      return failure();
    if (options.onePlan || families.size() == 1)
      for (Family &family : families)
        family.isScout = true;
    else
      findScouts();
    if (failed(searchScouts()) || failed(searchOthers()))
      return failure();
    // A shard does not know the best plans.
    const bool isLocal = !options.onePlan && options.shards == 1;
    if (isLocal && total.end == SearchEnd::Complete &&
        failed(searchAroundBest(space, total, runs, store, options, diags)))
      return failure();
    return std::move(total);
  }

private:
  LogicalResult addFamilies();
  void findScouts();
  SimTime promiseOf(const Family &family, uint64_t smallest, uint64_t size) const;
  LogicalResult searchScouts();
  LogicalResult searchOthers();
  void add(TuneResult result);
  void report(std::string text, double done) const;

  const Deadline::Clock::time_point begun = Deadline::Clock::now();
  const CandidateSpace &space;
  const MeasureStore &store;
  const TuneOptions &options;
  DiagnosticEngine &diags;
  SharedRuns runs;
  std::vector<Family> families;
  ParetoFronts toBeat;
  TuneResult total;
};

LogicalResult Tuner::addFamilies() {
  for (const Candidate &candidate : space.roots(options.exhaustive)) {
    const Protocol protocol = options.onePlan ? Protocol::Simple : candidate.variant.protocol;
    auto family = llvm::find_if(families, [&](const Family &each) {
      return each.program == candidate.program && each.protocol == protocol;
    });
    if (family == families.end())
      family = families.insert(family, {candidate.program, protocol});
    auto entry = Pool::create(candidate, space.problem, store, options, diags);
    if (failed(entry))
      return failure();
    family->roots.push_back(std::move(*entry));
  }
  return success();
}

/// A time that the plans of \p family probably do not undercut with \p size; \p smallest was
/// simulated.
SimTime Tuner::promiseOf(const Family &family, uint64_t smallest, uint64_t size) const {
  SimTime least = SimTime::max();
  for (const std::unique_ptr<Entry> &root : family.roots)
    if (std::optional<SimTime> time = root->trial.measure.time(smallest))
      least = std::min(least, std::max(*time, root->trial.measure.load(size)));
  return least;
}

void Tuner::findScouts() {
  std::vector<Entry *> roots;
  for (const Family &family : families)
    for (const std::unique_ptr<Entry> &root : family.roots)
      roots.push_back(root.get());
  if (options.onStage)
    options.onStage(formatv("{0} roots", roots.size()).str());
  const std::vector<uint64_t> coarse = coarseSizes(space.problem.sizes, options);
  parallelFor(options.jobs, roots.size(), [&](size_t i) {
    if (!options.deadline.hasPassed())
      roots[i]->trial.simulate(coarse.front());
  });
  for (uint64_t size : coarse) {
    std::vector<std::pair<SimTime, size_t>> order;
    for (size_t f = 0; f < families.size(); ++f)
      if (SimTime promise = promiseOf(families[f], coarse.front(), size); promise != SimTime::max())
        order.emplace_back(promise, f);
    llvm::sort(order);
    for (const auto &[promise, f] : ArrayRef(order).take_front(scoutsOfSize))
      families[f].isScout = true;
  }
}

/// Reports \p text when \p done of the time of the search is over.
void Tuner::report(std::string text, double done) const {
  if (!options.onStage)
    return;
  const std::chrono::duration<double> elapsed = Deadline::Clock::now() - begun;
  const auto left = uint64_t(std::ceil(elapsed.count() * (1 - done) / done));
  text += left < 100 ? formatv(", about {0} s left", left).str()
                     : formatv(", about {0} min left", (left + 59) / 60).str();
  options.onStage(text);
}

void Tuner::add(TuneResult result) {
  if (options.onBest)
    for (const Tried &tried : result.tried)
      for (const auto &[size, run] : tried.measure.runs)
        if (run.time != SimTime::max())
          options.onBest(size, run.time, tried.candidate);
  total.messages += result.messages;
  total.end = std::max(total.end, result.end);
  total.compilations += result.compilations;
  total.simulations += result.simulations;
  std::move(result.tried.begin(), result.tried.end(), std::back_inserter(total.tried));
}

LogicalResult Tuner::searchScouts() {
  Roots roots;
  for (Family &family : families)
    if (family.isScout)
      std::move(family.roots.begin(), family.roots.end(), std::back_inserter(roots));
  FailureOr<FamilyResult> found =
      searchFamily(space, std::move(roots), {}, runs, store, options, diags);
  if (failed(found))
    return failure();
  toBeat = std::move(found->fronts);
  add(std::move(found->result));
  return success();
}

LogicalResult Tuner::searchOthers() {
  std::vector<Family *> others;
  for (Family &family : families)
    if (!family.isScout)
      others.push_back(&family);
  TuneOptions own = options;
  own.jobs = 1;
  own.budget = std::nullopt;
  own.onStage = nullptr;
  own.onBest = nullptr;
  std::vector<Family *> mine;
  for (size_t i = options.shard; i < others.size(); i += options.shards)
    mine.push_back(others[i]);
  for (size_t begin = 0; begin < mine.size(); begin += waveSize) {
    if (options.deadline.hasPassed() || (options.budget && total.messages >= *options.budget)) {
      total.end = options.deadline.hasPassed() ? SearchEnd::TimeLimit : SearchEnd::Budget;
      return success();
    }
    report(formatv("{0} candidates, {1} of {2} programs to do", total.tried.size(),
                   mine.size() - begin, families.size()),
           scoutsShare + (1 - scoutsShare - localShare) * double(begin) / double(mine.size()));
    const size_t count = std::min(waveSize, mine.size() - begin);
    std::vector<FailureOr<FamilyResult>> found(count, failure());
    std::vector<DiagnosticEngine> engines(count);
    parallelFor(options.jobs, count, [&](size_t i) {
      found[i] = searchFamily(space, std::move(mine[begin + i]->roots), toBeat, runs, store, own,
                              engines[i]);
    });
    for (size_t i = 0; i < count; ++i) {
      diags.append(std::move(engines[i]));
      if (failed(found[i]))
        return failure();
      add(std::move(found[i]->result));
    }
  }
  return success();
}
} // namespace

FailureOr<TuneResult> cclc::tune(const CandidateSpace &space, const MeasureStore &store,
                                 const TuneOptions &options, DiagnosticEngine &diags) {
  return Tuner(space, store, options, diags).run();
}
