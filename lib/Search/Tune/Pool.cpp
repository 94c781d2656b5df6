//===- Pool.cpp - Batches, and what drops a candidate ---------------------===//
//
// Decisions are made between groups of fixed composition. They depend on results alone, so that
// the number of jobs does not change them.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "TimeEstimate.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <set>
#include <utility>

using namespace cclc;
using llvm::formatv;

/// The candidates whose plans are in memory, and the simulations between two decisions.
static constexpr size_t batchSize = 32, groupSize = 8;
/// With a larger buffer fewer candidates are simulated between two decisions.
static constexpr uint64_t large = uint64_t(16) << 20;
/// With twice the parallelism a plan needs at least half the time.
static constexpr int64_t ladderGain = 2;
/// Plans up to this percentage of the best cross plateaus of their ladders.
static constexpr int64_t plateauPercent = 110;
/// Plans that probably take up to this percentage of the best are simulated as steps to others.
static constexpr int64_t steppedPercent = 200;
/// Simulations around the best plans are stopped above this percentage of the best.
static constexpr int64_t localPercent = 105;
/// A variant of a plan is first compared with it at a size of up to this number of messages.
static constexpr uint64_t probeMessages = 400'000;
/// Steps of plans that stay in memory between the rungs.
static constexpr uint64_t maxStepsInMemory = 8'000'000;

FailureOr<std::unique_ptr<Entry>>
Pool::create(const Candidate &candidate, const SearchProblem &problem, const MeasureStore &store,
             const TuneOptions &options, DiagnosticEngine &diags) {
  FailureOr<Measure> known = store.read(problem, candidate, diags);
  if (failed(known))
    return failure();
  if (options.known)
    if (auto found = options.known->find(candidate.command()); found != options.known->end())
      known->merge(found->second);
  return std::make_unique<Entry>(Entry{Trial(problem, candidate, *known), {}, nullptr});
}

Entry *Pool::add(std::unique_ptr<Entry> entry) {
  entries.push_back(std::move(entry));
  return seen[entries.back()->trial.candidate.command()] = entries.back().get();
}

FailureOr<Entry *> Pool::add(const Candidate &candidate) {
  FailureOr<std::unique_ptr<Entry>> entry = create(candidate, problem, store, options, diags);
  if (failed(entry))
    return failure();
  return add(std::move(*entry));
}

Entry *Pool::find(const Candidate &candidate) const {
  auto found = seen.find(candidate.command());
  return found == seen.end() ? nullptr : found->second;
}

std::optional<SimTime> Pool::best(uint64_t size) const {
  auto found = fronts.find(size);
  return found == fronts.end() ? std::nullopt : std::optional(found->second.best());
}

/// The time that \p entry needs at least with \p size, by its own results and those of the
/// candidates below it on its ladders, which say nothing of changes around the best plans.
SimTime Pool::lower(const Entry &entry, uint64_t size) const {
  SimTime least = leastTime(entry.used, size);
  if (stage == Stage::Local)
    return least;
  for (const CandidateSpace::Neighbour &below : space.below(entry.trial.candidate))
    if (Entry *known = find(below.candidate))
      if (std::optional<SimTime> time = known->used.time(size))
        least = std::max({least, SimTime(time->picoseconds() / ladderGain),
                          canGain(*known, below.ladder, size) ? SimTime() : *time});
  return least;
}

const Entry *Pool::below(const Entry &entry, size_t ladder) const {
  for (const CandidateSpace::Neighbour &each : space.below(entry.trial.candidate))
    if (each.ladder == ladder)
      return find(each.candidate);
  return nullptr;
}

/// The time with \p size of the candidate below \p entry on \p ladder. Unset if the step from there
/// does not show what further ones gain: messages in several pieces overlap already, and shorter
/// ones pay only when they are shorter than a slot. Such a plateau is crossed by plans near the
/// best.
std::optional<SimTime> Pool::timeBelow(const Entry &entry, size_t ladder, uint64_t size) const {
  const Entry *known = below(entry, ladder);
  if (!known)
    return std::nullopt;
  std::optional<SimTime> before = known->used.time(size), time = entry.used.time(size);
  bool isPlateau = before && time && *time <= *before && !isClearlyFaster(*time, *before) &&
                   entry.used.runs.at(size).pieces > 1;
  return isPlateau && isNearBest(*time, size, plateauPercent) ? std::nullopt : before;
}

