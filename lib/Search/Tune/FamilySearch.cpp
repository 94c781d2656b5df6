//===- FamilySearch.cpp - The rungs of the search -------------------------===//
//
// The first rung and the refinements follow the results of the pool; each one ends before the next
// begins.
//
//===----------------------------------------------------------------------===//

#include "FamilySearch.h"

#include "CoarseSizes.h"
#include "TimeEstimate.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <utility>

using namespace cclc;

namespace {
/// From plans up to this percentage of the best, steps may gain more than those to them.
constexpr int64_t crossedPercent = 115;
/// Of a size at which the best plan takes this part of the lower bound, no candidates are climbed.
constexpr int64_t finishedPermille = 1005;
/// No plan with more steps is tried above another on a ladder.
constexpr uint64_t maxSteps = 131'072;
/// The rounds in which neighbours of the best plans on their ladders are tried.
constexpr int maxRounds = 3;
/// Candidates of the second rung: at most this number, fewer beyond the sizes of the first rung,
/// and up to this percentage of the best.
constexpr size_t nearBest = 24, nearBestBeyond = 10;
constexpr int64_t nearPercent = 150;
/// The candidates of each size that are refined: at most this number, up to this percentage of the
/// best, because another schedule may change their order.
constexpr size_t refined = 6;
constexpr int64_t refinedPercent = 105;
/// The fastest candidate of another program is placed differently up to this percentage of the
/// best: with small buffers the root in the middle of a mesh saves more than any other choice.
constexpr int64_t placedPercent = 110;
/// The largest gain of a placement, in percent, that is expected of other programs.
constexpr int64_t mostPlacementGain = 300;
/// With this number of pieces for each rank, smaller slots gain nothing: a pipeline through all
/// ranks takes as many pieces to fill as there are ranks, a small part of the time.
constexpr uint64_t manyPiecesPerRank = 32;
/// The fastest candidates up to this percentage of the best have neighbours on their ladders tried.
constexpr int64_t climbedPercent = 110;

class Search {
public:
  Search(const CandidateSpace &space, const MeasureStore &store, const TuneOptions &options,
         ParetoFronts fronts, SharedRuns &runs, DiagnosticEngine &diags)
      : space(space), sizes(space.problem.sizes), options(options),
        pool(space, store, options, std::move(fronts), runs, diags),
        coarse(coarseSizes(sizes, options)) {
    for (uint64_t size : sizes)
      if (!options.onePlan)
        groups.push_back({size});
    if (options.onePlan)
      groups.push_back(sizes.vec());
  }

  FailureOr<FamilyResult> run(Roots roots) {
    if (failed(climb(std::move(roots))))
      return failure();
    pool.begin(Pool::Stage::Refine);
    if (failed(fill()) || failed(climbOn()))
      return failure();
    for (size_t before = 0; before != pool.all().size();) {
      before = pool.all().size();
      if (failed(refine()) || failed(climbOn()))
        return failure();
      if (!options.onePlan)
        break;
    }
    // A plan that becomes the best of a neighbouring size may have better neighbours there.
    std::vector<Entry *> best = bestOfGroups();
    for (int round = 0;; ++round) {
      if (failed(complete()))
        return failure();
      std::vector<Entry *> before = std::exchange(best, bestOfGroups());
      if (best == before || round == maxRounds)
        break;
      if (failed(climbOn()))
        return failure();
    }
    if (failed(trySlotsBetween()))
      return failure();
    ParetoFronts fronts = pool.results();
    return FamilyResult{pool.take(), std::move(fronts)};
  }

private:
  using Sizes = Pool::Sizes;
  using Work = Pool::Work;

  /// The first rung.
  LogicalResult climb(Roots roots) {
    std::vector<Entry *> wave;
    for (std::unique_ptr<Entry> &root : roots)
      wave.push_back(pool.add(std::move(root)));
    while (!wave.empty()) {
      Work work;
      for (Entry *entry : wave)
        work.emplace_back(entry, coarse);
      // The first candidate of one plan is simulated with all sizes: none is dropped before.
      if (options.onePlan && failed(pool.process({work.front()})))
        return failure();
      if (failed(pool.process(work)))
        return failure();
      std::vector<Candidate> next = expand(wave);
      wave.clear();
      for (const Candidate &candidate : next) {
        FailureOr<Entry *> entry = pool.add(candidate);
        if (failed(entry))
          return failure();
        wave.push_back(*entry);
      }
    }
    return success();
  }

  /// The candidates above those of the last wave that may become the best of a size.
  std::vector<Candidate> expand(ArrayRef<Entry *> wave) const {
    std::vector<Candidate> next;
    std::set<std::string> decided;
    for (Entry *entry : wave) {
      if (!entry->used.isUsable())
        continue;
      for (CandidateSpace::Neighbour &above : space.above(entry->trial.candidate))
        if (decided.insert(above.candidate.command()).second && !pool.find(above.candidate) &&
            isWorthTrying(above.candidate))
          next.push_back(std::move(above.candidate));
    }
    return next;
  }

