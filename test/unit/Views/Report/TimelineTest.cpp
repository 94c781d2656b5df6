//===- TimelineTest.cpp - Recorded events match the simulation ------------===//

#include "../../Sim/Simulation.h"

#include "cclc/Views/Report/Timeline.h"

#include <numeric>

using namespace cclc;
using namespace cclc::test;

namespace {
ExecPlan ring(uint32_t ranks) {
  Recipe recipe;
  recipe.program = "allreduce_ring";
  recipe.ranks = ranks;
  return compiled(recipe);
}

uint64_t sum(ArrayRef<uint64_t> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t(0));
}
} // namespace

TEST_CASE("link activity keeps every byte, independent of the number of merges") {
  LinkActivity activity(2);
  LinkId used(1);
  // 3 bytes in 7 ps divide evenly into no slice.
  for (int64_t ps = 0; ps < 2'000'000; ps += 1999)
    activity.add(used, Bytes(3), SimTime(ps), SimTime(ps + 7));
  CHECK(sum(activity.bins(used)) == 3 * 1001);
  CHECK(activity.bins(used).size() <= LinkActivity::maxBins);
  // 2 us in 128 slices of a power of two of nanoseconds.
  CHECK(activity.binWidth() == SimTime::nanoseconds(16));
  CHECK(activity.bins(LinkId(0)).empty());
}

TEST_CASE("link activity distributes bytes over the slices of their transfer") {
  LinkActivity activity(1);
  LinkId link(0);
  activity.add(link, Bytes(1000), SimTime(500), SimTime(3000));
  CHECK(activity.bins(link).vec() == std::vector<uint64_t>{200, 400, 400, 0});
  // An instantaneous transfer: all bytes are in one slice.
  activity.add(link, Bytes(7), SimTime(2500), SimTime(2500));
  CHECK(activity.bins(link).vec() == std::vector<uint64_t>{200, 400, 407, 0});
  // 128 ns do not fit into 128 slices of 1 ns; merged, (200, 400) and (407, 0) are one slice each.
  activity.add(link, Bytes(1), SimTime::nanoseconds(128), SimTime::nanoseconds(128));
  CHECK(activity.binWidth() == SimTime::nanoseconds(2));
  CHECK(activity.bins(link).take_front(2).vec() == std::vector<uint64_t>{600, 407});
}

TEST_CASE("the spans of a timeline cover the time of the threadblocks without gaps") {
  ExecPlan plan = ring(8);
  Machine target = machine(GENERATE("ahbm", "ring", "ndv4"), {}, 8);
  Simulation simulation(plan, target, 1 << 16);
  Timeline timeline(simulation.placed);
  SimResult result = simulation.run(timeline);
  timeline.finish();
  CHECK_FALSE(timeline.until());
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    CauseTimes causes{};
    SimTime now;
    const Timeline::Span *before = nullptr;
    for (const Timeline::Span &span : timeline.spans(t)) {
      CHECK(span.threadblock == t);
      REQUIRE(span.begin == now);
      if (before)
        CHECK_FALSE((before->step == span.step && before->piece == span.piece &&
                     before->cause == span.cause));
      causes[static_cast<size_t>(span.cause)] += span.end - span.begin;
      now = span.end;
      before = &span;
    }
    CHECK(causes == result.causes[t]);
    CHECK(now == result.finished[t]);
  }
}

TEST_CASE("every message is sent by one step, arrives and is received") {
  ExecPlan plan = ring(8);
  Machine target = machine("ahbm");
  Simulation simulation(plan, target, 1 << 16);
  Timeline timeline(simulation.placed);
  SimResult result = simulation.run(timeline);
  CHECK(timeline.messages().size() == result.messages);
  for (const Timeline::Message &message : timeline.messages()) {
    const PlacedConnection &connection = simulation.placed.placedConnections[message.connection];
    REQUIRE(message.arrived);
    REQUIRE(message.taken);
    CHECK(message.sent < *message.arrived);
    CHECK(*message.arrived <= *message.taken);
    auto isOf = [&](uint32_t step, uint32_t threadblock) {
      const Threadblock &tb = plan.threadblocks()[threadblock];
      return step >= tb.firstStep && step < tb.firstStep + tb.numSteps;
    };
    CHECK(isOf(message.sendStep, connection.senderTb));
    CHECK(isOf(message.takenStep, connection.receiverTb));
    CHECK(traits(plan.steps()[message.sendStep].op).sends);
    CHECK(traits(plan.steps()[message.takenStep].op).receives);
  }
}

TEST_CASE("the slices of links sum to the bytes of the run") {
  ExecPlan plan = ring(8);
  Machine target = machine("ahbm");
  Simulation simulation(plan, target, 1 << 16);
  for (const char *network : networks) {
    CAPTURE(network);
    Timeline timeline(simulation.placed);
    SimOptions options;
    options.listeners = {&timeline};
    SimResult result = simulation.run(network, options);
    for (uint32_t l = 0; l < result.links.size(); ++l)
      REQUIRE(sum(timeline.links().bins(LinkId(l))) == result.links[l].bytes.count());
  }
}

TEST_CASE("a full timeline ends at one time for all threadblocks, but links continue") {
  ExecPlan plan = ring(8);
  Machine target = machine("ahbm");
  Simulation simulation(plan, target, 1 << 16);
  Timeline whole(simulation.placed), part(simulation.placed, 40);
  SimResult result = simulation.run(whole);
  simulation.run(part);
  whole.finish();
  part.finish();
  REQUIRE(part.until());
  CHECK(*part.until() > SimTime());
  CHECK(*part.until() < result.time);
  CHECK(part.spans().size() >= 40);
  CHECK(part.spans().size() <= 40 + 2 * plan.threadblocks().size());
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    auto some = part.spans(t), all = whole.spans(t);
    REQUIRE(some.size() <= all.size());
    for (size_t i = 0; i < some.size(); ++i) {
      CHECK(some[i].begin == all[i].begin);
      CHECK(some[i].end == all[i].end);
      CHECK(some[i].step == all[i].step);
    }
    // All spans that begin earlier are present.
    if (some.size() < all.size())
      CHECK(all[some.size()].begin >= *part.until());
  }
  for (uint32_t l = 0; l < result.links.size(); ++l)
    CHECK(sum(part.links().bins(LinkId(l))) == result.links[l].bytes.count());
}