/// Whether \p time is at most \p percent of \p best.
static bool isWithin(SimTime time, SimTime best, int64_t percent) {
  return Wide(time.picoseconds()) * 100 <= Wide(best.picoseconds()) * percent;
}

/// Whether \p time is at most \p percent of the best time with \p size.
bool Pool::isNearBest(SimTime time, uint64_t size, int64_t percent) const {
  std::optional<SimTime> known = best(size);
  return !known || isWithin(time, *known, percent);
}

/// Whether \p entry gains from its last step on \p ladder with \p size, so that another may gain.
bool Pool::canGain(const Entry &entry, size_t ladder, uint64_t size) const {
  std::optional<SimTime> time = entry.used.time(size), before = timeBelow(entry, ladder, size);
  return !time || !before || isClearlyFaster(*time, *before);
}

bool Pool::mayReachBest(const Entry &entry, size_t ladder, unsigned left, uint64_t size) const {
  return canGain(entry, ladder, size) &&
         afterDoublings(*entry.used.time(size), timeBelow(entry, ladder, size), left) < *best(size);
}

bool Pool::isStepBack(const Entry &entry, uint64_t size) const {
  const std::optional<SimTime> time = entry.used.time(size);
  if (!time || isNearBest(*time, size, plateauPercent))
    return false;
  return llvm::any_of(space.below(entry.trial.candidate), [&](const auto &below) {
    const Entry *known = find(below.candidate);
    const std::optional<SimTime> before = known ? known->used.time(size) : std::nullopt;
    return before && isClearlyFaster(*before, *time);
  });
}

/// The time that \p entry probably exceeds with \p size.
SimTime Pool::estimate(const Entry &entry, uint64_t size) const {
  SimTime least = lower(entry, size);
  // Slots of another size change the time by another factor for every size.
  if (entry.original &&
      entry.original->trial.candidate.variant.slotSize == entry.trial.candidate.variant.slotSize)
    if (auto time = expectedTime(entry.used, entry.original->used, size))
      return std::max(least, *time);
  return std::max(least, expectedTime(entry.used, size).value_or(least));
}

bool Pool::isHopeless(const Entry &entry, uint64_t size) const {
  std::optional<SimTime> known = best(size);
  if (options.exhaustive)
    return known && entry.used.load(size) > frontLimit(entry, size);
  if (options.onePlan)
    return bestMean && meanOutlook(entry) >= *bestMean;
  return known && estimate(entry, size) >= *known;
}

/// Whether \p entry is simulated with \p size. In the first rung, the smallest buffer shows cheaply
/// what a step on a ladder gains, and a plan that is not the best may be a step to it.
bool Pool::isWanted(const Entry &entry, uint64_t size) const {
  if (!isHopeless(entry, size))
    return true;
  if (stage != Stage::Climb || options.onePlan || options.exhaustive)
    return false;
  return size == problem.sizes.front() || leadsUp(entry, size);
}

/// Whether a candidate above \p entry, which is slower than another, may become the best of \p
/// size: it is not far away, or the steps to it have gained enough.
bool Pool::leadsUp(const Entry &entry, uint64_t size) const {
  const SimTime known = *best(size);
  if (entry.used.load(size) >= known)
    return false;
  if (isWithin(estimate(entry, size), known, steppedPercent))
    return true;
  bool isKnown = false;
  for (const CandidateSpace::Neighbour &below : space.below(entry.trial.candidate)) {
    const Entry *step = find(below.candidate);
    if (!step || !step->used.time(size))
      continue;
    isKnown = true;
    if (!mayReachBest(*step, below.ladder, space.stepsAbove(below.candidate, below.ladder), size))
      return false;
  }
  return isKnown;
}

bool Pool::isOpen(const Entry &entry, uint64_t size) const {
  return entry.used.isUsable() && !entry.used.runs.count(size) && !entry.used.longer.count(size) &&
         !isHopeless(entry, size);
}

/// The time above which \p entry is neither near the best of \p size nor on the Pareto front.
SimTime Pool::frontLimit(const Entry &entry, uint64_t size) const {
  auto found = fronts.find(size);
  return found == fronts.end() ? SimTime::max() : found->second.limit(entry.used);
}