  /// Whether plans above \p entry on its ladders are likely to be usable.
  static bool mayBeDoubled(const Entry *entry) {
    return !entry || (entry->used.isUsable() && entry->used.steps * 2 <= maxSteps);
  }

  /// Whether \p candidate may become the best of a size: whether all steps to it are worth while.
  bool isWorthTrying(const Candidate &candidate) const {
    SmallVector<Step, 4> steps;
    for (const CandidateSpace::Neighbour &below : space.below(candidate)) {
      const Entry *entry = pool.find(below.candidate);
      if (!entry || !mayBeDoubled(entry))
        return false;
      steps.push_back({*entry, below.ladder, space.stepsAbove(below.candidate, below.ladder)});
    }
    if (options.exhaustive)
      return true;
    if (options.onePlan)
      return llvm::all_of(steps, [&](const Step &step) { return mayGain(step); });
    return llvm::any_of(coarse, [&](uint64_t size) {
      return llvm::all_of(steps, [&](const Step &step) { return isWorthDoubling(step, size); });
    });
  }

  /// A step on a ladder from a candidate, and the number of steps up to its end.
  struct Step {
    const Entry &entry;
    size_t ladder;
    unsigned left;
  };

  /// Whether a candidate above \p step may become the best of \p size.
  bool isWorthDoubling(const Step &step, uint64_t size) const {
    const Entry &entry = step.entry;
    std::optional<SimTime> known = pool.best(size), time = entry.used.time(size);
    // With more parts, sizes that the runtime does not divide remain so.
    if (size % entry.used.multiple != 0)
      return false;
    if (!known)
      return true;
    if (entry.used.load(size) >= *known || isFinished(size))
      return false;
    if (!time) // it may fit in more parts
      return entry.used.runs.count(size);
    if (pool.isStepBack(entry, size))
      return false;
    if (pool.mayReachBest(entry, step.ladder, step.left, size))
      return true;
    if (size == coarse.front() || !pool.isNearBest(*time, size, crossedPercent))
      return false;
    // Near the best, small gains may come before a large one, and one step without a gain.
    const Entry *before = pool.below(entry, step.ladder);
    return pool.canGain(entry, step.ladder, size) ||
           (before && pool.canGain(*before, step.ladder, size));
  }

  /// Whether no plan is clearly faster with \p size than the best so far.
  bool isFinished(uint64_t size) const {
    auto [bound, isNew] = bounds.try_emplace(size);
    if (isNew)
      bound->second = space.problem.leastTime(size);
    return Wide(pool.best(size)->picoseconds()) * 1000 <=
           Wide(bound->second.picoseconds()) * finishedPermille;
  }

  /// Whether the best candidate above \p step may become the best for all sizes.
  bool mayGain(const Step &step) const {
    const auto &[entry, ladder, left] = step;
    Measure reached;
    for (uint64_t size : sizes) {
      std::optional<SimTime> time = entry.used.time(size);
      if (!time && entry.used.runs.count(size))
        return false;
      SimTime from = time.value_or(pool.estimate(entry, size));
      std::optional<SimTime> before = pool.timeBelow(entry, ladder, size);
      SimTime least = pool.canGain(entry, ladder, size) ? afterDoublings(from, before, left) : from;
      reached.runs[size].time = std::max(least, entry.used.load(size));
    }
    return !pool.bestOfAll() || *Pool::meanTime(reached, sizes) < *pool.bestOfAll();
  }

  /// The time of \p entry with a coarse size, or what it is at least if it was dropped there.
  SimTime timeOrBound(const Entry &entry, uint64_t size) const {
    if (std::optional<SimTime> time = entry.used.time(size))
      return *time;
    return std::max(leastTime(entry.used, size), pool.best(size).value_or(SimTime()));
  }

  /// The second rung.
  LogicalResult fill() {
    for (uint64_t size : sizes) {
      if (llvm::is_contained(coarse, size))
        continue;
      if (failed(pool.process(promising(size))))
        return failure();
      // Where these do not run, such as those with other multiples, another one may.
      if (!pool.best(size) && failed(pool.process(usable(size))))
        return failure();
    }
    return success();
  }

  /// All candidates that compile.
  Work usable(uint64_t size) const {
    Work work;
    for (const std::unique_ptr<Entry> &entry : pool.all())
      if (entry->used.isUsable())
        work.emplace_back(entry.get(), Sizes{size});
    return work;
  }

