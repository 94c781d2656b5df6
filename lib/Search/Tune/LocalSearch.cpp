//===- LocalSearch.cpp - Changes of the best plans, alone and in pairs ----===//
//
// Most changes are compared with a smaller size and leave the pool there; the large sizes are
// simulated with the few that are faster.
//
//===----------------------------------------------------------------------===//

#include "LocalSearch.h"

#include "Pool.h"
#include "TimeEstimate.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace cclc;

namespace {
/// A plan is the next centre if it needs at most this part of the time, in permille.
constexpr int64_t gainPermille = 995;
/// Changes that are combined: the plan with one of them needs at most this percentage of the time,
/// and at most this number of them for each size.
constexpr int64_t combinedPercent = 103;
constexpr size_t mostCombined = 8;
/// The times of the best plans, as multiples of that of the busiest link, between which plans that
/// keep links busy are tried.
constexpr double leastIdle = 1.01, mostIdle = 1.5;

class LocalSearch {
public:
  LocalSearch(const CandidateSpace &space, TuneResult &result, SharedRuns &runs,
              const MeasureStore &store, const TuneOptions &options, DiagnosticEngine &diags)
      : space(space), sizes(space.problem.sizes), result(result), store(store), options(options),
        diags(diags), pool(space, store, options, frontsOf(result), runs, diags) {}

  LogicalResult run() {
    const uint64_t messages = result.messages;
    for (Tried &tried : result.tried) {
      // Files may have results that the search did not use.
      auto entry = Pool::create(tried.candidate, space.problem, store, options, diags);
      if (failed(entry))
        return failure();
      (*entry)->trial.measure.merge(tried.measure);
      (*entry)->used = std::move(tried.measure);
      pool.add(std::move(*entry));
    }
    pool.begin(Pool::Stage::Local);
    if (failed(trySaturating()))
      return failure();
    for (std::vector<Centre> centres = nextCentres(); !centres.empty(); centres = nextCentres())
      if (failed(tryChanges(centres)) || failed(tryPairs(centres)))
        return failure();
    TuneResult found = pool.take();
    found.messages += messages;
    found.compilations += result.compilations;
    found.simulations += result.simulations;
    found.end = std::max(found.end, result.end);
    result = std::move(found);
    return success();
  }

private:
  struct Centre {
    Entry *entry;
    uint64_t size;
  };

  static ParetoFronts frontsOf(const TuneResult &result) {
    ParetoFronts fronts;
    for (const Tried &tried : result.tried)
      for (const auto &[size, run] : tried.measure.runs)
        if (tried.measure.time(size))
          fronts[size].add(tried.measure, run.time);
    return fronts;
  }

  /// Tries plans that keep the busiest link busy with the sizes whose best plan nearly does.
  LogicalResult trySaturating() {
    Pool::Work work;
    for (const CandidateSpace::Saturating &each : space.saturating()) {
      Pool::Sizes open;
      llvm::copy_if(sizes, std::back_inserter(open), [&](uint64_t size) {
        const double busy = each.secondsPerByte * double(size) * 1e12;
        const std::optional<SimTime> best = pool.best(size);
        return best && double(best->picoseconds()) > busy * leastIdle &&
               double(best->picoseconds()) < busy * mostIdle;
      });
      if (open.empty())
        continue;
      FailureOr<Entry *> entry = pool.add(each.candidate);
      if (failed(entry))
        return failure();
      work.emplace_back(*entry, std::move(open));
    }
    return pool.process(work);
  }

  /// The best plan of each size where it is clearly faster than the last centre.
  std::vector<Centre> nextCentres() {
    std::vector<Centre> centres;
    for (uint64_t size : sizes)
      for (Entry *entry : pool.fastest({size}, 1, 100)) {
        const SimTime time = *entry->used.time(size);
        auto last = centred.find(size);
        if (last != centred.end() &&
            Wide(time.picoseconds()) * 1000 > Wide(last->second.picoseconds()) * gainPermille)
          continue;
        centred[size] = time;
        centres.push_back({entry, size});
      }
    return centres;
  }

  LogicalResult tryChanges(ArrayRef<Centre> centres) {
    Pool::Work work;
    for (const Centre &centre : centres)
      if (failed(pool.addVariants(*centre.entry, changesOf(centre), {centre.size}, work)))
        return failure();
    return pool.process(work);
  }

  std::vector<Candidate> changesOf(const Centre &centre) const {
    const Candidate &best = centre.entry->trial.candidate;
    std::vector<Candidate> changes = space.moves(best, centre.entry->used.channels);
    if (!gainsFromInstances(centre))
      llvm::erase_if(changes, [&](const Candidate &each) {
        return each.variant.instances > best.variant.instances;
      });
    return changes;
  }

  /// Whether the plan gains from its last doubling of instances, so that another one may gain.
  bool gainsFromInstances(const Centre &centre) const {
    Candidate half = centre.entry->trial.candidate;
    half.variant.instances /= 2;
    const Entry *known = half.variant.instances ? pool.find(half) : nullptr;
    const std::optional<SimTime> before = known ? known->used.time(centre.size) : std::nullopt;
    return !before || isClearlyFaster(*centre.entry->used.time(centre.size), *before);
  }

  /// Tries the changes two by two, the least harmful first.
  LogicalResult tryPairs(ArrayRef<Centre> centres) {
    Pool::Work work;
    for (const Centre &centre : centres) {
      std::vector<std::pair<SimTime, size_t>> order;
      const std::vector<Candidate> changes = changesOf(centre);
      const SimTime best = *centre.entry->used.time(centre.size);
      for (size_t c = 0; c < changes.size(); ++c)
        if (const Entry *known = pool.find(changes[c]))
          if (std::optional<SimTime> time = known->used.time(centre.size);
              time && !Pool::isSamePlan(*known, *centre.entry) &&
              Wide(time->picoseconds()) * 100 <= Wide(best.picoseconds()) * combinedPercent)
            order.emplace_back(*time, c);
      llvm::sort(order);
      order.resize(std::min(order.size(), mostCombined));
      std::vector<Candidate> pairs;
      for (size_t i = 0; i < order.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          pairs.push_back(CandidateSpace::combined(
              centre.entry->trial.candidate, changes[order[j].second], changes[order[i].second]));
      if (failed(pool.addVariants(*centre.entry, pairs, {centre.size}, work)))
        return failure();
    }
    return pool.process(work);
  }

  const CandidateSpace &space;
  ArrayRef<uint64_t> sizes;
  TuneResult &result;
  const MeasureStore &store;
  const TuneOptions &options;
  DiagnosticEngine &diags;
  Pool pool;
  std::map<uint64_t, SimTime> centred; ///< the times of the last centres
};
} // namespace

LogicalResult cclc::searchAroundBest(const CandidateSpace &space, TuneResult &result,
                                     SharedRuns &runs, const MeasureStore &store,
                                     const TuneOptions &options, DiagnosticEngine &diags) {
  return LocalSearch(space, result, runs, store, options, diags).run();
}