/// The time at which the simulation of \p entry with \p size is stopped. There must be a runner-up.
/// In the first rung, a plan that is slower than the one below it on each ladder gains no more; in
/// the local search, a plan that is not near the best is of no interest.
std::optional<SimTime> Pool::limitOf(const Entry &entry, uint64_t size) const {
  auto found = fronts.find(size);
  if (options.onePlan || found == fronts.end() ||
      (!options.exhaustive && !found->second.hasRunnerUp()))
    return std::nullopt;
  if (stage == Stage::Local)
    return SimTime::clamped(Wide(found->second.best().picoseconds()) * localPercent / 100);
  SimTime limit = frontLimit(entry, size);
  if (stage == Stage::Climb && !options.exhaustive)
    for (const CandidateSpace::Neighbour &above : space.above(entry.trial.candidate))
      limit = std::max(limit, timeBelow(entry, above.ladder, size).value_or(SimTime::max()));
  return limit == SimTime::max() ? std::nullopt : std::optional(limit);
}

/// The geometric mean; of one time, this time.
static SimTime meanOf(ArrayRef<SimTime> times) {
  if (times.size() == 1)
    return times.front();
  double sum = 0;
  for (SimTime time : times)
    sum += std::log(double(std::max<int64_t>(time.picoseconds(), 1)));
  return SimTime(std::llround(std::exp(sum / double(times.size()))));
}

std::optional<SimTime> Pool::meanTime(const Measure &measure, const Sizes &sizes) {
  SmallVector<SimTime, 8> times;
  for (uint64_t size : sizes)
    if (std::optional<SimTime> time = measure.time(size))
      times.push_back(*time);
    else
      return std::nullopt;
  return meanOf(times);
}

/// The mean over all sizes that \p entry probably exceeds.
SimTime Pool::meanOutlook(const Entry &entry) const {
  SmallVector<SimTime, 8> times;
  for (uint64_t size : problem.sizes)
    if (auto run = entry.used.runs.find(size); run == entry.used.runs.end())
      times.push_back(estimate(entry, size));
    else if (run->second.time == SimTime::max())
      return SimTime::max();
    else
      times.push_back(run->second.time);
  return meanOf(times);
}

bool Pool::isOverTime() {
  if (options.deadline.hasPassed())
    end = SearchEnd::TimeLimit;
  return end == SearchEnd::TimeLimit;
}

bool Pool::isOverBudget(uint64_t size) {
  if (isOverTime())
    return true;
  if (!options.budget || messages < *options.budget)
    return false;
  end = SearchEnd::Budget;
  return best(size).has_value();
}

/// Takes the result of \p size over from the trial, as if the simulation had been stopped at \p
/// until.
void Pool::use(Entry &entry, uint64_t size, std::optional<SimTime> until) {
  const Measure &measure = entry.trial.measure;
  auto run = measure.runs.find(size);
  const bool runs = run == measure.runs.end() || run->second.time != SimTime::max();
  if (until && runs && measure.takesLonger(size, *until))
    return entry.used.add(size, Measure::Longer{*until});
  if (run == measure.runs.end() || entry.used.runs.count(size))
    return;
  entry.used.add(size, run->second);
  messages += run->second.messages;
  if (!runs)
    return;
  const SimTime time = run->second.time;
  if (options.onBest && time < best(size).value_or(SimTime::max()))
    options.onBest(size, time, entry.trial.candidate);
  fronts[size].add(entry.used, time);
  if (!options.onePlan)
    return;
  if (std::optional<SimTime> mean = meanTime(entry.used, problem.sizes))
    bestMean = std::min(bestMean.value_or(*mean), *mean);
}

/// Simulates the candidates with \p size, the most promising first, in groups.
void Pool::simulate(std::vector<Entry *> candidates, uint64_t size) {
  llvm::erase_if(candidates, [&](Entry *entry) {
    return !entry->used.isUsable() || entry->used.runs.count(size) ||
           entry->used.longer.count(size);
  });
  std::vector<std::pair<SimTime, size_t>> order;
  for (size_t i = 0; i < candidates.size(); ++i)
    order.emplace_back(estimate(*candidates[i], size), i);
  llvm::sort(order);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    // The first result of a large buffer drops others.
    end = std::min(order.size(), begin + (size <= large ? groupSize : best(size) ? 2 : 1));
    std::vector<Entry *> group;
    for (size_t i = begin; i < end; ++i)
      if (Entry *entry = candidates[order[i].second]; isWanted(*entry, size))
        group.push_back(entry);
    if (isOverBudget(size))
      return;
    simulateGroup(group, size);
  }
}

