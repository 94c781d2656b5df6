//===- ConcurrentPlansTest.cpp - Several plans on one machine -------------===//
//
// Times are compared with closed forms, with those of each plan alone, and with those of one plan
// that has the threadblocks of both.
//
//===----------------------------------------------------------------------===//

#include "../../support/Placed.h"
#include "Flights.h"

#include "cclc/Sim/ConcurrentPlans.h"

#include <array>

using namespace cclc;
using namespace cclc::test;

namespace {
/// n0 -> n4 -> n5 -> n2 and n1 -> n4 -> n5 -> n3, which share the link between n4 and n5.
Machine dumbbell() { return graph(6, {{0, 4}, {1, 4}, {4, 5}, {5, 2}, {5, 3}}); }

/// Plans that are simulated on one machine.
class Together {
public:
  explicit Together(const Machine &machine) : target(machine) {}

  /// Adds \p plan with rank r on endpoint endpoints[r]. Returns its number.
  size_t add(const ExecPlan &plan, std::vector<uint32_t> endpoints, uint64_t bytes,
             int64_t start = 0, std::optional<Slots> slots = {}) {
    plans.push_back(std::make_unique<ExecPlan>(placed(plan, std::move(endpoints), target.name)));
    sims.push_back(
        std::make_unique<Simulation>(*plans.back(), target, bytes, DataType::F32, slots));
    starts.push_back(SimTime(start));
    return sims.size() - 1;
  }

  /// The options of every plan: runs, and skew by endpoint.
  uint32_t repeat = 1;
  std::vector<Skew> skew = {};
  bool criticalPath = false;

  ConcurrentResult run(StringRef network, ArrayRef<std::vector<SimListener *>> listeners = {}) {
    std::vector<ConcurrentPlan> all;
    for (size_t p = 0; p < sims.size(); ++p) {
      all.push_back({sims[p]->placed, sims[p]->sizing, starts[p]});
      SimOptions &options = all.back().options;
      options.repeat = repeat;
      options.criticalPath = criticalPath;
      for (EndpointId endpoint : sims[p]->placed.endpointOf)
        if (!skew.empty())
          options.skew.push_back(skew[endpoint.index()]);
      if (!listeners.empty())
        options.listeners = listeners[p];
    }
    ConcurrentResult result = simulateConcurrently(all, network);
    for (const SimResult &plan : result.plans)
      REQUIRE(plan.completed);
    return result;
  }
  /// The times of the plans together, in picoseconds.
  std::vector<int64_t> times(StringRef network) {
    std::vector<int64_t> result;
    for (const SimResult &plan : run(network).plans)
      result.push_back(plan.time.picoseconds());
    return result;
  }
  Simulation &operator[](size_t plan) { return *sims[plan]; }

private:
  const Machine &target;
  std::vector<std::unique_ptr<ExecPlan>> plans;
  std::vector<std::unique_ptr<Simulation>> sims;
  std::vector<SimTime> starts;
};

std::vector<uint32_t> from(uint32_t first, uint32_t count) {
  std::vector<uint32_t> endpoints(count);
  std::iota(endpoints.begin(), endpoints.end(), first);
  return endpoints;
}

void checkEqual(const SimResult &plan, const SimResult &alone) {
  CHECK(plan.time == alone.time);
  CHECK(plan.messages == alone.messages);
  CHECK(plan.steps == alone.steps);
  CHECK(plan.causes == alone.causes);
  CHECK(plan.finished == alone.finished);
}

constexpr uint64_t megabyte = 1'000'000;
constexpr int64_t nanosecond = 1000, microsecond = 1'000'000;
} // namespace

