//===- ExecutionsTest.cpp - Numbers of the executions of steps ------------===//

#include "cclc/Sim/CriticalPath.h"

#include <catch2/catch.hpp>

using namespace cclc;

TEST_CASE("executions of steps with parts are numbered by trip, step and part", "[executions]") {
  const std::vector<uint64_t> parts = {1, 3, 2};
  Executions executions;
  for (uint64_t count : parts)
    executions.append(count);
  REQUIRE(executions.haveParts());
  CHECK(executions.perTrip() == 6);
  uint64_t next = 0;
  for (uint64_t trip = 0; trip < 3; ++trip)
    for (uint32_t step = 0; step < parts.size(); ++step) {
      CHECK(executions.parts(step) == parts[step]);
      for (uint32_t part = 0; part < parts[step]; ++part, ++next) {
        CHECK(executions.number(trip, step, part) == next);
        CHECK(executions.tripOf(next) == trip);
        CHECK(executions.stepOf(next) == step);
      }
    }
}

TEST_CASE("steps of one part need no table", "[executions]") {
  Executions executions(4);
  CHECK(!executions.haveParts());
  CHECK(executions.perTrip() == 4);
  CHECK(executions.parts(3) == 1);
  CHECK(executions.number(2, 3, 0) == 11);
  CHECK(executions.tripOf(11) == 2);
  CHECK(executions.stepOf(11) == 3);
}
