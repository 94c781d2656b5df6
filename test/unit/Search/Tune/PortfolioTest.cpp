//===- PortfolioTest.cpp - Ranges of sizes without overlap ----------------===//

#include "cclc/Search/Tune/Portfolio.h"

#include <catch2/catch.hpp>

#include <array>
#include <random>

using namespace cclc;

namespace {
std::vector<std::optional<SimTime>> times(std::initializer_list<int64_t> list) {
  std::vector<std::optional<SimTime>> result;
  for (int64_t time : list)
    result.push_back(time ? std::optional(SimTime(time)) : std::nullopt);
  return result;
}

/// What a cover minimises, the most important first.
using Key = std::array<uint64_t, 3>;

Key keyOf(const PortfolioOptions &options, uint64_t ranges, uint64_t threadblocks, uint64_t loss) {
  return options.maxPlans ? Key{loss, ranges, threadblocks} : Key{ranges, threadblocks, loss};
}

bool isServed(ArrayRef<TimesOfPlan> plans, size_t size) {
  for (const TimesOfPlan &plan : plans)
    if (plan[size])
      return true;
  return false;
}

/// The least key over all assignments of plans to the sizes that some plan runs with.
std::optional<Key> bruteForce(ArrayRef<uint64_t> sizes, ArrayRef<TimesOfPlan> plans,
                              const PortfolioOptions &options) {
  std::optional<Key> best;
  size_t all = 1;
  for (size_t s = 0; s < sizes.size(); ++s)
    all *= plans.size();
  for (size_t number = 0; number < all; ++number) {
    uint64_t ranges = 0, threadblocks = 0, sum = 0;
    size_t rest = number, before = plans.size();
    bool works = true;
    for (size_t s = 0; s < sizes.size() && works; ++s, rest /= plans.size()) {
      size_t plan = rest % plans.size();
      if (!isServed(plans, s)) {
        works = plan == 0; // once
        before = plans.size();
        continue;
      }
      if (plan != before) {
        ++ranges;
        threadblocks += options.threadblocks[plan];
      }
      before = plan;
      int64_t least = SimTime::max().picoseconds();
      for (const TimesOfPlan &other : plans)
        least = std::min(least, other[s].value_or(SimTime::max()).picoseconds());
      works = plans[plan][s].has_value();
      if (!works)
        break;
      int64_t more = plans[plan][s]->picoseconds() - least;
      works = options.maxPlans || more * 1000 <= least * options.permille;
      sum += uint64_t(more) * 1'000'000 / uint64_t(least);
    }
    if (!works || ranges == 0 || (options.maxPlans && ranges > *options.maxPlans))
      continue;
    Key key = keyOf(options, ranges, threadblocks, sum);
    best = std::min(best.value_or(key), key);
  }
  return best;
}
} // namespace

TEST_CASE("plans change where their times cross", "[tune]") {
  // The lines through (100, 10), (200, 30) and (100, 20), (200, 24) cross at 162.5.
  std::vector<TimesOfPlan> plans = {times({10, 30}), times({20, 24})};
  std::vector<PlanRange> ranges = coverSizes({100, 200}, plans);
  CHECK(ranges == std::vector<PlanRange>{{0, 100, 161, 0, 0}, {1, 162, 200, 1, 1}});
}

TEST_CASE("a plan is not used beyond the sizes at which it ran", "[tune]") {
  std::vector<TimesOfPlan> plans = {times({10, 0}), times({20, 24})};
  CHECK(coverSizes({100, 200}, plans) ==
        std::vector<PlanRange>{{0, 100, 100, 0, 0}, {1, 101, 200, 1, 1}});
  plans = {times({10, 30}), times({0, 24})};
  CHECK(coverSizes({100, 200}, plans) ==
        std::vector<PlanRange>{{0, 100, 199, 0, 0}, {1, 200, 200, 1, 1}});
}

TEST_CASE("sizes that no plan runs with are left out", "[tune]") {
  std::vector<TimesOfPlan> plans = {times({0, 10, 0, 30, 30, 0})};
  CHECK(coverSizes({1, 20, 300, 1000, 2000, 4000}, plans) ==
        std::vector<PlanRange>{{0, 20, 20, 1, 1}, {0, 1000, 2000, 3, 4}});
  PortfolioOptions options;
  options.maxPlans = 1;
  CHECK(coverSizes({1, 20, 300, 1000, 2000, 4000}, plans, options).empty());
  CHECK(coverSizes({1, 2}, {times({0, 0})}).empty());
}