TEST_CASE("one plan takes the same time at any start", "[sim][concurrent][rule-49]") {
  const std::vector<Recipe> recipes = {{"allreduce_ring", {}, 8},
                                       {"allreduce_hierarchical_3level", {}, {}, 1, {}, "ahbm"},
                                       {"alltoall_direct", {}, 8, 1, {}, "mi300x"},
                                       {"allreduce_ring", {}, 16, 1, {}, "ndv4"}};
  for (const Recipe &recipe : recipes) {
    ExecPlan plan = compiled(recipe);
    Machine target = machine(recipe.target.empty() ? "torus2d" : recipe.target, {}, plan.ranks());
    std::vector<uint32_t> endpoints = plan.info().placementOnTarget;
    for (const char *network : networks)
      for (int64_t start : {int64_t(0), 12345 * nanosecond + 7}) {
        INFO(nameOf(recipe) << ", " << network << ", from " << start);
        Together together(target);
        together.add(plan, endpoints.empty() ? from(0, plan.ranks()) : endpoints, 100'000, start);
        ConcurrentResult result = together.run(network);
        SimResult alone = together[0].run(network);
        checkEqual(result.plans[0], alone);
        CHECK(result.end == SimTime(start) + alone.time);
        for (size_t l = 0; l < alone.links.size(); ++l)
          CHECK(result.links[l].bytes == alone.links[l].bytes);
      }
  }
}

TEST_CASE("messages of several plans choose between routes", "[sim][concurrent][rule-49]") {
  TemporaryFile file(R"({"name": "spines", "family": "graph", "shape": "fat_tree", "ranks": 8,
    "link": {"bandwidth": 100e9, "propagation": 100e-9},
    "tiers": [{"down": 4}, {"down": 2}], "queue": {"slot_size": 65536}})");
  ExecPlan plan = compiled({"alltoall_direct", {}, 4});
  for (const char *routing : {"spray", "adaptive"}) {
    Machine target = machine(file.name(), {std::string("routing=") + routing});
    for (const char *network : networks) {
      INFO(routing << ", " << network);
      Together together(target);
      together.add(plan, {0, 1, 4, 5}, 1 << 20);
      together.add(plan, {2, 3, 6, 7}, 1 << 20, 1000 * microsecond);
      ConcurrentResult result = together.run(network);
      // The second plan begins when the first has ended.
      checkEqual(result.plans[0], together[0].run(network));
      CHECK(result.plans[1].messages == result.plans[0].messages);
      if (routing == StringRef("spray"))
        checkEqual(result.plans[1], together[1].run(network));
    }
  }
}

