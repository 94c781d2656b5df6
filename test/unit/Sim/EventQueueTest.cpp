//===- EventQueueTest.cpp - The order of events ---------------------------===//

#include "cclc/Sim/Network/EventQueue.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace cclc;

/// Pushes and pops \p events at random. A time is at most \p spread later than the last event, so
/// that many events are simultaneous if it is small.
static void compareWithMap(uint32_t events, int64_t spread, uint32_t waiting) {
  std::mt19937_64 random(spread + waiting);
  EventQueue<uint32_t> queue;
  std::multimap<SimTime, uint32_t> expected; // keeps the order of equal keys
  SimTime now;
  for (uint32_t pushed = 0; pushed < events || !expected.empty();) {
    if (pushed < events && (expected.empty() || random() % (2 * waiting) >= expected.size())) {
      SimTime time = now + SimTime(random() % spread);
      queue.push(time, pushed);
      expected.emplace(time, pushed++);
    } else {
      REQUIRE(queue.nextTime() == expected.begin()->first);
      auto entry = queue.pop();
      REQUIRE(entry.time == expected.begin()->first);
      REQUIRE(entry.event == expected.begin()->second);
      now = entry.time;
      expected.erase(expected.begin());
    }
    REQUIRE(queue.empty() == expected.empty());
  }
  CHECK(queue.count() == events);
}

TEST_CASE("events have the order of their times, then of their scheduling") {
  for (int64_t spread : {1, 2, 5, 100, 10'000, 1'000'000})
    for (uint32_t waiting : {1, 3, 50, 3'000})
      compareWithMap(20'000, spread, waiting);
}