TEST_CASE("one plan covers sizes at which it is within one percent", "[tune]") {
  std::vector<TimesOfPlan> plans = {times({1000, 2000, 3000}), times({1010, 1990, 2980}),
                                    times({2000, 1980, 4000})};
  CHECK(coverSizes({1, 2, 3}, plans) == std::vector<PlanRange>{{1, 1, 3, 0, 2}});
}

TEST_CASE("of equally good plans, that with few threadblocks is chosen", "[tune]") {
  std::vector<TimesOfPlan> plans = {times({1000, 2000}), times({1010, 2020}), times({1011, 2000})};
  PortfolioOptions options;
  options.threadblocks = {40, 8, 2};
  CHECK(coverSizes({1, 2}, plans, options) == std::vector<PlanRange>{{1, 1, 2, 0, 1}});
  options.maxPlans = 2;
  CHECK(coverSizes({1, 2}, plans, options) == std::vector<PlanRange>{{0, 1, 2, 0, 1}});
}

TEST_CASE("a limit on plans may leave sizes uncovered", "[tune]") {
  std::vector<TimesOfPlan> plans = {times({10, 0}), times({0, 24})};
  PortfolioOptions options;
  options.maxPlans = 1;
  CHECK(coverSizes({1, 2}, plans, options).empty());
  options.maxPlans = 2;
  CHECK(coverSizes({1, 2}, plans, options).size() == 2);
  CHECK(coverSizes({}, plans).empty());
}

TEST_CASE("covers are optimal, without overlap and without gap but for sizes without a plan",
          "[tune]") {
  std::mt19937 random(20250131);
  size_t covered = 0;
  for (unsigned run = 0; run < 400; ++run) {
    std::vector<uint64_t> sizes;
    for (size_t s = 0, count = 1 + random() % 5; s < count; ++s)
      sizes.push_back((s ? sizes.back() : 0) + 1 + random() % 1000);
    std::vector<TimesOfPlan> plans(1 + random() % 4);
    for (TimesOfPlan &plan : plans)
      for (size_t s = 0; s < sizes.size(); ++s)
        plan.push_back(random() % 4 ? std::optional(SimTime(990 + random() % 30)) : std::nullopt);
    PortfolioOptions options;
    for (size_t plan = 0; plan < plans.size(); ++plan)
      options.threadblocks.push_back(1 + random() % 4);
    if (random() % 2)
      options.maxPlans = 1 + random() % 3;
    std::vector<PlanRange> ranges = coverSizes(sizes, plans, options);
    auto expected = bruteForce(sizes, plans, options);
    REQUIRE(ranges.empty() == !expected.has_value());
    if (ranges.empty())
      continue;
    ++covered;
    std::vector<bool> isCovered(sizes.size());
    REQUIRE(ranges.front().minBytes == sizes[ranges.front().firstSize]);
    REQUIRE(ranges.back().maxBytes == sizes[ranges.back().lastSize]);
    uint64_t loss = 0, threadblocks = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
      const PlanRange &range = ranges[i];
      threadblocks += options.threadblocks[range.plan];
      REQUIRE(range.minBytes <= range.maxBytes);
      if (i > 0 && ranges[i - 1].lastSize + 1 == range.firstSize)
        REQUIRE(ranges[i - 1].maxBytes + 1 == range.minBytes);
      else if (i > 0)
        REQUIRE((ranges[i - 1].maxBytes == sizes[ranges[i - 1].lastSize] &&
                 range.minBytes == sizes[range.firstSize]));
      for (size_t s = range.firstSize; s <= range.lastSize; ++s) {
        isCovered[s] = true;
        REQUIRE(plans[range.plan][s]);
        REQUIRE((sizes[s] >= range.minBytes && sizes[s] <= range.maxBytes));
        int64_t least = SimTime::max().picoseconds();
        for (const TimesOfPlan &other : plans)
          least = std::min(least, other[s].value_or(SimTime::max()).picoseconds());
        loss += uint64_t(plans[range.plan][s]->picoseconds() - least) * 1'000'000 / uint64_t(least);
      }
    }
    for (size_t s = 0; s < sizes.size(); ++s)
      REQUIRE(isCovered[s] == isServed(plans, s));
    CHECK(*expected == keyOf(options, ranges.size(), threadblocks, loss));
  }
  CHECK(covered > 100);
}
