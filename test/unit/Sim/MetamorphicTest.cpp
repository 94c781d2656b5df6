//===- MetamorphicTest.cpp - Invariants of simulated times ----------------===//

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// A machine with a parameter for every cost: rates in gigabytes per second, times in nanoseconds,
/// sizes in bytes. All rates divide 1000, so that no transfer is rounded.
struct CostParameters {
  uint64_t linkRate = 100, dmaRate = 200, slotRate = 50, mathBytes = 64, slotSize = 4096,
           creditSize = 16, flit = 256;
  uint64_t propagation = 500, dispatch = 3, mathCycle = 1, slotLatency = 2, launch = 100;

  CostParameters withSizesTimes(uint64_t k) const {
    return {linkRate * k, dmaRate * k, slotRate * k, mathBytes * k, slotSize * k, creditSize * k,
            flit * k,     propagation, dispatch,     mathCycle,     slotLatency,  launch};
  }
  CostParameters withTimesTimes(uint64_t k) const {
    return {linkRate / k,    dmaRate / k, slotRate / k,    mathBytes,    slotSize,
            creditSize,      flit,        propagation * k, dispatch * k, mathCycle * k,
            slotLatency * k, launch * k};
  }
  Machine on(const std::string &target, uint32_t ranks) const {
    auto rate = [](const char *key, uint64_t value) {
      return key + ("=" + std::to_string(value)) + "e9";
    };
    auto time = [](const char *key, uint64_t value) {
      return key + ("=" + std::to_string(value)) + "e-9";
    };
    auto size = [](const char *key, uint64_t value) { return key + ("=" + std::to_string(value)); };
    return machine(target,
                   {rate("link.bandwidth", linkRate), rate("pe.dma_bandwidth", dmaRate),
                    rate("queue.access.tcm.bandwidth", slotRate),
                    size("pe.math.bytes_per_cycle", mathBytes), size("queue.slot_size", slotSize),
                    size("queue.credit_size", creditSize), size("flit_size", flit),
                    time("link.propagation", propagation), time("pe.dispatch", dispatch),
                    time("pe.math.cycle", mathCycle), time("queue.access.tcm.latency", slotLatency),
                    time("launch", launch), "queue.slots=2", "pe.streams=1"},
                   ranks);
  }
};

const std::vector<Recipe> recipes = {{"allreduce_ring", {}, 6},
                                     {"allreduce_recursive_doubling", {{"chunks", "2"}}, 6},
                                     {"alltoall_direct", {}, 6},
                                     {"reducescatter_ring", {{"channels", "2"}}, 6, 2}};
} // namespace

TEST_CASE("scaling sizes and rates together preserves the time", "[sim]") {
  for (const Recipe &recipe : recipes) {
    ExecPlan plan = compiled(recipe);
    for (const char *target : {"ring", "torus2d", "ideal"})
      for (const char *network : networks) {
        Machine base = CostParameters().on(target, 6);
        int64_t time = Simulation(plan, base, 96000).time(network);
        for (uint64_t k : {2, 3, 10}) {
          INFO(nameOf(recipe) << " on " << target << ", " << network << ", times " << k);
          Machine scaled = CostParameters().withSizesTimes(k).on(target, 6);
          CHECK(Simulation(plan, scaled, 96000 * k).time(network) == time);
        }
      }
  }
}

TEST_CASE("scaling sizes and rates together preserves the time of random plans", "[sim]") {
  for (uint64_t seed = 0; seed < scaled(40); ++seed) {
    ExecPlan plan = randomPlan(seed);
    const Collective &collective = plan.info().collective;
    // A whole number of elements per chunk, whether the size is that of the inputs or of the
    // outputs.
    uint64_t bytes =
        4 * 301 * std::max(collective.inputChunks(), 1u) * std::max(collective.outputChunks(), 1u);
    CostParameters costs;
    costs.slotSize = 4 * 20 * plan.maxCount();
    const char *target = std::array{"ring", "torus2d", "fully-connected"}[seed % 3];
    for (const char *network : networks) {
      Machine base = costs.on(target, plan.ranks());
      int64_t time = Simulation(plan, base, bytes, DataType::F32, plan.slots()).time(network);
      for (uint64_t k : {2, 3, 10}) {
        INFO("seed " << seed << " on " << target << ", " << network << ", times " << k);
        Machine scaled = costs.withSizesTimes(k).on(target, plan.ranks());
        Simulation larger(plan, scaled, bytes * k, DataType::F32, plan.slots());
        CHECK(larger.time(network) == time);
      }
    }
  }
}

