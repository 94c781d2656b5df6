//===- GateTest.cpp - Regression limits, exact to the picosecond ----------===//

#include "../Plans.h"

#include "cclc/Diff/Gate.h"

using namespace cclc;
using namespace cclc::test;
using namespace cclc::diff;

static RegressionGate gate(StringRef text) {
  DiagnosticEngine diags;
  FailureOr<RegressionGate> gate = parseGate(text, diags);
  if (failed(gate))
    FAIL(textOf(diags));
  return *gate;
}

static bool timeTrips(StringRef text, int64_t before, int64_t after) {
  RegressionGate one = gate(text);
  TimeDiff time{Bytes(1), SimTime(before), SimTime(after), {}, {}, {}, {}};
  std::vector<GateResult> results = applyGates(one, {}, {}, time);
  REQUIRE(results.size() == 1);
  return results.front().tripped;
}

static bool figureTrips(StringRef text, std::optional<uint64_t> before,
                        std::optional<uint64_t> after) {
  RegressionGate one = gate(text);
  Figures olds, news;
  olds.values[size_t(*one.figure)] = before;
  news.values[size_t(*one.figure)] = after;
  return applyGates(one, olds, news, {}).front().tripped;
}

TEST_CASE("a limit may be reached but not exceeded") {
  CHECK_FALSE(timeTrips("time:+2%", 1000, 1020));
  CHECK(timeTrips("time:+2%", 1000, 1021));
  CHECK_FALSE(timeTrips("time:0.05%", 2000, 2001));
  CHECK(timeTrips("time:0.05%", 2000, 2002));
  CHECK_FALSE(timeTrips("time:+1ns", 5, 1005));
  CHECK(timeTrips("time:+1ns", 5, 1006));
  CHECK_FALSE(timeTrips("time:1.5us", 0, 1'500'000));
  CHECK(timeTrips("time:1.5us", 0, 1'500'001));
  CHECK_FALSE(timeTrips("time:0", 7, 7));
  CHECK(timeTrips("time:0", 7, 8));
  CHECK_FALSE(timeTrips("time:0", 7, 6));
  // The longest times that can be represented.
  int64_t longest = SimTime::max().picoseconds();
  CHECK_FALSE(timeTrips("time:+2%", longest, longest));
  CHECK(timeTrips("time:-1ps", longest, longest));
  CHECK_FALSE(figureTrips("steps:0", 10, 10));
  CHECK(figureTrips("steps:0", 10, 11));
  CHECK_FALSE(figureTrips("scratch:+3", 0, 3));
  CHECK(figureTrips("scratch:+3", 0, 4));
  CHECK_FALSE(figureTrips("messages:50%", 3, 4));
  CHECK(figureTrips("messages:50%", 3, 5));
  // A time of 0 is within a limit of any percentage of 0.
  CHECK(figureTrips("scratch:50%", 0, 1));
}

TEST_CASE("a negative limit requires an improvement") {
  CHECK_FALSE(timeTrips("time:-5%", 1000, 950));
  CHECK(timeTrips("time:-5%", 1000, 951));
  CHECK_FALSE(figureTrips("channels:-1", 4, 3));
  CHECK(figureTrips("channels:-1", 4, 4));
  CHECK_FALSE(figureTrips("channels:-4", 4, 0));
  CHECK(figureTrips("channels:-5", 4, 0));
}

TEST_CASE("a plan that needs unlimited slots is worse than all others") {
  CHECK(figureTrips("slots:100", 1, std::nullopt));
  CHECK(figureTrips("slots:100", std::nullopt, std::nullopt));
  CHECK_FALSE(figureTrips("slots:0", std::nullopt, 100));
}

TEST_CASE("invalid limits are rejected") {
  for (const char *text :
       {"steps:", "steps:+", "steps:1.5", "steps:1ns", "steps:%", "steps:--1", "steps:1e3",
        "steps:99999999999999999999", "steps:0.00001%", "time:", "time:5", "time:ns", "time:1.ns",
        "time:1 ns", "time:1h", "time:0.5ps", "time:.5ns", "time:10000000s"}) {
    INFO(text);
    DiagnosticEngine diags;
    CHECK(failed(parseGate(text, diags)));
    CHECK(diags.all().size() == 1);
  }
}

TEST_CASE("the message of a gate contains both values") {
  RegressionGate slots = gate("slots:0"), time = gate("time:+2%");
  Figures olds, news;
  olds.values[size_t(Figure::Slots)] = 3;
  TimeDiff faster{Bytes(64), SimTime(3000), SimTime(1000), {}, {}, {}, {}};
  CHECK(applyGates(slots, olds, news, {}).front().text() ==
        "gate slots:0 tripped: slots needed 3 -> no number suffices");
  CHECK(applyGates(time, olds, news, faster).front().text() ==
        "gate time:+2% holds: time at 64 bytes 3.000 ns -> 1.000 ns (-66.67%)");
}
