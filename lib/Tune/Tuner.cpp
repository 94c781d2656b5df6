//===- Tuner.cpp - The rungs of the search --------------------------------===//
//
// Candidates are processed in batches, and within a batch by ascending size, the most promising
// ones first: their times let the tuner drop the others before they are simulated with large
// buffers.
//
// A result may come from a file, but is used only where the search would have computed it. So files
// of other searches do not change the outcome.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tune/Tuner.h"

#include "Trial.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <memory>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
/// The candidates whose plans are in memory, and the simulations between two decisions.
constexpr size_t batchSize = 32, groupSize = 8;
/// The maximum number of sizes of the first rung.
constexpr size_t maxCoarse = 5;
/// With twice the parallelism a plan needs at least half the time.
constexpr int64_t ladderGain = 2;
/// Larger buffers are pipelined better: the time per byte falls at most to this part.
constexpr int64_t pipelineGain = 6;
/// Candidates of the second rung: at most this number, and up to this percentage of the best.
constexpr size_t nearBest = 24;
constexpr int64_t nearPercent = 150;
/// The candidates of each size that are refined.
constexpr size_t refined = 2;
/// The fastest candidate of another program is placed differently up to this percentage of the
/// best: with small buffers the root in the middle of a mesh saves more than any other choice.
constexpr int64_t placedPercent = 110;
/// Steps of plans that stay in memory between the rungs.
constexpr uint64_t maxStepsInMemory = 8'000'000;

struct Entry {
  Trial trial;
  /// The results that the search requested.
  Measure used;
};

class Search {
public:
  Search(const CandidateSpace &space, const MeasureStore &store, const TuneOptions &options,
         DiagnosticEngine &diags)
      : space(space), problem(space.problem), sizes(problem.sizes), store(store), options(options),
        diags(diags) {}

  FailureOr<TuneResult> run() {
    pickCoarse();
    if (failed(climb()) || failed(fill()) || failed(refine()) || failed(complete()))
      return failure();
    TuneResult result;
    for (std::unique_ptr<Entry> &entry : entries) {
      result.compilations += entry->trial.compilations;
      result.simulations += entry->trial.simulations;
      result.tried.push_back({entry->trial.candidate, std::move(entry->used)});
    }
    result.messages = messages;
    result.budgetReached = budgetReached;
    return result;
  }

private:
  using Sizes = std::vector<uint64_t>;
  /// An entry and the sizes to simulate.
  using Work = std::vector<std::pair<Entry *, Sizes>>;

  void stage(const std::string &text) const {
    if (options.onStage)
      options.onStage(text);
  }

  void pickCoarse() {
    if (options.exhaustive) {
      coarse = sizes;
      return;
    }
    size_t last = sizes.size() - 1;
    size_t parts = std::min(maxCoarse - 1, last);
    for (size_t i = 0; i <= parts; ++i)
      coarse.push_back(sizes[parts ? last * i / parts : 0]);
  }

  FailureOr<Entry *> add(const Candidate &candidate) {
    FailureOr<Measure> known = store.read(problem, candidate, diags);
    if (failed(known))
      return failure();
    seen[candidate.command()] = entries.size();
    entries.push_back(std::make_unique<Entry>(Entry{Trial(problem, candidate, *known), {}}));
    return entries.back().get();
  }

  Entry *find(const Candidate &candidate) const {
    auto found = seen.find(candidate.command());
    return found == seen.end() ? nullptr : entries[found->second].get();
  }

  std::optional<SimTime> best(uint64_t size) const {
    auto found = bests.find(size);
    return found == bests.end() ? std::nullopt : std::optional(found->second);
  }

  /// The time that \p entry needs at least with \p size, from its load and its smaller sizes.
  SimTime lower(const Entry &entry, uint64_t size) const {
    SimTime least = entry.used.load(size);
    auto next = entry.used.runs.lower_bound(size);
    if (next == entry.used.runs.begin())
      return least;
    auto before = std::prev(next);
    if (before->second.time == SimTime::max())
      return least;
    least = std::max(least, before->second.time);
    if (before == entry.used.runs.begin() || std::prev(before)->second.time >= before->second.time)
      return least;
    auto first = std::prev(before);
    Wide growth = Wide((before->second.time - first->second.time).picoseconds()) *
                  Wide(size - before->first) / Wide(before->first - first->first);
    return std::max(least, before->second.time + SimTime::clamped(growth / pipelineGain));
  }

