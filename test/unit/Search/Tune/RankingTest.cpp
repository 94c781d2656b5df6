//===- RankingTest.cpp - The order of candidates with equal times ---------===//

#include "cclc/Search/Tune/Tuner.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
struct Plan {
  int64_t nanoseconds;
  uint32_t threadblocks;
  std::optional<uint64_t> slotSize;
  std::optional<uint32_t> slots;
};

std::vector<size_t> ranked(ArrayRef<Plan> plans) {
  TuneResult result;
  for (const Plan &plan : plans) {
    Tried tried{Candidate{}, Measure{}};
    if (plan.slotSize)
      tried.candidate.variant.slotSize = Bytes(*plan.slotSize);
    tried.candidate.variant.slots = plan.slots;
    tried.measure.threadblocks = plan.threadblocks;
    tried.measure.runs[1024] = {SimTime::nanoseconds(plan.nanoseconds)};
    result.tried.push_back(std::move(tried));
  }
  return result.ranking(1024);
}
} // namespace

TEST_CASE("of plans with equal times, that with least resources comes first", "[tune]") {
  CHECK(ranked({{9, 1, {}, {}}, {8, 5, 65536, 2}}) == std::vector<size_t>{1, 0});
  CHECK(ranked({{9, 3, {}, {}}, {9, 2, 65536, 2}}) == std::vector<size_t>{1, 0});
  CHECK(ranked({{9, 2, 65536, {}}, {9, 2, 4096, 4}, {9, 2, 4096, 2}, {9, 2, {}, {}}}) ==
        std::vector<size_t>{3, 2, 1, 0});
}