TEST_CASE("plans on disjoint links take their times alone", "[sim][concurrent][rule-49]") {
  Machine target = machine("fully-connected", {}, 9);
  ExecPlan ring = compiled({"allreduce_ring", {}, 4});
  ExecPlan direct = compiled({"alltoall_direct", {}, 5});
  for (const char *network : networks) {
    INFO(network);
    Together together(target);
    together.add(ring, {0, 1, 2, 3}, 300'000);
    together.add(direct, {8, 7, 6, 5, 4}, 500'000, 3 * microsecond);
    ConcurrentResult result = together.run(network);
    for (size_t p = 0; p < 2; ++p)
      checkEqual(result.plans[p], together[p].run(network));
  }
}

TEST_CASE("two flows share a link", "[sim][concurrent][rule-49][rule-50]") {
  Machine target = dumbbell();
  constexpr int64_t latency = 1500 * nanosecond, transfer = 10 * microsecond; // of 1 MB
  SECTION("by halves under maxmin") {
    Together together(target);
    together.add(stream(1), {0, 2}, megabyte);
    together.add(stream(1), {1, 3}, megabyte);
    CHECK(together[0].time("maxmin") == latency + transfer);
    CHECK(together.times("maxmin") ==
          std::vector<int64_t>{latency + 2 * transfer, latency + 2 * transfer});
  }
  SECTION("under maxmin, one flow has the link alone before and after the other") {
    Together together(target);
    together.add(stream(1), {0, 2}, 2 * megabyte);
    together.add(stream(1), {1, 3}, megabyte / 2, 4 * microsecond);
    CHECK(together.times("maxmin") ==
          std::vector<int64_t>{latency + 2 * transfer + transfer / 2, latency + transfer});
  }
  SECTION("in turn under fifo, with the first plan first") {
    // 2 m messages cross the link one after another; the first one arrives after `transfer`, and
    // each leaves over a third link.
    for (int64_t m : {1, 5}) {
      Together together(target);
      together.add(stream(m), {0, 2}, m * megabyte, 0, Slots::unlimited());
      together.add(stream(m), {1, 3}, m * megabyte, 0, Slots::unlimited());
      CHECK(together[0].time("fifo") == latency + (m + 2) * transfer);
      CHECK(together.times("fifo") == std::vector<int64_t>{latency + (2 * m + 1) * transfer,
                                                           latency + (2 * m + 2) * transfer});
    }
  }
  SECTION("in turn under cut-through") {
    Together together(target);
    together.add(stream(1), {0, 2}, megabyte);
    together.add(stream(1), {1, 3}, megabyte, 1 * microsecond);
    CHECK(together.times("cut-through") ==
          std::vector<int64_t>{latency + transfer, latency + 2 * transfer - 1 * microsecond});
  }
  SECTION("not at all under ideal") {
    Together together(target);
    together.add(stream(1), {0, 2}, megabyte);
    together.add(stream(1), {1, 3}, megabyte);
    CHECK(together.times("ideal") == std::vector<int64_t>{latency + transfer, latency + transfer});
  }
}

TEST_CASE("a plan that starts after the end of another is not delayed",
          "[sim][concurrent][rule-49]") {
  Machine target = machine("ahbm");
  ExecPlan plan = compiled({"allreduce_ring", {}, 16, 1, {}, "ahbm"});
  for (const char *network : networks) {
    INFO(network);
    Together together(target);
    together.add(plan, from(0, 16), 1 << 16);
    SimResult alone = together[0].run(network);
    // The last credits may be on their way at the end of the first plan, but they are its own.
    together.add(plan, from(0, 16), 1 << 16, alone.time.picoseconds());
    ConcurrentResult result = together.run(network);
    checkEqual(result.plans[0], alone);
    checkEqual(result.plans[1], alone);
    CHECK(result.end == alone.time * 2);
  }
}

TEST_CASE("a shift of all starts shifts the end", "[sim][concurrent][rule-49]") {
  Machine target = machine("torus2d", {}, 16);
  ExecPlan ring = compiled({"allreduce_ring", {}, 16});
  ExecPlan direct = compiled({"alltoall_direct", {}, 9});
  auto result = [&](const char *network, int64_t shift) {
    Together together(target);
    together.add(ring, from(0, 16), 1 << 16, shift);
    together.add(direct, from(7, 9), 1 << 16, shift + 5 * microsecond);
    return together.run(network);
  };
  for (const char *network : networks) {
    INFO(network);
    ConcurrentResult base = result(network, 0), later = result(network, 777'777'777);
    for (size_t p = 0; p < 2; ++p)
      checkEqual(later.plans[p], base.plans[p]);
    CHECK(later.end - base.end == SimTime(777'777'777));
    // The plans do delay each other, or this test would say nothing.
    if (network != StringRef("ideal"))
      CHECK(base.plans[0].time + base.plans[1].time >
            Simulation(ring, target, 1 << 16).run(network).time +
                Simulation(direct, target, 1 << 16).run(network).time);
  }
}

TEST_CASE("plans on the same endpoints share the engines of the PEs",
          "[sim][concurrent][rule-12][rule-49]") {
  // The threadblocks of one plan with two channels, or of two plans with one.
  ExecPlan one = stream(1), two = stream(2, true);
  const std::vector<std::vector<std::string>> settings = {
      {},
      {"memory.load_store=off"},
      {"memory.load_store=off", "pe.dispatch=100e-9"},
      {"memory.load_store=off", "pe.dispatch=100e-9", "pe.streams=2"},
      {"memory.load_store=off", "ipcq.queues.intra=1", "ipcq.multiplex=on",
       "ipcq.switch_time=100e-9"},
      {"pe.dma_bandwidth=10e9"}};
  for (const std::vector<std::string> &set : settings)
    for (const char *network : networks) {
      INFO(network << ", setting " << (&set - settings.data()));
      Machine target = machine("ahbm", set);
      int64_t both = Simulation(two, target, 8192).time(network);
      Together together(target);
      together.add(one, {0, 1}, 4096);
      together.add(one, {0, 1}, 4096);
      std::vector<int64_t> times = together.times(network);
      CHECK(times[1] == both);
      CHECK(times[0] < both);
      CHECK(times[0] >= together[0].time(network));
    }
  // The closed forms of docs/machine-model.md.
  Machine target = machine("ahbm", {"memory.load_store=off", "pe.dispatch=100e-9"});
  Together together(target);
  together.add(one, {0, 1}, 4096);
  together.add(one, {0, 1}, 4096);
  CHECK(together.times("cut-through")[1] == 366'314);
}

TEST_CASE("the critical path of a plan begins with its launch",
          "[sim][concurrent][rule-29][rule-50]") {
  auto textOf = [](const SimResult &result) {
    std::string text;
    for (const PathSegment &segment : result.criticalPath)
      text += causeName(segment.cause).str() + ' ' + std::to_string(segment.step) + " from " +
              std::to_string(segment.begin.picoseconds()) + " to " +
              std::to_string(segment.end.picoseconds()) + '\n';
    return text;
  };
  for (const Recipe &recipe : {Recipe{"allreduce_ring", {}, 4, 1, {}, "ring"},
                               Recipe{"alltoall_direct", {}, 8, 1, {}, "mi300x"}}) {
    ExecPlan plan = compiled(recipe);
    Machine target = machine(recipe.target, {}, plan.ranks());
    for (uint32_t repeat : {1u, 3u})
      for (int64_t start : {int64_t(0), 5 * microsecond}) {
        INFO(nameOf(recipe) << ", " << repeat << " runs, from " << start);
        Together together(target);
        together.criticalPath = true;
        together.repeat = repeat;
        together.add(plan, from(0, plan.ranks()), megabyte, start);
        SimOptions options;
        options.criticalPath = true;
        options.repeat = repeat;
        SimResult alone = together[0].run("cut-through", options);
        REQUIRE(!alone.criticalPath.empty());
        CHECK(textOf(together.run("cut-through").plans[0]) == textOf(alone));
      }
  }
}

TEST_CASE("other plans appear on a critical path as contention",
          "[sim][concurrent][rule-29][rule-50]") {
  // Both messages cross the link between n4 and n5, the second plan 1 us after the first one.
  Machine target = dumbbell();
  ExecPlan plan = stream(1);
  Together together(target);
  together.criticalPath = true;
  together.add(plan, {0, 2}, megabyte);
  together.add(plan, {1, 3}, megabyte, microsecond);
  ConcurrentResult result = together.run("fifo");
  for (size_t p = 0; p < 2; ++p) {
    SimTime end, contention;
    for (const PathSegment &segment : result.plans[p].criticalPath) {
      CHECK(segment.begin == end);
      end = segment.end;
      if (segment.cause == Cause::Contention)
        contention += segment.end - segment.begin;
    }
    CHECK(end == result.plans[p].time);
    CHECK(contention == result.plans[p].time - together[p].run("fifo").time);
    CHECK((contention == SimTime()) == (p == 0));
  }
}

TEST_CASE("plans on the same endpoints share their queues", "[sim][concurrent][rule-48][rule-49]") {
  ExecPlan plan = stream(1);
  auto ends = [&](const char *queues, std::vector<uint32_t> endpoints) {
    Machine target =
        machine("ahbm", {std::string("ipcq.queues.intra=") + queues, "ipcq.multiplex=on",
                         "ipcq.switch_time=100e-9", "memory.load_store=off"});
    Together together(target);
    together.add(plan, {0, 1}, 4096);
    together.add(plan, std::move(endpoints), 4096);
    std::vector<int64_t> times = together.times("cut-through");
    CHECK(times[0] >= together[0].time("cut-through"));
    return times;
  };
  // With one queue, it changes between the plans before a send and before a slot.
  CHECK(ends("1", {0, 1})[1] >= ends("2", {0, 1})[1] + 100'000);
  // On different endpoints, or with enough queues, plans share none.
  CHECK(ends("1", {2, 3}) == ends("2", {2, 3}));
  CHECK(ends("2", {0, 1}) == ends("4", {0, 1}));
}

TEST_CASE("plans at once are repeated in stream order", "[sim][concurrent][rule-9][rule-49]") {
  Machine target = machine("fully-connected", {}, 9);
  ExecPlan ring = compiled({"allreduce_ring", {}, 4});
  ExecPlan direct = compiled({"alltoall_direct", {}, 5});
  for (const char *network : networks) {
    INFO(network);
    Together together(target);
    together.repeat = 3;
    together.add(ring, {0, 1, 2, 3}, 300'000);
    together.add(direct, {8, 7, 6, 5, 4}, 500'000, 3 * microsecond);
    // On other links each plan takes the time of its repetitions alone.
    ConcurrentResult result = together.run(network);
    for (size_t p = 0; p < 2; ++p) {
      SimResult alone = together[p].repeated(3, network);
      checkEqual(result.plans[p], alone);
      CHECK(result.plans[p].firstRun == alone.firstRun);
    }
  }
  // Six messages of 10 us cross one link of the dumbbell, in turn.
  Machine shared = dumbbell();
  Together together(shared);
  together.repeat = 3;
  together.add(stream(1), {0, 2}, megabyte);
  together.add(stream(1), {1, 3}, megabyte);
  CHECK(together.run("cut-through").end == SimTime(1500 * nanosecond + 60 * microsecond));
}

TEST_CASE("a skewed endpoint delays the ranks of all plans",
          "[sim][concurrent][rule-10][rule-49]") {
  Machine target = dumbbell();
  Together together(target), later(target);
  together.skew.resize(6);
  together.skew[1].start = SimTime(4 * microsecond);
  for (Together *both : {&together, &later}) {
    int64_t start = both == &later ? 4 * microsecond : 0;
    both->add(stream(1), {0, 2}, megabyte);
    both->add(stream(1), {1, 3}, megabyte, start);
  }
  for (const char *network : networks) {
    INFO(network);
    // r0 of the second plan starts later, as if the whole plan did.
    ConcurrentResult result = together.run(network), expected = later.run(network);
    CHECK(result.end == expected.end);
    CHECK(result.plans[0].time == expected.plans[0].time);
    CHECK(result.plans[1].time == expected.plans[1].time + SimTime(4 * microsecond));
  }
  // Two plans on slow PEs take the time of one plan with the threadblocks of both.
  Machine ahbm = machine("ahbm", {"memory.load_store=off", "pe.dispatch=100e-9"});
  ExecPlan one = stream(1), two = stream(2, true);
  SimOptions slow;
  slow.skew.resize(2);
  slow.skew[0].permille = 3000;
  slow.skew[1].permille = 2000;
  Together onSlow(ahbm);
  onSlow.skew = slow.skew;
  onSlow.add(one, {0, 1}, 4096);
  onSlow.add(one, {0, 1}, 4096);
  CHECK(onSlow.times("cut-through")[1] ==
        Simulation(two, ahbm, 8192).run("cut-through", slow).time.picoseconds());
}

TEST_CASE("the data of every plan are its own", "[sim][concurrent][rule-30][rule-49]") {
  Machine target = machine("torus2d", {"queue.slots=2"}, 12);
  std::vector<ExecPlan> plans;
  plans.push_back(compiled({"allreduce_ring", {{"channels", "2"}}, 8}));
  plans.push_back(compiled({"alltoall_direct", {}, 12}));
  plans.push_back(compiled({"allgather_ring", {}, 5}));
  for (const char *network : networks) {
    INFO(network);
    Together together(target);
    together.add(plans[0], {3, 1, 4, 0, 5, 9, 2, 6}, 40'000);
    together.add(plans[1], from(0, 12), 50'000, 1 * microsecond);
    together.add(plans[2], {8, 7, 3, 11, 10}, 30'000, 2 * microsecond);
    std::vector<std::unique_ptr<DataExecutor>> data;
    std::vector<std::vector<SimListener *>> listeners;
    for (size_t p = 0; p < plans.size(); ++p) {
      const PlacedPlan &placed = together[p].placed;
      data.push_back(std::make_unique<DataExecutor>(placed, together[p].sizing, ReduceOp::Sum,
                                                    placed.plan.info().placements.list().front(),
                                                    std::nullopt));
      listeners.push_back({data.back().get()});
    }
    ConcurrentResult result = together.run(network, listeners);
    for (size_t p = 0; p < plans.size(); ++p) {
      data[p]->finish();
      CHECK_FALSE(data[p]->check());
      checkCauses(together[p].placed.plan, result.plans[p]);
    }
  }
}