  /// The same, from the candidates below it on its ladders.
  SimTime lowerByLadders(const Entry &entry, uint64_t size) const {
    SimTime least = lower(entry, size);
    for (const CandidateSpace::Neighbour &below : space.below(entry.trial.candidate))
      if (Entry *known = find(below.candidate))
        if (std::optional<SimTime> time = known->used.time(size))
          least = std::max(least, SimTime(time->picoseconds() / ladderGain));
    return least;
  }

  bool isHopeless(const Entry &entry, uint64_t size) const {
    std::optional<SimTime> known = best(size);
    return known && !options.exhaustive && lowerByLadders(entry, size) >= *known;
  }

  bool isOverBudget(uint64_t size) {
    if (!options.budget || messages < *options.budget)
      return false;
    budgetReached = true;
    return best(size).has_value();
  }

  /// Takes the result of \p size over from the trial.
  void use(Entry &entry, uint64_t size) {
    auto run = entry.trial.measure.runs.find(size);
    if (run == entry.trial.measure.runs.end() || entry.used.runs.count(size))
      return;
    entry.used.runs.insert(*run);
    messages += run->second.messages;
    if (run->second.time == SimTime::max())
      return;
    auto [known, isNew] = bests.try_emplace(size, run->second.time);
    if (!isNew)
      known->second = std::min(known->second, run->second.time);
  }

  /// Simulates the candidates with \p size, the most promising first, in groups.
  void simulate(std::vector<Entry *> candidates, uint64_t size) {
    llvm::erase_if(candidates, [&](Entry *entry) {
      return !entry->used.isUsable() || entry->used.runs.count(size);
    });
    std::vector<std::pair<SimTime, size_t>> order;
    for (size_t i = 0; i < candidates.size(); ++i)
      order.emplace_back(lowerByLadders(*candidates[i], size), i);
    llvm::sort(order);
    for (size_t begin = 0; begin < order.size(); begin += groupSize) {
      std::vector<Entry *> group;
      for (size_t i = begin; i < std::min(order.size(), begin + groupSize); ++i)
        if (Entry *entry = candidates[order[i].second]; !isHopeless(*entry, size))
          group.push_back(entry);
      if (isOverBudget(size))
        return;
      parallelFor(options.jobs, group.size(), [&](size_t i) { group[i]->trial.simulate(size); });
      for (Entry *entry : group)
        use(*entry, size);
    }
  }

  /// Does \p work in batches.
  LogicalResult process(const Work &work) {
    for (size_t begin = 0; begin < work.size(); begin += batchSize) {
      ArrayRef<Work::value_type> batch =
          ArrayRef(work).slice(begin, std::min(batchSize, work.size() - begin));
      stage(formatv("{0} candidates, {1} to do", entries.size(), work.size() - begin));
      parallelFor(options.jobs, batch.size(), [&](size_t i) { batch[i].first->trial.compile(); });
      std::set<uint64_t> all;
      for (const auto &[entry, wanted] : batch) {
        std::map<uint64_t, Measure::Run> runs = std::move(entry->used.runs);
        entry->used = entry->trial.measure;
        entry->used.runs = std::move(runs);
        all.insert(wanted.begin(), wanted.end());
      }
      for (uint64_t size : all) {
        std::vector<Entry *> candidates;
        for (const auto &[entry, wanted] : batch)
          if (llvm::is_contained(wanted, size))
            candidates.push_back(entry);
        simulate(std::move(candidates), size);
      }
      if (failed(finish(batch)))
        return failure();
    }
    return success();
  }

