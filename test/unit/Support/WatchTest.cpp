//===- WatchTest.cpp - Looks during long work -----------------------------===//

#include "cclc/Support/Watch.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <thread>

using namespace cclc;

TEST_CASE("Looks call the function of the innermost watch of their thread") {
  int outer = 0, inner = 0;
  Watch::look();
  {
    const Watch watch({}, [&] { ++outer; });
    Watch::look();
    {
      const Watch other({}, [&] { ++inner; });
      Watch::look();
      Watch::look();
    }
    std::thread([] { Watch::look(); }).join();
    Watch::look();
  }
  Watch::look();
  CHECK(outer == 2);
  CHECK(inner == 2);
}

TEST_CASE("A watch calls its function once in an interval") {
  int calls = 0;
  const Watch watch(std::chrono::hours(1), [&] { ++calls; });
  Watch::look();
  CHECK(calls == 0);
}

TEST_CASE("An exception of its function ends the work and the watch") {
  auto work = [] {
    const Watch watch({}, [] { throw std::runtime_error("interrupted"); });
    Watch::look();
  };
  CHECK_THROWS_AS(work(), std::runtime_error);
  CHECK_NOTHROW(Watch::look());
}
