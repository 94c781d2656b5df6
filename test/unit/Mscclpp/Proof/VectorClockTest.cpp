//===- VectorClockTest.cpp - Random clocks against maps -------------------===//

#include "VectorClock.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace cclc::mscclpp;

TEST_CASE("clocks know what maps know, whatever they share", "[mscclpp][proof]") {
  constexpr uint32_t actors = 40, numClocks = 6;
  std::mt19937 random(7);
  std::vector<VectorClock> clocks(numClocks);
  std::vector<std::map<uint32_t, uint32_t>> known(numClocks);
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t one = random() % numClocks, other = random() % numClocks;
    switch (random() % 8) {
    case 0:
      clocks[one].clear();
      known[one].clear();
      break;
    case 1:
      clocks[one] = clocks[other];
      known[one] = known[other];
      break;
    case 2:
    case 3:
      clocks[one].join(clocks[other]);
      for (auto [actor, segments] : known[other])
        known[one][actor] = std::max(known[one][actor], segments);
      break;
    default:
      const uint32_t actor = random() % actors;
      clocks[one].set(actor, ++known[one][actor]);
    }
    for (uint32_t c = 0; c < numClocks; ++c)
      for (uint32_t actor = 0; actor < actors + 2; ++actor)
        if (clocks[c][actor] != (known[c].count(actor) ? known[c].at(actor) : 0))
          FAIL("clock " << c << " of actor " << actor << " after step " << step);
  }
  SUCCEED();
}