  /// The candidates of the second rung with \p size.
  Work promising(uint64_t size) const {
    std::vector<std::pair<SimTime, size_t>> order;
    for (size_t i = 0; i < pool.all().size(); ++i)
      if (pool.all()[i]->used.isUsable())
        if (std::optional<SimTime> time = estimate(*pool.all()[i], size))
          order.emplace_back(*time, i);
    llvm::sort(order);
    Work work;
    if (order.empty())
      return work;
    SimTime least = std::min(order.front().first, pool.best(size).value_or(SimTime::max()));
    const size_t most = size > coarse.back() ? nearBestBeyond : nearBest;
    for (size_t i = 0; i < std::min(order.size(), most); ++i)
      if (Wide(order[i].first.picoseconds()) * 100 <= Wide(least.picoseconds()) * nearPercent)
        work.emplace_back(pool.all()[order[i].second].get(), Sizes{size});
    return work;
  }

  /// The time between two coarse sizes, or beyond them. Unset if there is no result near it.
  std::optional<SimTime> estimate(const Entry &entry, uint64_t size) const {
    const bool isBeyond = size > coarse.back();
    if (isBeyond && !entry.used.time(coarse.back()))
      return std::nullopt;
    if (isBeyond && coarse.size() < 2)
      return pool.estimate(entry, size);
    auto after = isBeyond ? std::prev(coarse.end()) : llvm::lower_bound(coarse, size);
    uint64_t a = *std::prev(after), b = *after;
    if (!entry.used.time(a) && !entry.used.time(b))
      return std::nullopt;
    SimTime from = timeOrBound(entry, a), to = timeOrBound(entry, b);
    Wide growth = Wide((to - from).picoseconds()) * Wide(size - a) / Wide(b - a);
    return from + SimTime::clamped(growth);
  }

  /// Neighbours of the best plans on their ladders, and of those that turn out better.
  LogicalResult climbOn() {
    for (int round = 0; round < maxRounds && !options.exhaustive; ++round) {
      std::map<Entry *, Sizes> wanted = ofPrograms(climbedPercent);
      Work work;
      for (const auto &[entry, atSizes] : inOrder(wanted)) {
        std::vector<Candidate> candidates;
        for (const std::vector<CandidateSpace::Neighbour> &side :
             {space.below(entry->trial.candidate), space.above(entry->trial.candidate)})
          for (const CandidateSpace::Neighbour &each : side)
            if (llvm::all_of(space.below(each.candidate), [&](const auto &below) {
                  return mayBeDoubled(pool.find(below.candidate));
                }))
              candidates.push_back(each.candidate);
        if (failed(pool.addVariants(*entry, candidates, atSizes, work)))
          return failure();
      }
      if (work.empty())
        break;
      if (failed(pool.process(work)))
        return failure();
    }
    return success();
  }

  /// The fastest candidate of each size, or of all.
  std::vector<Entry *> bestOfGroups() const {
    std::vector<Entry *> best;
    for (const Sizes &group : groups) {
      std::vector<Entry *> found = pool.fastest(group, 1, 100);
      best.push_back(found.empty() ? nullptr : found.front());
    }
    return best;
  }

  Work inOrder(const std::map<Entry *, Sizes> &wanted) const {
    Work work;
    for (const std::unique_ptr<Entry> &entry : pool.all())
      if (auto found = wanted.find(entry.get()); found != wanted.end())
        work.push_back(*found);
    return work;
  }

  /// The candidates whose variants are tried for \p group.
  std::vector<Entry *> parentsOf(const Sizes &group) const {
    if (!options.exhaustive)
      return pool.fastestParents(group, options.onePlan ? 1 : refined, refinedPercent);
    std::vector<Entry *> all;
    for (const std::unique_ptr<Entry> &entry : pool.all())
      if (entry->used.isUsable())
        all.push_back(entry.get());
    return all;
  }

  /// The factor, in percent, by which another placement may make a plan faster: the largest one so
  /// far, and two where no levels keep neighbouring ranks together.
  int64_t gainOfPlacements() const {
    Wide gain = space.problem.machine.geometry().levels.size() < 2 ? 200 : 100;
    for (const std::unique_ptr<Entry> &entry : pool.all())
      if (const Entry *original = entry->original;
          original &&
          entry->trial.candidate.variant.placement != original->trial.candidate.variant.placement)
        for (const auto &[size, run] : entry->used.runs)
          if (std::optional<SimTime> before = original->used.time(size))
            gain = std::max(gain, Wide(before->picoseconds()) * 100 /
                                      std::max<int64_t>(run.time.picoseconds(), 1));
    return int64_t(std::min<Wide>(gain, mostPlacementGain));
  }

