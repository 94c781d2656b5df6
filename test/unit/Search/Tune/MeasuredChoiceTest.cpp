//===- MeasuredChoiceTest.cpp - Decisions on noisy times ------------------===//
//
// The times have the noise of shared machines: a load that both of a pair share, noise of each
// execution, and a factor of each job for which memory and cores are responsible.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/MeasuredChoice.h"

#include <catch2/catch.hpp>

#include <random>

using namespace cclc;

namespace {
class NoisyJobs {
public:
  explicit NoisyJobs(uint32_t seed) : random(seed) {}

  /// A job of 20 rounds with a plan that is \p ratio times as fast as the library.
  MeasuredJob job(double ratio) {
    std::lognormal_distribution<double> load(0, 0.5), noise(0, 0.08), job(0, 0.02);
    const double ofJob = job(random);
    MeasuredJob times;
    for (int round = 0; round < 20; ++round) {
      const double common = 1000 * load(random);
      times.other.push_back(common * noise(random));
      times.plan.push_back(common * noise(random) * ofJob / ratio);
    }
    return times;
  }
  /// Plans that are \p ratios times as fast as the library, measured by the rules.
  SizeContest contest(const std::vector<double> &ratios, const MeasuredRules &rules = {}) {
    SizeContest size{1024};
    for (double ratio : ratios) {
      Contestant &plan = size.plans.emplace_back(Contestant{size.plans.size() + 10, {}, {}});
      for (uint32_t j = 0; j < rules.selecting; ++j)
        plan.selecting.push_back(job(ratio));
    }
    if (std::optional<size_t> selected = size.selected())
      for (uint32_t j = 0; j < rules.confirming; ++j)
        size.plans[*selected].confirming.push_back(job(ratios[*selected]));
    return size;
  }

private:
  std::mt19937 random;
};

/// A contest that one plan has clearly won, or lost.
SizeContest settled(uint64_t bytes, size_t plan, bool wins) {
  SizeContest size{bytes};
  const MeasuredJob job{std::vector<double>(20, 100.0), std::vector<double>(20, wins ? 150 : 90)};
  size.plans.push_back({plan, {2, job}, {MeasuredRules().confirming, job}});
  return size;
}

std::vector<PlanRange> rangesOfWinners(const std::vector<SizeContest> &sizes) {
  return rangesOf(sizes, decideAll(sizes, {}));
}
} // namespace

TEST_CASE("a plan that is not faster does not replace the library") {
  NoisyJobs jobs(1);
  int wrong = 0, right = 0;
  for (int i = 0; i < 500; ++i) {
    // The best of four equal plans looks faster in the jobs that select it.
    wrong += decide(jobs.contest({1, 1, 1, 1}), {}).winner == MeasuredWinner::Plan;
    wrong += decide(jobs.contest({1.03}), {}).winner == MeasuredWinner::Plan;
    right += decide(jobs.contest({1, 1.3, 0.8}), {}).winner == MeasuredWinner::Plan;
  }
  CHECK(wrong <= 2);
  CHECK(right >= 490);
}

TEST_CASE("the jobs that select name the fastest plan") {
  NoisyJobs jobs(2);
  int right = 0;
  for (int i = 0; i < 200; ++i)
    right += jobs.contest({1, 1.2, 1.1}).selected() == 1u;
  CHECK(right >= 190);
  CHECK_FALSE(SizeContest{4}.selected());
}

TEST_CASE("a decision needs all confirming jobs, and that they agree") {
  SizeContest size = settled(64, 5, true);
  CHECK(decide(size, {}).winner == MeasuredWinner::Plan);
  CHECK(decide(size, {}).plan == 5u);
  CHECK(decide(size, {}).ratio->median == 1.5);
  CHECK(decide(size, {}).planNanoseconds == 100);
  size.plans[0].confirming.pop_back();
  CHECK(decide(size, {}).winner == MeasuredWinner::Undecided);
  size.plans[0].confirming.push_back(settled(64, 5, false).plans[0].confirming[0]);
  CHECK(decide(size, {}).winner == MeasuredWinner::Undecided);
  CHECK(decide(size, {}).jobs == MeasuredRules().confirming);
  CHECK(decide(size, {}).lost == 1);
  CHECK(decide(settled(64, 5, false), {}).winner == MeasuredWinner::Library);
}

TEST_CASE("ranges end at sizes that were measured") {
  auto range = [](size_t plan, uint64_t min, uint64_t max, size_t first, size_t last) {
    return PlanRange{plan, min, max, first, last};
  };
  using Ranges = std::vector<PlanRange>;
  CHECK(rangesOfWinners({settled(1000, 1, true), settled(2000, 1, true),
                         settled(4000, 1, false)}) == Ranges{range(1, 1000, 2000, 0, 1)});
  CHECK(rangesOfWinners({settled(1000, 1, true), settled(4000, 2, true), settled(8000, 2, true)}) ==
        Ranges{range(1, 1000, 2000, 0, 0), range(2, 2001, 8000, 1, 2)});
  // A single win among losses is none, unless it is the only size.
  CHECK(rangesOfWinners({settled(1, 1, false), settled(2, 1, true), settled(4, 1, false)}).empty());
  CHECK(rangesOfWinners({settled(2, 1, true)}) == Ranges{range(1, 2, 2, 0, 0)});
}

TEST_CASE("without a library the model's plan is used where no other one wins") {
  MeasuredRules rules{.leastRatio = 1, .hasLibrary = false};
  std::vector<SizeContest> sizes = {settled(1, 1, false), settled(2, 2, true)};
  sizes[0].plans.insert(sizes[0].plans.begin(), {7, {}, {}});
  const std::vector<MeasuredDecision> all = decideAll(sizes, rules);
  CHECK(all[0].winner == MeasuredWinner::Plan);
  CHECK(all[0].plan == 7u);
  CHECK(all[1].plan == 2u);
}