void Pool::simulateGroup(ArrayRef<Entry *> group, uint64_t size) {
  std::vector<std::optional<SimTime>> limits;
  std::vector<size_t> different;
  std::set<std::string> keys;
  for (size_t i = 0; i < group.size(); ++i) {
    runs.adopt(group[i]->trial, size);
    limits.push_back(limitOf(*group[i], size));
    if (keys.insert(group[i]->trial.runKey(size)).second)
      different.push_back(i);
  }
  parallelFor(options.jobs, different.size(), [&](size_t i) {
    group[different[i]]->trial.simulate(size, limits[different[i]]);
    runs.publish(group[different[i]]->trial, size);
  });
  for (size_t i = 0; i < group.size(); ++i) {
    runs.adopt(group[i]->trial, size);
    // An equal plan may have been stopped earlier.
    group[i]->trial.simulate(size, limits[i]);
    use(*group[i], size, limits[i]);
  }
}

/// Takes all but the results of sizes over from the trial.
void Pool::takeFigures(Entry &entry) {
  Measure before = std::exchange(entry.used, entry.trial.measure);
  entry.used.runs = std::move(before.runs);
  entry.used.longer = std::move(before.longer);
  if (options.order && entry.used.isUsable() && entry.used.order != options.order)
    entry.used.refusal = "another reduction order";
}

/// Simulates the sizes of \p work above \p above and up to \p upTo, in ascending order.
void Pool::simulateSizes(ArrayRef<Work::value_type> work, uint64_t above, uint64_t upTo) {
  std::set<uint64_t> all;
  for (const auto &[entry, wanted] : work)
    all.insert(wanted.begin(), wanted.end());
  for (uint64_t size : all) {
    std::vector<Entry *> candidates;
    for (const auto &[entry, wanted] : work)
      if (llvm::is_contained(wanted, size))
        candidates.push_back(entry);
    if (size > above && size <= upTo)
      simulate(std::move(candidates), size);
  }
}

/// The largest of the sizes up to \p size with which \p entry has few messages.
uint64_t Pool::probeOf(const Entry &entry, uint64_t size) const {
  uint64_t probe = problem.sizes.front();
  for (const auto &[bytes, run] : entry.used.runs)
    if (bytes <= size && run.messages <= probeMessages)
      probe = std::max(probe, bytes);
  return probe;
}

bool Pool::isSamePlan(const Entry &one, const Entry &other) {
  return one.used.isUsable() && one.used.plan == other.used.plan &&
         one.trial.candidate.variant.slotSize == other.trial.candidate.variant.slotSize;
}

/// Whether the change from \p entry to \p variant left the plan of an entry as it was of which
/// \p entry is a variant itself, as limits of channels do for trees on fixed ones.
bool Pool::hasNoEffect(const Entry &entry, const Candidate &variant) const {
  const Candidate &changed = entry.trial.candidate;
  for (const Entry *before = entry.original; before; before = before->original) {
    const Entry *known = find(CandidateSpace::combined(changed, before->trial.candidate, variant));
    if (known && known != before)
      return isSamePlan(*known, *before);
  }
  return false;
}

LogicalResult Pool::addVariants(const Entry &original, const std::vector<Candidate> &candidates,
                                const Sizes &atSizes, Work &work) {
  if (!options.exhaustive && !space.hasVariants(original.used.steps))
    return success();
  std::set<uint64_t> all(atSizes.begin(), atSizes.end());
  for (uint64_t size : atSizes)
    all.insert(probeOf(original, size));
  for (const Candidate &candidate : candidates) {
    Entry *known = find(candidate);
    if (!known && !options.exhaustive && hasNoEffect(original, candidate))
      continue;
    if (!known) {
      FailureOr<Entry *> entry = add(candidate);
      if (failed(entry))
        return failure();
      (*entry)->original = &original;
      work.emplace_back(*entry, Sizes(all.begin(), all.end()));
    } else if (llvm::any_of(atSizes, [&](uint64_t size) { return isOpen(*known, size); })) {
      work.emplace_back(known, atSizes);
    }
  }
  return success();
}