  /// Adds the variants of \p parents along \p axis, and simulates them.
  LogicalResult tryVariants(const std::map<Entry *, Sizes> &parents, CandidateSpace::Axis axis) {
    Work work;
    for (const auto &[entry, atSizes] : inOrder(parents))
      for (const Candidate &variant :
           space.variants(entry->trial.candidate, axis, entry->used.channels)) {
        Sizes promising;
        llvm::copy_if(atSizes, std::back_inserter(promising),
                      [&](uint64_t size) { return mayDiffer(*entry, variant, size); });
        if (!promising.empty() && failed(pool.addVariants(*entry, {variant}, promising, work)))
          return failure();
      }
    return pool.process(work);
  }

  /// Whether slots of another size, if \p variant has them, may pay with \p size: larger ones if
  /// there are several pieces, and smaller ones if there are few, as the pipeline then takes longer
  /// to fill than the pieces.
  bool mayDiffer(const Entry &entry, const Candidate &variant, uint64_t size) const {
    const Bytes usual = space.problem.machine.queue.slotSize,
                before = entry.trial.candidate.variant.slotSize.value_or(usual),
                after = variant.variant.slotSize.value_or(usual);
    auto run = entry.used.runs.find(size);
    if (before == after || run == entry.used.runs.end())
      return true;
    return after > before ? run->second.pieces > 1
                          : run->second.pieces < manyPiecesPerRank * space.problem.pipelineRanks;
  }

  /// The fastest of each program within \p percent of the best, by the sizes where it is.
  std::map<Entry *, Sizes> ofPrograms(int64_t percent) const {
    std::map<Entry *, Sizes> found;
    for (const Sizes &group : groups)
      for (Entry *entry : pool.fastestOfPrograms(group, percent))
        llvm::append_range(found[entry], group);
    return found;
  }

  /// The third rung.
  LogicalResult refine() {
    for (CandidateSpace::Axis axis : space.axes()) {
      std::map<Entry *, Sizes> parents;
      if (axis == CandidateSpace::Axis::Placement)
        parents = ofPrograms(placedPercent);
      for (const Sizes &group : groups)
        for (Entry *entry : parentsOf(group))
          llvm::append_range(parents[entry], group);
      if (failed(tryVariants(parents, axis)))
        return failure();
      if (axis != CandidateSpace::Axis::Placement || options.exhaustive)
        continue;
      // Where placements gain much, they may make a program the best that is far behind.
      if (int64_t gain = gainOfPlacements(); gain > 100)
        if (failed(tryVariants(ofPrograms(placedPercent * gain / 100), axis)))
          return failure();
    }
    return success();
  }

  /// Tries further sizes of slots for the best plans, after all else: they gain little, and their
  /// plans would displace others whose neighbours gain more.
  LogicalResult trySlotsBetween() {
    std::map<Entry *, Sizes> parents;
    for (const Sizes &group : groups)
      for (Entry *entry : pool.fastest(group, 1, 100))
        llvm::append_range(parents[entry], group);
    if (failed(tryVariants(parents, CandidateSpace::Axis::SlotsBetween)))
      return failure();
    return complete();
  }

  /// Simulates the best candidate of each size with the neighbouring sizes, where another plan may
  /// take over, or with all sizes, until no size has another best candidate. None is dropped.
  LogicalResult complete() {
    for (Work work = atNeighbours();
         !options.onePlan && !options.deadline.hasPassed() && !work.empty(); work = atNeighbours())
      if (failed(pool.simulateAll(work)))
        return failure();
    return success();
  }

  /// The best candidate of each size with those neighbouring sizes that it lacks.
  Work atNeighbours() const {
    std::map<Entry *, Sizes> wanted;
    for (size_t s = 0; s < sizes.size(); ++s)
      for (Entry *entry : pool.fastest({sizes[s]}, 1, 100)) {
        size_t first = options.complete || s == 0 ? 0 : s - 1;
        size_t last = options.complete ? sizes.size() : std::min(s + 2, sizes.size());
        for (size_t other = first; other < last; ++other)
          if (!entry->used.runs.count(sizes[other]))
            wanted[entry].push_back(sizes[other]);
      }
    return inOrder(wanted);
  }

  const CandidateSpace &space;
  ArrayRef<uint64_t> sizes;
  const TuneOptions &options;
  Pool pool;
  const Sizes coarse;
  mutable std::map<uint64_t, SimTime> bounds; ///< by coarse size, when needed
  /// The sizes that one plan serves: each one, or all.
  std::vector<Sizes> groups;
};
} // namespace

FailureOr<FamilyResult> cclc::searchFamily(const CandidateSpace &space, Roots roots,
                                           ParetoFronts fronts, SharedRuns &runs,
                                           const MeasureStore &store, const TuneOptions &options,
                                           DiagnosticEngine &diags) {
  return Search(space, store, options, std::move(fronts), runs, diags).run(std::move(roots));
}
