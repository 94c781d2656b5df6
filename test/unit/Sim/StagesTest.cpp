//===- StagesTest.cpp - Stages of the engine, without its event loop ------===//

#include "Stages.h"
#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The stages of the engine for two messages from rank 0, threadblock 0, to rank 1, threadblock 1.
struct TwoMessages {
  explicit TwoMessages(Machine on)
      : machine(std::move(on)), simulation(plan, machine, 2, DataType::U8, Slots(1)),
        pes(&simulation.placed), network(createNetwork("ideal", simulation.placed.routes)),
        stages(simulation.placed, simulation.sizing, *network, options, pes.share(0)) {}

  /// The next event, which becomes the present.
  Event next() {
    auto [time, event] = stages.state.queue.pop();
    stages.state.now = time;
    return event;
  }

  ExecPlan plan = stream(2);
  Machine machine;
  Simulation simulation;
  SimOptions options;
  SharedPes pes;
  std::unique_ptr<NetworkModel> network;
  Stages stages;
};
} // namespace

TEST_CASE("a slot is free again when its credit has returned", "[stages][rule-16]") {
  TwoMessages test(machine("ideal", {}, 2));
  PlanState &state = test.stages.state;
  Connections &connections = test.stages.connections;
  CHECK(connections.slotIsFree(0));
  connections.takeSlot(state.threads[0]);
  CHECK_FALSE(connections.slotIsFree(0));
  CHECK(state.queue.empty());
  CHECK(connections.returnCredit(state.threads[1], SimTime(100)) == SimTime(100));
  CHECK_FALSE(connections.slotIsFree(0));
  Event event = test.next();
  CHECK(event.kind == Event::Kind::Continue);
  CHECK(event.index == 0);
  CHECK(state.now == SimTime(100) + test.simulation.placed.placedConnections[0].creditLatency);
  CHECK(connections.slotIsFree(0));
}

TEST_CASE("the next load is issued when the last one is complete", "[stages][rule-35]") {
  TwoMessages test(machine("ahbm"));
  PlanState &state = test.stages.state;
  LoadsAndStores &memory = test.stages.memory;
  memory.beginRun(0);
  for (uint32_t load : {0, 1}) {
    state.threads[0].next = load;
    state.woken.clear();
    CHECK_FALSE(memory.operandsAreLoaded(0));
    CHECK(test.next().kind == Event::Kind::LoadArrives);
    CHECK(state.queue.empty());
    memory.keepLoad(0);
    if (!state.queue.empty() && state.woken.empty()) {
      CHECK(test.next().kind == Event::Kind::LoadDone);
      memory.completeLoad(0);
    }
    CHECK(state.woken == std::vector<uint32_t>{0});
    CHECK(memory.operandsAreLoaded(0));
  }
  CHECK(state.queue.empty());
}

TEST_CASE("a wait is charged to its cause when it ends", "[stages][rule-26]") {
  TwoMessages test(machine("ideal", {}, 2));
  PlanState &state = test.stages.state;
  state.now = SimTime(300);
  test.stages.connections.takeSlot(state.threads[0]);
  CHECK_FALSE(test.stages.threadblocks.canTransfer(0, /*receives=*/false, /*sends=*/true));
  state.now = SimTime(1000);
  test.stages.threadblocks.chargeWait(0);
  CHECK(state.result.causes[0] ==
        CauseTimes{SimTime(), SimTime(), SimTime(), SimTime(), SimTime(700), SimTime(300)});
}
