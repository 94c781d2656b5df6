//===- PairedRatioTest.cpp - Intervals against the binomial distribution --===//

#include "cclc/Support/PairedRatio.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <random>

using namespace cclc;

static std::optional<PairedRatio> ofRatios(std::vector<double> ratios) {
  return pairedRatio(ratios, std::vector<double>(ratios.size(), 1.0));
}

TEST_CASE("the interval of a paired ratio has the ends of the sign test") {
  // With n ratios, the k smallest are left out: P(Bin(n, 1/2) < k) <= 0.025 (printed tables).
  const std::pair<size_t, size_t> table[] = {{6, 1},   {8, 1},   {9, 2},   {11, 2},
                                             {12, 3},  {15, 4},  {20, 6},  {25, 8},
                                             {30, 10}, {50, 18}, {100, 40}};
  for (auto [pairs, k] : table) {
    std::vector<double> ratios(pairs);
    std::iota(ratios.begin(), ratios.end(), 1.0);
    std::reverse(ratios.begin(), ratios.end());
    std::optional<PairedRatio> found = ofRatios(ratios);
    REQUIRE(found);
    CHECK(found->low == double(k));
    CHECK(found->high == double(pairs - k + 1));
    CHECK(found->median == double(pairs + 1) / 2);
  }
  for (size_t pairs = 0; pairs < 6; ++pairs)
    CHECK_FALSE(ofRatios(std::vector<double>(pairs, 2.0)));
}

TEST_CASE("the interval of a paired ratio has its median in 95 of 100 samples or more") {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0.0, 0.5);
  int covered = 0, samples = 2000;
  for (int s = 0; s < samples; ++s) {
    std::vector<double> above(20), below(20);
    for (size_t i = 0; i < above.size(); ++i) {
      const double load = noise(random); // disturbs both times of a pair
      above[i] = 3 * load * noise(random);
      below[i] = 2 * load * noise(random);
    }
    const PairedRatio found = *pairedRatio(above, below);
    covered += found.low <= 1.5 && 1.5 <= found.high;
  }
  CHECK(covered >= samples * 95 / 100);
  CHECK(covered < samples);
}
