//===- CostsTest.cpp - The critical path by cause -------------------------===//

#include "cclc/Sim/Costs.h"

#include "Simulation.h"

#include "cclc/Sim/SweepResult.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
std::map<Cost::Kind, Cost> costsOn(const ExecPlan &plan, const Machine &machine, uint64_t bytes,
                                   StringRef network = "", uint32_t repeat = 1) {
  Simulation sim(plan, machine, bytes, DataType::F32);
  SimOptions options;
  options.criticalPath = true;
  options.repeat = repeat;
  SimResult result = sim.run(network, options);
  SimTime whole = result.time;
  SizeResult size = makeSizeResult(sim.placed, sim.sizing, std::move(result), repeat);
  std::map<Cost::Kind, Cost> byKind;
  SimTime sum, before = SimTime::max();
  for (const Cost &cost : costsOf(size, sim.placed)) {
    CHECK(cost.time > SimTime());
    CHECK(cost.time <= before);
    CHECK((cost.timeOfLine > SimTime() && cost.timeOfLine <= cost.time));
    CHECK_FALSE(cost.help.empty());
    before = cost.time;
    sum += cost.time;
    CHECK(byKind.emplace(cost.kind, cost).second);
  }
  CHECK(sum == whole);
  return byKind;
}
} // namespace

TEST_CASE("costs add up to the time", "[sim]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    if (plan.ranks() == 1)
      continue;
    for (const char *target : {"torus2d", "ahbm", "ndv4"}) {
      INFO(target);
      costsOn(plan, machine(target, {}, plan.ranks()), 100'000, "", 2);
    }
  }
}

TEST_CASE("the costs of a ring match its formula", "[sim]") {
  // 2(R-1) serialised messages, each a propagation and its bytes over the rate.
  ExecPlan plan = compiled({"allreduce_ring", {}, 5});
  auto costs = costsOn(plan, machine("ring", {}, 5), 5 * 40'000);
  REQUIRE(costs.size() == 2);
  CHECK(costs.at(Cost::Kind::Latency).time == SimTime(8 * 1'000'000));
  CHECK(costs.at(Cost::Kind::Bandwidth).time == SimTime(8 * transferPs(40'000, 100'000'000'000)));
  CHECK(StringRef(costs.at(Cost::Kind::Latency).help).starts_with("8 serialised messages"));
  CHECK(StringRef(costs.at(Cost::Kind::Bandwidth).help).starts_with("peak link utilisation is"));
}

TEST_CASE("the advice names the link on which messages wait", "[sim]") {
  // Eight concurrent messages over one link.
  ExecPlan plan = stream(8, true);
  auto costs = costsOn(plan, machine("ring", {}, 2), 8 * 1'000'000, "fifo");
  REQUIRE(costs.count(Cost::Kind::Contention));
  CHECK(costs.at(Cost::Kind::Contention).help ==
        "messages waited up to 70000.000 ns for n0 -> n1: use another placement, order or route");
  CHECK(costs.at(Cost::Kind::Contention).time == SimTime(70'000'000));
}

TEST_CASE("too few slots are a cost", "[sim]") {
  ExecPlan plan = stream(8);
  Machine m = machine("ring", {"queue.slots=1"}, 2);
  auto costs = costsOn(plan, m, 8 * 1000);
  REQUIRE(costs.count(Cost::Kind::Slot));
  CHECK(costs.at(Cost::Kind::Slot).help == "use more than 1 slot (--slots), or earlier receives");
}
