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

using namespace cclc;
using llvm::formatv;

namespace {
/// The families that are scouts for a size.
constexpr size_t scoutsOfSize = 2;
/// The families between two checks of the budget.
constexpr size_t waveSize = 8;

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
    if (isLocal && !total.budgetReached &&
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
  parallelFor(options.jobs, roots.size(),
              [&](size_t i) { roots[i]->trial.simulate(coarse.front()); });
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

void Tuner::add(TuneResult result) {
  total.messages += result.messages;
  total.budgetReached |= result.budgetReached;
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
  std::vector<Family *> mine;
  for (size_t i = options.shard; i < others.size(); i += options.shards)
    mine.push_back(others[i]);
  for (size_t begin = 0; begin < mine.size(); begin += waveSize) {
    if (options.budget && total.messages >= *options.budget) {
      total.budgetReached = true;
      return success();
    }
    if (options.onStage)
      options.onStage(formatv("{0} candidates, {1} of {2} programs to do", total.tried.size(),
                              mine.size() - begin, families.size())
                          .str());
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