  /// Writes what is new, and frees plans beyond the limit.
  LogicalResult finish(ArrayRef<Work::value_type> batch) {
    for (const auto &[entry, wanted] : batch) {
      if (entry->trial.isChanged &&
          failed(store.write(problem, entry->trial.candidate, entry->trial.measure, diags)))
        return failure();
      entry->trial.isChanged = false;
    }
    uint64_t steps = 0;
    for (const std::unique_ptr<Entry> &entry : entries) {
      steps += entry->trial.stepsInMemory();
      if (steps > maxStepsInMemory)
        entry->trial.drop();
    }
    return success();
  }

  /// The first rung.
  LogicalResult climb() {
    std::vector<Candidate> wave;
    std::vector<Candidate> roots = space.roots();
    for (size_t i = options.shard; i < roots.size(); i += options.shards)
      wave.push_back(roots[i]);
    while (!wave.empty()) {
      Work work;
      std::vector<Entry *> added;
      for (const Candidate &candidate : wave) {
        FailureOr<Entry *> entry = add(candidate);
        if (failed(entry))
          return failure();
        added.push_back(*entry);
        work.emplace_back(*entry, coarse);
      }
      if (failed(process(work)))
        return failure();
      wave = expand(added);
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
        if (decided.insert(above.candidate.command()).second &&
            llvm::all_of(space.below(above.candidate), [&](auto &below) {
              return isWorthDoubling(find(below.candidate), below.ladder);
            }))
          next.push_back(std::move(above.candidate));
    }
    return next;
  }

  /// Whether the candidate above \p entry on \p ladder may become the best of a size.
  bool isWorthDoubling(const Entry *entry, size_t ladder) const {
    if (!entry || !entry->used.isUsable())
      return false;
    if (options.exhaustive)
      return true;
    bool mayWin = llvm::any_of(coarse, [&](uint64_t size) {
      std::optional<SimTime> known = best(size), time = entry->used.time(size);
      if (!known)
        return true;
      if (entry->used.load(size) >= *known)
        return false;
      return time ? SimTime(time->picoseconds() / ladderGain) < *known
                  : entry->used.runs.count(size) != 0;
    });
    if (!mayWin)
      return false;
    for (const CandidateSpace::Neighbour &below : space.below(entry->trial.candidate))
      if (below.ladder == ladder)
        if (const Entry *lower = find(below.candidate))
          return improves(*entry, *lower);
    return true;
  }

  /// Whether \p entry is faster than \p other with some size, or runs where the other does not.
  bool improves(const Entry &entry, const Entry &other) const {
    return llvm::any_of(coarse, [&](uint64_t size) {
      std::optional<SimTime> time = entry.used.time(size), before = other.used.time(size);
      return time && (!before || *time < *before);
    });
  }

  /// The time of \p entry with a coarse size, or what it is at least if it was dropped there.
  SimTime timeOrBound(const Entry &entry, uint64_t size) const {
    if (std::optional<SimTime> time = entry.used.time(size))
      return *time;
    return std::max(lower(entry, size), best(size).value_or(SimTime()));
  }

  /// The second rung: candidates whose time between two coarse sizes is near the best.
  LogicalResult fill() {
    std::map<Entry *, Sizes> wanted;
    for (uint64_t size : sizes) {
      auto after = llvm::lower_bound(coarse, size);
      if (*after == size)
        continue;
      uint64_t a = *std::prev(after), b = *after;
      std::vector<std::pair<SimTime, size_t>> order;
      for (size_t i = 0; i < entries.size(); ++i) {
        const Entry &entry = *entries[i];
        if (!entry.used.isUsable() || (!entry.used.time(a) && !entry.used.time(b)))
          continue;
        SimTime from = timeOrBound(entry, a), to = timeOrBound(entry, b);
        Wide growth = Wide((to - from).picoseconds()) * Wide(size - a) / Wide(b - a);
        order.emplace_back(from + SimTime::clamped(growth), i);
      }
      llvm::sort(order);
      for (size_t i = 0; i < std::min(order.size(), nearBest); ++i)
        if (Wide(order[i].first.picoseconds()) * 100 <=
            Wide(order.front().first.picoseconds()) * nearPercent)
          wanted[entries[order[i].second].get()].push_back(size);
    }
    return process(inOrder(wanted));
  }

