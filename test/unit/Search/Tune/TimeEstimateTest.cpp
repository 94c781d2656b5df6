//===- TimeEstimateTest.cpp - Closed forms of bounds and expectations -----===//
//
// The times are those of models with a closed form: a latency and a time per byte, and a pipeline
// of pieces.
//
//===----------------------------------------------------------------------===//

#include "TimeEstimate.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
constexpr uint64_t MiB = uint64_t(1) << 20;

/// A latency of 5 us, and 2 ps for each byte.
int64_t linear(uint64_t size) { return 5'000'000 + 2 * int64_t(size); }

Measure measured(std::initializer_list<uint64_t> sizes, uint32_t pieces,
                 int64_t (*model)(uint64_t) = linear) {
  Measure measure;
  measure.isCompiled = true;
  for (uint64_t size : sizes)
    measure.runs[size] = {SimTime(model(size)), 1, pieces};
  return measure;
}

/// Pieces of 1 MiB in a pipeline of \p stages, each of which takes 10 us for a piece.
int64_t pipelined(uint64_t size, uint64_t stages = 5) {
  return int64_t(size / MiB + stages - 1) * 10'000'000;
}
} // namespace

TEST_CASE("without results the bytes of a link limit the time", "[tune]") {
  Measure measure;
  CHECK(leastTime(measure, MiB) == SimTime());
  // 3 of 4 chunks of the buffer over a link of 1 GB/s.
  measure.loadChunks = 3;
  measure.bufferChunks = 4;
  measure.loadRate = Bandwidth(1'000'000'000);
  CHECK(leastTime(measure, 4'000'000) == SimTime(3'000'000'000));
  CHECK_FALSE(expectedTime(measure, 4'000'000));
}

TEST_CASE("the least time is that of a smaller size and a sixth of the growth", "[tune]") {
  CHECK(leastTime(measured({MiB}, 1), 4 * MiB) == SimTime(linear(MiB)));
  // From 1 to 2 MiB the time grows by 2 ps a byte; each further byte takes a third of a picosecond.
  Measure two = measured({MiB, 2 * MiB}, 2);
  CHECK(leastTime(two, 5 * MiB) == SimTime(linear(2 * MiB) + int64_t(MiB)));
  // The growth of one piece, in which nothing overlaps, says nothing of several.
  CHECK(leastTime(measured({MiB, 2 * MiB}, 1), 5 * MiB) == SimTime(linear(2 * MiB)));
  // Larger sizes say nothing about smaller ones.
  CHECK(leastTime(two, MiB) == SimTime());
  // A size that does not run hides those below it.
  two.runs[3 * MiB] = {SimTime::max()};
  CHECK(leastTime(two, 5 * MiB) == SimTime());
  // A time that falls has no growth.
  Measure falling = measured({MiB}, 1);
  falling.runs[2 * MiB] = {SimTime(linear(MiB) - 1), 1, 1};
  CHECK(leastTime(falling, 5 * MiB) == SimTime(linear(MiB) - 1));
}

TEST_CASE("the load binds where it exceeds smaller sizes", "[tune]") {
  Measure measure = measured({MiB}, 1);
  measure.loadChunks = measure.bufferChunks = 1;
  measure.loadRate = Bandwidth(500'000'000'000); // 2 ps a byte
  CHECK(leastTime(measure, 2 * MiB) == SimTime(linear(MiB)));
  CHECK(leastTime(measure, 64 * MiB) == SimTime(2 * 64 * int64_t(MiB)));
}

TEST_CASE("a size with many pieces and one with few are extrapolated", "[tune]") {
  Measure measure;
  measure.runs[64 * MiB] = {SimTime(pipelined(64 * MiB, 40)), 1, 64};
  // One size does not tell a deep pipeline from slow stages.
  CHECK_FALSE(expectedTime(measure, 1024 * MiB));
  measure.runs[MiB] = {SimTime(pipelined(MiB, 40)), 1, 1};
  // 2 percent, and 4 pieces of 64.
  CHECK(*expectedTime(measure, 1024 * MiB) == SimTime(pipelined(1024 * MiB, 40) * 92 / 100));
  // Below 16 pieces both sizes must be steady.
  measure.runs.clear();
  measure.runs[MiB] = {SimTime(pipelined(MiB)), 1, 1};
  measure.runs[15 * MiB] = {SimTime(pipelined(15 * MiB)), 1, 15};
  CHECK_FALSE(expectedTime(measure, 64 * MiB));
}

TEST_CASE("two steady sizes are extrapolated, less a margin by distance", "[tune]") {
  // One doubling from one doubling: 3 percent. Two doublings from two: 6 percent.
  CHECK(*expectedTime(measured({2 * MiB, 4 * MiB}, 4), 8 * MiB) ==
        SimTime(linear(8 * MiB) * 97 / 100));
  CHECK(*expectedTime(measured({MiB, 4 * MiB}, 4), 16 * MiB) ==
        SimTime(linear(16 * MiB) * 94 / 100));
  // The margin has a limit of 40 percent.
  CHECK(*expectedTime(measured({1024, MiB}, 4), 1024 * MiB) ==
        SimTime(linear(1024 * MiB) * 60 / 100));
  CHECK_FALSE(expectedTime(measured({2 * MiB, 4 * MiB}, 3), 8 * MiB));
}

TEST_CASE("an expectation does not exceed the time of a pipeline", "[tune]") {
  for (uint64_t stages : {1, 5, 31, 127})
    for (uint64_t first = 1; first <= 64; first *= 2)
      for (uint64_t second = 2 * first; second <= 256; second *= 2)
        for (uint64_t size = 2 * second; size <= 4096; size *= 2) {
          INFO(stages << " " << first << " " << second << " " << size);
          Measure measure;
          for (uint64_t each : {first, second})
            measure.runs[each * MiB] = {SimTime(pipelined(each * MiB, stages)), 1, uint32_t(each)};
          CHECK(leastTime(measure, size * MiB) <= SimTime(pipelined(size * MiB, stages)));
          if (auto time = expectedTime(measure, size * MiB))
            CHECK(*time <= SimTime(pipelined(size * MiB, stages)));
        }
}

TEST_CASE("a stopped simulation is extrapolated from its limit", "[tune]") {
  // The plan takes 560 us with 32 MiB, of which 500 were simulated.
  auto model = [](uint64_t size) { return pipelined(size, 25); };
  Measure stopped = measured({4 * MiB}, 4, model);
  CHECK_FALSE(expectedTime(stopped, 256 * MiB));
  stopped.longer[32 * MiB] = {SimTime(500'000'000)};
  // From 280 to 500 us in 28 MiB, and 1760 us more in 224 MiB, less a margin of 2 + 3 * 3 percent.
  CHECK(*expectedTime(stopped, 256 * MiB) == SimTime(int64_t(2260'000'000) * 89 / 100));
  CHECK(leastTime(stopped, 64 * MiB) >= SimTime(500'000'000));
  // Two runs may say more than a limit.
  Measure both = measured({2 * MiB, 4 * MiB}, 4, model);
  const SimTime byRuns = *expectedTime(both, 256 * MiB);
  both.longer[32 * MiB] = {SimTime(300'000'000)};
  CHECK(*expectedTime(both, 256 * MiB) == byRuns);
  // A size with one piece does not show how their number grows.
  Measure single = measured({MiB}, 1);
  single.longer[2 * MiB] = {SimTime(linear(MiB) * 2)};
  CHECK_FALSE(expectedTime(single, 4 * MiB));
}

TEST_CASE("a similar plan has the ratio of the largest size of both", "[tune]") {
  Measure similar = measured({MiB, 4 * MiB, 16 * MiB}, 4);
  Measure measure;
  measure.runs[MiB] = {SimTime(linear(MiB) * 3), 1, 4};
  measure.runs[4 * MiB] = {SimTime(linear(4 * MiB) * 2), 1, 4};
  CHECK(*expectedTime(measure, similar, 16 * MiB) == SimTime(linear(16 * MiB) * 2));
  CHECK(*expectedTime(measure, similar, 4 * MiB) == SimTime(linear(4 * MiB) * 3));
  CHECK_FALSE(expectedTime(measure, similar, MiB));
  CHECK_FALSE(expectedTime(measure, similar, 64 * MiB));
  // Few pieces are not steady, and smaller sizes are not asked instead.
  measure.runs[4 * MiB].pieces = 3;
  CHECK_FALSE(expectedTime(measure, similar, 16 * MiB));
}

TEST_CASE("a gain of one percent is not clear", "[tune]") {
  CHECK(isClearlyFaster(SimTime(9899), SimTime(10000)));
  CHECK_FALSE(isClearlyFaster(SimTime(9900), SimTime(10000)));
}

TEST_CASE("gains of doublings do not increase", "[tune]") {
  CHECK(afterDoublings(SimTime(6400), std::nullopt, 0) == SimTime(6400));
  CHECK(afterDoublings(SimTime(6400), std::nullopt, 3) == SimTime(800));
  // The last doubling left three quarters, and each further one leaves as much.
  CHECK(afterDoublings(SimTime(4800), SimTime(6400), 2) == SimTime(2700));
  // It cannot leave less than half.
  CHECK(afterDoublings(SimTime(6400), SimTime(25600), 2) == SimTime(1600));
}
