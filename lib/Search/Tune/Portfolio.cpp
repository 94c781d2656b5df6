//===- Portfolio.cpp - Few plans for all sizes ----------------------------===//
//
// Dynamic programming over the measured sizes: the best cover of the first sizes by a number of
// ranges, for each end of the last range and each plan in it. Without a limit, a plan may be used
// for a size only if it is near the best there; the number of ranges comes first, then the
// threadblocks of their plans. What remains, or comes first with a limit, is the sum of the
// relative losses. Sizes without any plan are left out first; no range extends over them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Portfolio.h"

#include "cclc/Search/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace cclc;

namespace {
/// A cover of the served sizes before some index.
struct Cover {
  uint32_t ranges = 0;
  uint64_t threadblocks = 0; ///< the sum over the ranges
  uint64_t loss = 0;         ///< the sum of losses in millionths
  size_t plan = 0, begin = 0;
  size_t before = 0; ///< the number of ranges of the cover up to \c begin
  std::array<uint64_t, 3> key(bool rangesFirst) const {
    if (rangesFirst)
      return {ranges, threadblocks, loss};
    return {loss, ranges, threadblocks};
  }
};

class Coverage {
public:
  Coverage(ArrayRef<uint64_t> sizes, ArrayRef<TimesOfPlan> plans, const PortfolioOptions &options)
      : sizes(sizes), plans(plans), options(options) {
    for (size_t s = 0; s < sizes.size(); ++s) {
      SimTime best = SimTime::max();
      for (const TimesOfPlan &times : plans)
        best = std::min(best, times[s].value_or(SimTime::max()));
      bests.push_back(best);
      if (best != SimTime::max())
        served.push_back(s);
    }
  }

  std::vector<PlanRange> find() {
    if (served.empty())
      return {};
    uint32_t most = options.maxPlans.value_or(served.size());
    most = std::min<uint32_t>(most, served.size());
    // covers[n][k]: the best cover of the first n served sizes with k ranges.
    covers.assign(served.size() + 1, std::vector<std::optional<Cover>>(most + 1));
    covers[0][0] = Cover();
    for (size_t begin = 0; begin < served.size(); ++begin)
      for (uint32_t k = 0; k < most; ++k)
        if (covers[begin][k])
          extend(begin, k);
    std::optional<Cover> best;
    for (const std::optional<Cover> &cover : covers.back())
      if (cover && (!best || cover->key(!options.maxPlans) < best->key(!options.maxPlans)))
        best = cover;
    return best ? trace(*best) : std::vector<PlanRange>();
  }

private:
  /// The relative loss of a plan, in millionths; unset if it may not be used for the size.
  std::optional<uint64_t> loss(size_t plan, size_t size) const {
    std::optional<SimTime> time = plans[plan][size];
    if (!time)
      return std::nullopt;
    Wide best = std::max<int64_t>(bests[size].picoseconds(), 1);
    Wide more = time->picoseconds() - bests[size].picoseconds();
    if (!options.maxPlans && more * 1000 > best * options.permille)
      return std::nullopt;
    return uint64_t(more * 1'000'000 / best);
  }

  /// Adds a range that begins after the cover of \p begin sizes by \p k ranges.
  void extend(size_t begin, uint32_t k) {
    const Cover from = *covers[begin][k];
    for (size_t plan = 0; plan < plans.size(); ++plan) {
      uint64_t threadblocks = options.threadblocks.empty() ? 0 : options.threadblocks[plan];
      Cover cover{k + 1, from.threadblocks + threadblocks, from.loss, plan, begin, k};
      for (size_t end = begin; end < served.size(); ++end) {
        std::optional<uint64_t> more = loss(plan, served[end]);
        if (!more || (end > begin && served[end] != served[end - 1] + 1))
          break;
        cover.loss += *more;
        std::optional<Cover> &known = covers[end + 1][k + 1];
        if (!known || cover.key(!options.maxPlans) < known->key(!options.maxPlans))
          known = cover;
      }
    }
  }

  std::vector<PlanRange> trace(Cover cover) const {
    std::vector<PlanRange> ranges;
    for (size_t end = served.size();;) {
      const size_t first = served[cover.begin], last = served[end - 1];
      ranges.insert(ranges.begin(), {cover.plan, sizes[first], sizes[last], first, last});
      end = cover.begin;
      if (end == 0)
        break;
      cover = *covers[end][cover.before];
    }
    for (size_t i = 0; i + 1 < ranges.size(); ++i) {
      if (ranges[i + 1].firstSize != ranges[i].lastSize + 1)
        continue;
      ranges[i + 1].minBytes = change(ranges[i], ranges[i + 1]);
      ranges[i].maxBytes = ranges[i + 1].minBytes - 1;
    }
    return ranges;
  }

  /// The first size of \p next, which follows \p range.
  uint64_t change(const PlanRange &range, const PlanRange &next) const {
    size_t a = range.lastSize, b = next.firstSize;
    const auto &old = plans[range.plan], &other = plans[next.plan];
    // A plan is not used above the largest size at which it ran.
    if (!old[b])
      return sizes[a] + 1;
    if (!other[a])
      return sizes[b];
    Wide behind = (*other[a] - *old[a]).picoseconds(), ahead = (*old[b] - *other[b]).picoseconds();
    behind = std::max<Wide>(behind, 0);
    ahead = std::max<Wide>(ahead, 0);
    if (behind + ahead == 0)
      return sizes[b];
    uint64_t at = sizes[a] + uint64_t(Wide(sizes[b] - sizes[a]) * behind / (behind + ahead));
    return std::clamp(at, sizes[a] + 1, sizes[b]);
  }

  ArrayRef<uint64_t> sizes;
  ArrayRef<TimesOfPlan> plans;
  const PortfolioOptions &options;
  std::vector<SimTime> bests; ///< by size
  std::vector<size_t> served; ///< the indices of sizes that some plan runs with
  std::vector<std::vector<std::optional<Cover>>> covers;
};
} // namespace

std::vector<PlanRange> cclc::coverSizes(ArrayRef<uint64_t> sizes, ArrayRef<TimesOfPlan> plans,
                                        const PortfolioOptions &options) {
  return Coverage(sizes, plans, options).find();
}

std::vector<PlanRange> cclc::choosePlans(const TuneProblem &problem, const TuneResult &result,
                                         std::optional<uint32_t> maxPlans) {
  std::vector<TimesOfPlan> times;
  PortfolioOptions options;
  options.maxPlans = maxPlans;
  for (const Tried &tried : result.tried) {
    times.emplace_back();
    for (uint64_t size : problem.sizes)
      times.back().push_back(tried.measure.time(size));
    options.threadblocks.push_back(tried.measure.threadblocks);
  }
  std::vector<PlanRange> ranges = coverSizes(problem.sizes, times, options);
  const uint64_t multiple = problem.sizeMultiple();
  llvm::erase_if(ranges, [&](const PlanRange &range) {
    return range.maxBytes / multiple * multiple < range.minBytes;
  });
  return ranges;
}