  Work inOrder(const std::map<Entry *, Sizes> &wanted) const {
    Work work;
    for (const std::unique_ptr<Entry> &entry : entries)
      if (auto found = wanted.find(entry.get()); found != wanted.end())
        work.push_back(*found);
    return work;
  }

  /// The fastest \p count candidates of \p size.
  std::vector<Entry *> fastest(uint64_t size, size_t count) const {
    std::vector<std::pair<SimTime, size_t>> order;
    for (size_t i = 0; i < entries.size(); ++i)
      if (std::optional<SimTime> time = entries[i]->used.time(size))
        order.emplace_back(*time, i);
    llvm::sort(order);
    std::vector<Entry *> found;
    for (size_t i = 0; i < std::min(order.size(), count); ++i)
      found.push_back(entries[order[i].second].get());
    return found;
  }

  /// The third rung.
  LogicalResult refine() {
    std::map<Entry *, Sizes> parents, placed;
    for (uint64_t size : sizes) {
      for (Entry *entry : fastest(size, refined))
        parents[entry].push_back(size);
      for (Entry *entry : fastestOfPrograms(size))
        placed[entry].push_back(size);
    }
    Work work;
    auto addAll = [&](const std::vector<Candidate> &candidates, const Sizes &atSizes) {
      for (const Candidate &candidate : candidates)
        if (!find(candidate)) {
          FailureOr<Entry *> entry = add(candidate);
          if (failed(entry))
            return false;
          work.emplace_back(*entry, atSizes);
        }
      return true;
    };
    for (const auto &[parent, atSizes] : inOrder(parents))
      if (!addAll(space.refinements(parent->trial.candidate), atSizes))
        return failure();
    for (const auto &[parent, atSizes] : inOrder(placed))
      if (!addAll(space.placements(parent->trial.candidate), atSizes))
        return failure();
    return process(work);
  }

  /// The fastest candidate of each program with \p size, as far as it is near the best.
  std::vector<Entry *> fastestOfPrograms(uint64_t size) const {
    std::vector<Entry *> found;
    std::set<const dsl::Declaration *> programs;
    for (Entry *entry : fastest(size, entries.size()))
      if (Wide(entry->used.time(size)->picoseconds()) * 100 >
          Wide(best(size)->picoseconds()) * placedPercent)
        break;
      else if (programs.insert(entry->trial.candidate.program).second)
        found.push_back(entry);
    return found;
  }

  /// Simulates the best candidates of each size with the neighbouring sizes, where another plan may
  /// take over, or with all sizes. None is dropped.
  LogicalResult complete() {
    std::map<Entry *, Sizes> wanted;
    for (size_t s = 0; s < sizes.size(); ++s)
      for (Entry *entry : fastest(sizes[s], options.complete ? 1 : refined)) {
        size_t first = options.complete || s == 0 ? 0 : s - 1;
        size_t last = options.complete ? sizes.size() : std::min(s + 2, sizes.size());
        for (size_t other = first; other < last; ++other)
          wanted[entry].push_back(sizes[other]);
      }
    Work work = inOrder(wanted);
    parallelFor(options.jobs, work.size(), [&](size_t i) {
      for (uint64_t size : work[i].second)
        work[i].first->trial.simulate(size);
    });
    for (const auto &[entry, all] : work)
      for (uint64_t size : all)
        use(*entry, size);
    return finish(work);
  }

  const CandidateSpace &space;
  const TuneProblem &problem;
  ArrayRef<uint64_t> sizes;
  const MeasureStore &store;
  const TuneOptions &options;
  DiagnosticEngine &diags;
  Sizes coarse;
  std::vector<std::unique_ptr<Entry>> entries;
  std::map<std::string, size_t> seen; ///< by command
  std::map<uint64_t, SimTime> bests;
  uint64_t messages = 0;
  bool budgetReached = false;
};
} // namespace

FailureOr<TuneResult> cclc::tune(const CandidateSpace &space, const MeasureStore &store,
                                 const TuneOptions &options, DiagnosticEngine &diags) {
  return Search(space, store, options, diags).run();
}