TEST_CASE("scaling all costs of a machine scales the time", "[sim]") {
  for (const Recipe &recipe : recipes) {
    ExecPlan plan = compiled(recipe);
    for (const char *target : {"ring", "torus2d", "ideal"})
      for (const char *network : networks) {
        Machine base = CostParameters().on(target, 6);
        int64_t time = Simulation(plan, base, 96000).time(network);
        for (uint64_t k : {2, 5, 10}) {
          INFO(nameOf(recipe) << " on " << target << ", " << network << ", times " << k);
          Machine scaled = CostParameters().withTimesTimes(k).on(target, 6);
          int64_t got = Simulation(plan, scaled, 96000).time(network);
          // The end of a flow, and with it the rates of others, is rounded to a whole picosecond.
          bool areFlows = StringRef(network).starts_with("maxmin");
          int64_t rounded = areFlows ? k * plan.steps().size() : 0;
          CHECK(std::abs(got - time * int64_t(k)) <= rounded);
        }
      }
  }
}

TEST_CASE("more slots never make a ring slower", "[sim]") {
  for (const char *channels : {"1", "2", "4"}) {
    ExecPlan plan = compiled({"allreduce_ring", {{"channels", channels}}, 8});
    Machine m = CostParameters().on("ring", 8);
    int64_t before = Simulation(plan, m, 200000, DataType::F32, Slots(8)).time();
    for (uint32_t slots : {16u, 64u}) {
      int64_t now = Simulation(plan, m, 200000, DataType::F32, Slots(slots)).time();
      CHECK(now <= before);
      before = now;
    }
    CHECK(Simulation(plan, m, 200000, DataType::F32, Slots::unlimited()).time() == before);
  }
  // From one slot on, for a plan that completes with one.
  ExecPlan plan = compiled({"allreduce_ring", {}, 8, 1, Slots(1)});
  Machine m = CostParameters().on("ring", 8);
  int64_t before = std::numeric_limits<int64_t>::max();
  for (uint32_t slots = 1; slots <= 10; ++slots) {
    int64_t now = Simulation(plan, m, 200000, DataType::F32, Slots(slots)).time();
    CHECK(now <= before);
    before = now;
  }
}

TEST_CASE("an idle rank changes no time", "[sim]") {
  ExecPlan two = stream(4), three = stream(4, false, 3);
  for (const char *target : {"ideal", "fully-connected"}) {
    Machine small = CostParameters().on(target, 2), large = CostParameters().on(target, 3);
    SimResult a = Simulation(two, small, 40000).run(), b = Simulation(three, large, 40000).run();
    CHECK(a.time == b.time);
    CHECK(a.causes == b.causes);
  }
}

TEST_CASE("two independent plans take the time of the slower one", "[sim]") {
  // r0 -> r1 and, on links of their own, r2 -> r3 with another number of messages.
  auto pairs = [](uint32_t first, uint32_t second) {
    ProgramInfo info(Collective(4, CustomSpec{8, 8, {}}));
    info.placements = Placements::outOfPlace();
    ExecPlanBuilder builder(info);
    LocId loc = LocTable::unknown();
    for (uint32_t r = 0; r < 4; ++r) {
      uint32_t messages = r < 2 ? first : second;
      bool sends = r % 2 == 0;
      RankId peer(r ^ 1);
      builder.beginThreadblock(RankId(r), sends ? OptionalId<RankId>(peer) : OptionalId<RankId>(),
                               sends ? OptionalId<RankId>() : OptionalId<RankId>(peer),
                               ChannelId(0));
      for (uint32_t m = 0; m < messages; ++m)
        builder.addStep(sends ? Step(OpKind::Send, Operand(Buffer::Input, m), {}, 1, loc, loc)
                              : Step(OpKind::Recv, {}, Operand(Buffer::Output, m), 1, loc, loc));
    }
    DiagnosticEngine diags;
    return std::move(*std::move(builder).finish(diags));
  };
  Machine m = CostParameters().on("ideal", 4);
  ExecPlan few = pairs(2, 0), many = pairs(0, 7), both = pairs(2, 7);
  int64_t a = Simulation(few, m, 80000).time(), b = Simulation(many, m, 80000).time();
  CHECK(a < b);
  CHECK(Simulation(both, m, 80000).time() == b);
}

TEST_CASE("the same run gives the same result", "[sim][rule-2]") {
  for (const Recipe &recipe : recipes) {
    ExecPlan plan = compiled(recipe);
    Machine m = CostParameters().on("torus2d", 6);
    Simulation sim(plan, m, 96000);
    SimResult a = sim.run(), b = sim.run();
    CHECK(a.time == b.time);
    CHECK(a.events == b.events);
    CHECK(a.causes == b.causes);
    CHECK(a.finished == b.finished);
    // A listener does not change the result, and every step begins before it ends.
    struct Listener : SimListener {
      uint64_t begun = 0, ended = 0;
      SimTime last;
      void stepBegins(const StepRun &, SimTime now) override {
        CHECK(now >= last);
        last = now;
        ++begun;
      }
      void stepEnds(const StepRun &, SimTime now) override {
        CHECK(now >= last);
        last = now;
        CHECK(++ended <= begun);
      }
    } listener;
    SimResult c = sim.run(listener);
    CHECK(c.time == a.time);
    CHECK(listener.begun == a.steps);
    CHECK(listener.ended == a.steps);
  }
}