/// Uses the results that were found before the time was over, or are in files.
void Pool::useKnown(ArrayRef<Work::value_type> batch) {
  for (const auto &[entry, wanted] : batch) {
    takeFigures(*entry);
    for (uint64_t size : wanted)
      if (entry->used.isUsable())
        use(*entry, size);
  }
}

/// Does \p work in batches.
LogicalResult Pool::process(const Work &work) {
  for (size_t begin = 0; begin < work.size(); begin += batchSize) {
    ArrayRef<Work::value_type> batch =
        ArrayRef(work).slice(begin, std::min(batchSize, work.size() - begin));
    if (isOverTime()) {
      useKnown(batch);
      continue;
    }
    if (options.onStage)
      options.onStage(
          formatv("{0} candidates, {1} to do", entries.size(), work.size() - begin).str());
    parallelFor(options.jobs, batch.size(), [&](size_t i) {
      if (!options.deadline.hasPassed())
        batch[i].first->trial.compile();
    });
    for (const auto &[entry, wanted] : batch)
      takeFigures(*entry);
    simulateSizes(batch, 0, defersLarge() ? large : ~uint64_t(0));
    if (failed(finish(batch)))
      return failure();
  }
  if (!defersLarge() || isOverTime())
    return success();
  simulateSizes(work, large, ~uint64_t(0));
  return finish(work);
}

/// Writes what is new, and frees plans beyond the limit.
LogicalResult Pool::finish(ArrayRef<Work::value_type> batch) {
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

std::vector<Entry *> Pool::fastest(const Sizes &sizes, size_t count, int64_t percent) const {
  std::vector<std::pair<SimTime, size_t>> order;
  for (size_t i = 0; i < entries.size(); ++i)
    if (std::optional<SimTime> time = meanTime(entries[i]->used, sizes))
      order.emplace_back(*time, i);
  llvm::sort(order);
  std::vector<Entry *> found;
  if (order.empty())
    return found;
  SimTime least = order.front().first;
  if (sizes.size() == 1)
    least = std::min(least, best(sizes.front()).value_or(least));
  for (size_t i = 0; i < std::min(order.size(), count); ++i)
    if (isWithin(order[i].first, least, percent))
      found.push_back(entries[order[i].second].get());
  return found;
}

std::vector<Entry *> Pool::fastestParents(const Sizes &sizes, size_t count, int64_t percent) const {
  std::vector<Entry *> found;
  std::set<StringRef> plans;
  for (Entry *entry : fastest(sizes, entries.size(), percent)) {
    std::optional<SimTime> before;
    if (entry->original)
      before = meanTime(entry->original->used, sizes);
    if (found.size() < count && (!before || *meanTime(entry->used, sizes) < *before) &&
        plans.insert(entry->used.plan).second)
      found.push_back(entry);
  }
  return found;
}

std::vector<Entry *> Pool::fastestOfPrograms(const Sizes &sizes, int64_t percent) const {
  std::vector<Entry *> found;
  std::set<const dsl::Declaration *> programs;
  for (Entry *entry : fastest(sizes, entries.size(), percent))
    if (programs.insert(entry->trial.candidate.program).second)
      found.push_back(entry);
  return found;
}

LogicalResult Pool::simulateAll(const Work &work) {
  for (const auto &[entry, sizes] : work)
    for (uint64_t size : sizes)
      runs.adopt(entry->trial, size);
  parallelFor(options.jobs, work.size(), [&](size_t i) {
    for (uint64_t size : work[i].second) {
      if (options.deadline.hasPassed())
        return;
      work[i].first->trial.simulate(size);
      runs.publish(work[i].first->trial, size);
    }
  });
  for (const auto &[entry, sizes] : work)
    for (uint64_t size : sizes)
      use(*entry, size);
  return finish(work);
}

TuneResult Pool::take() {
  TuneResult result;
  isOverTime();
  for (std::unique_ptr<Entry> &entry : entries) {
    result.compilations += entry->trial.compilations;
    result.simulations += entry->trial.simulations;
    result.tried.push_back({entry->trial.candidate, std::move(entry->used)});
  }
  result.messages = messages;
  result.end = end;
  return result;
}
