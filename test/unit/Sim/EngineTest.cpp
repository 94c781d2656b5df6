//===- EngineTest.cpp - Simulated times against closed forms --------------===//
//
// Every formula is derived from the rules of the machine model, with integer
// picoseconds and one rounding per transfer, and must match exactly.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {

constexpr uint64_t rate = 100'000'000'000; // of the bundled ring and ideal targets
constexpr int64_t propagation = 1'000'000;

uint64_t ceilDivide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// The bytes of the pieces of a chunk, by the rules: the elements are divided by the number of
/// chunks, rounded up, and a piece of a chunk fits into a slot.
std::vector<uint64_t> pieceSizes(uint64_t bytes, uint32_t chunks, uint32_t elementSize,
                                 uint64_t slotSize) {
  uint64_t left = ceilDivide(ceilDivide(bytes, elementSize), chunks);
  uint64_t most = slotSize == 0 ? left : slotSize / elementSize;
  std::vector<uint64_t> pieces;
  for (; left > most; left -= most)
    pieces.push_back(most * elementSize);
  pieces.push_back(left * elementSize);
  return pieces;
}

int64_t ringTime(uint32_t hops, const std::vector<uint64_t> &pieces) {
  int64_t time = 0;
  for (uint64_t piece : pieces)
    time += hops * (propagation + transferPs(piece, rate));
  return time;
}

/// Checks that the segments cover the time from 0 to the end of the run, and that segments of
/// threadblocks match the recorded events.
void checkPath(const ExecPlan &plan, const SimResult &result) {
  checkNoGaps(result);
  for (const PathSegment &segment : result.criticalPath) {
    REQUIRE(segment.threadblock < plan.threadblocks().size());
    const Threadblock &tb = plan.threadblocks()[segment.threadblock];
    CHECK(segment.step >= tb.firstStep);
    CHECK(segment.step < tb.firstStep + tb.numSteps);
    const OpTraits &op = traits(plan.steps()[segment.step].op);
    if (segment.cause == Cause::Link || segment.cause == Cause::Contention)
      CHECK((op.receives || op.sends));
    if (segment.cause == Cause::Slot)
      CHECK(op.sends);
    // A dependence is satisfied by another threadblock, which has the previous segment.
    CHECK(segment.cause != Cause::Dependence);
    CHECK((segment.cause != Cause::Launch || segment.begin == SimTime()));
  }
}

SimOptions withPath(uint32_t repeat = 1) {
  SimOptions options;
  options.repeat = repeat;
  options.criticalPath = true;
  return options;
}

int64_t cause(const SimResult &result, size_t tb, Cause which) {
  return result.causes[tb][static_cast<size_t>(which)].picoseconds();
}
} // namespace

TEST_CASE("the time of a ring is that of its hops", "[sim]") {
  for (const char *target : {"ideal", "ring", "fully-connected"})
    for (uint32_t ranks : {2u, 3u, 5u, 8u, 16u}) {
      Machine m = machine(target, {}, ranks);
      ExecPlan reduce = compiled({"allreduce_ring", {}, ranks});
      ExecPlan gather = compiled({"allgather_ring", {}, ranks});
      ExecPlan scatter = compiled({"reducescatter_ring", {}, ranks});
      for (uint64_t bytes : {1ull, 1000ull, 65536ull, 1000003ull, 40000000ull})
        for (DataType type : {DataType::U8, DataType::F16, DataType::F32, DataType::F64}) {
          INFO(target << ", " << ranks << " ranks, " << bytes << " bytes, "
                      << dataTypeName(type).str());
          std::vector<uint64_t> pieces = pieceSizes(bytes, ranks, sizeOf(type), 1 << 20);
          CHECK(Simulation(reduce, m, bytes, type).time() == ringTime(2 * (ranks - 1), pieces));
          CHECK(Simulation(gather, m, bytes, type).time() == ringTime(ranks - 1, pieces));
          CHECK(Simulation(scatter, m, bytes, type).time() == ringTime(ranks - 1, pieces));
        }
    }
}

TEST_CASE("a single rank takes no time", "[sim]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 1});
  Machine m = machine("ideal", {}, 1);
  CHECK(Simulation(plan, m, 1 << 20).time() == 0);
}

TEST_CASE("the time of a tree is that of its deepest rank", "[sim]") {
  // Without contention a rank sends to all its children at the same time, so that the time of rank
  // r is that of as many hops as r has one bits.
  for (uint32_t ranks : {2u, 3u, 6u, 8u, 13u}) {
    uint32_t hops = 0;
    for (uint32_t r = 0; r < ranks; ++r)
      hops = std::max<uint32_t>(hops, std::popcount(r));
    ExecPlan plan = compiled({"broadcast_binomial", {}, ranks});
    Machine m = machine("ideal", {}, ranks);
    CHECK(Simulation(plan, m, 5000).time() == hops * (propagation + transferPs(5000, rate)));
  }
}

TEST_CASE("a message takes the time of every link of its route",
          "[sim][rule-5][rule-20][rule-21][rule-22]") {
  ExecPlan plan = stream(1);
  SECTION("cut-through and ideal include the size once, at the slowest link") {
    // Two links, the second of which is slower, and a node with overhead between them.
    TemporaryFile file(R"({"name": "line", "family": "graph", "nodes": [{"name": "a"},
      {"name": "s", "endpoint": "off", "overhead": 7e-9}, {"name": "b", "overhead": 3e-9}],
      "links": [{"from": "a", "to": "s", "bandwidth": 3e9, "propagation": 1e-9},
                {"from": "s", "to": "b", "bandwidth": 2e9, "propagation": 5e-9}]})");
    Machine m = machine(file.name());
    Simulation sim(plan, m, 1000, DataType::U8);
    CHECK(sim.time("ideal") == 16'000 + 500'000);
    CHECK(sim.time("cut-through") == 16'000 + 500'000);
    // Store-and-forward includes it on each link: 333 333.33 ps are rounded up.
    CHECK(sim.time("fifo") == 16'000 + 333'334 + 500'000);
  }
  SECTION("AHBM adds its other costs") {
    // PE 0 to PE 1 of a cube: one link between their routers, 2.13 ns and 3 mm at 10 ps per
    // millimetre.
    constexpr int64_t hop = 2130 + 30;
    Machine m = machine("ahbm");
    Simulation sim(plan, m, 4096, DataType::U8);
    int64_t memory = 3350 + transferPs(4096, 256'000'000'000); // a load, and a store
    int64_t message = 17408 + hop + transferPs(4096, 256'000'000'000);
    int64_t receive = 1150;
    int64_t write = transferPs(4096, 512'000'000'000), read = write;
    int64_t credit = hop + transferPs(16, 256'000'000'000);
    CHECK(credit == hop + 63);
    auto time = [&](std::vector<std::string> overrides) {
      return Simulation(plan, machine("ahbm", std::move(overrides)), 4096, DataType::U8).time();
    };
    int64_t rest = 2 * memory + message + receive + credit;
    CHECK(sim.time() == rest + write + read);
    CHECK(time({"ipcq.slot_access=off"}) == rest);
    CHECK(time({"ipcq.credit_blocks_receiver=off"}) == rest - credit + write + read);
    CHECK(time({"memory.load_store=off"}) == rest - 2 * memory + write + read);
    int64_t access = 2000 + write + transferPs(4096, 128'000'000'000);
    CHECK(time({"ipcq.slot_memory=sram"}) == rest + 2 * access);
    access = 6000 + 2 * transferPs(4096, 256'000'000'000);
    CHECK(time({"ipcq.slot_memory=hbm"}) == rest + 2 * access);
  }
}

TEST_CASE("a slow or missing link costs as much as its route", "[sim]") {
  constexpr uint32_t ranks = 5;
  ExecPlan plan = compiled({"allreduce_ring", {}, ranks});
  uint64_t chunk = 20000;
  int64_t hop = propagation + transferPs(chunk, rate);
  auto simulated = [&](std::vector<std::string> changes) {
    Machine m = machine("ring", changes, ranks);
    return Simulation(plan, m, ranks * chunk, DataType::U8).time();
  };
  REQUIRE(simulated({}) == 2 * (ranks - 1) * hop);
  // Every chunk takes 2 (R - 1) hops and passes the link at most twice; one chunk does.
  int64_t slow = propagation + transferPs(chunk, rate / 2);
  CHECK(simulated({"links.n1->n2.bandwidth=50e9"}) == 2 * (ranks - 2) * hop + 2 * slow);
  // So slow that messages queue up: the link is never idle, and its last message is the last of the
  // run.
  CHECK(simulated({"links.n1->n2.bandwidth=12.5e9"}) ==
        2 * (ranks - 1) * transferPs(chunk, rate / 8) + propagation);
  int64_t far = 9 * propagation + transferPs(chunk, rate);
  CHECK(simulated({"links.n1->n2.propagation=9e-6"}) == 2 * (ranks - 2) * hop + 2 * far);
  // In the other direction, over four links without other traffic, at the cost of one transfer.
  int64_t around = (ranks - 1) * propagation + transferPs(chunk, rate);
  CHECK(simulated({"links.n1->n2=off"}) == 2 * (ranks - 2) * hop + 2 * around);
  DiagnosticEngine diags;
  Machine torn = machine("ring", {"links.n1->n2=off", "links.n3->n2=off"}, ranks);
  CHECK(failed(PlacedPlan::create(plan, torn, Slots(8), diags)));
  Machine twice = machine("ring", {"links.n*->n2=off", "links.n3->n2=on"}, ranks);
  CHECK(succeeded(PlacedPlan::create(plan, twice, Slots(8), diags)));
  CHECK(textOf(diags) ==
        "tool: error: target ring has no path from rank 1 to rank 2 (2 links are off)\n");
}

TEST_CASE("a rank without access to its memory cannot load", "[sim]") {
  ExecPlan plan = stream(1);
  DiagnosticEngine diags;
  auto bind = [&](std::vector<std::string> changes) {
    Machine m = machine("ahbm", changes);
    return succeeded(PlacedPlan::create(plan, m, Slots(8), diags));
  };
  // PE 2 has no rank.
  CHECK(bind({"links.sip0.cube0.r1c4<->*hbm*=off"}));
  CHECK_FALSE(bind({"links.sip0.cube0.r0c0->*hbm*=off"}));
  CHECK_FALSE(bind({"links.*hbm*->sip0.cube0.r0c1=off"}));
  CHECK(bind({"links.*<->*hbm*=off", "memory.load_store=off"}));
  CHECK(textOf(diags) ==
        R"(
        tool: error: target ahbm has no path from rank 0 to its memory and back
        tool: error: target ahbm has no path from rank 1 to its memory and back
        )"_lines);
}

TEST_CASE("a sender that is faster than its receiver waits for slots", "[sim][rule-11][rule-16]") {
  constexpr uint32_t messages = 10;
  ExecPlan plan = stream(messages);
  uint64_t chunk = 64000;
  int64_t hop = propagation + transferPs(chunk, rate);
  for (uint64_t creditSize : {0, 16}) {
    Machine m = machine("ideal", {"queue.credit_size=" + std::to_string(creditSize)}, 2);
    int64_t credit = propagation + transferPs(creditSize, rate);
    auto simulated = [&](std::optional<Slots> slots) {
      return Simulation(plan, m, messages * chunk, DataType::U8, slots).run();
    };
    // With one slot each message waits for the credit of the previous one.
    SimResult one = simulated(Slots(1));
    CHECK(one.time.picoseconds() == messages * hop + (messages - 1) * credit);
    CHECK(cause(one, 0, Cause::Slot) == (messages - 1) * (hop + credit));
    CHECK(cause(one, 1, Cause::Link) == messages * hop);
    CHECK(cause(one, 1, Cause::Dependence) == (messages - 1) * credit);
    // With c slots messages are sent in groups of c.
    for (uint32_t slots = 1; slots <= messages + 1; ++slots) {
      int64_t groups = ceilDivide(messages, slots);
      CHECK(simulated(Slots(slots)).time.picoseconds() == groups * hop + (groups - 1) * credit);
    }
    CHECK(simulated(Slots::unlimited()).time.picoseconds() == hop);
  }
}

TEST_CASE("messages on one link are serialised", "[sim][rule-17][rule-23]") {
  for (uint32_t messages : {1u, 2u, 5u})
    for (bool ownChannels : {false, true}) {
      ExecPlan plan = stream(messages, ownChannels);
      Machine m = machine("ring", {}, 2);
      uint64_t chunk = 123457;
      Simulation sim(plan, m, messages * chunk, DataType::U8);
      int64_t link = transferPs(chunk, rate);
      for (const char *network : {"cut-through", "fifo"}) {
        SimResult result = sim.run(network);
        CHECK(result.time.picoseconds() == propagation + messages * link);
        uint64_t bytes = 0;
        int64_t busy = 0;
        for (const LinkUse &use : result.links) {
          bytes += use.bytes.count();
          busy += use.busy.picoseconds();
        }
        CHECK(bytes == messages * chunk);
        CHECK(busy == messages * link);
        if (ownChannels && messages > 1) // the last receiver has waited for all others
          CHECK(cause(result, 2 * messages - 1, Cause::Contention) == (messages - 1) * link);
      }
      CHECK(sim.time("ideal") == propagation + link);
    }
}

TEST_CASE("the costs of engines add up", "[sim][rule-12][rule-13][rule-14][rule-15]") {
  constexpr uint32_t ranks = 6;
  constexpr int64_t hops = 2 * (ranks - 1);
  ExecPlan plan = compiled({"allreduce_ring", {}, ranks});
  uint64_t bytes = 6 * 10000, chunk = 10000;
  int64_t hop = propagation + transferPs(chunk, rate);
  SECTION("every step is dispatched") {
    Machine m = machine("ideal", {"pe.dispatch=5e-9"}, ranks);
    CHECK(Simulation(plan, m, bytes).time() == hops * hop + (hops + 1) * 5000);
  }
  SECTION("local steps may have a lower dispatch time") {
    // Reduction along the chain: s, r, re, s, r, re; broadcast: s, rcs, r.
    ExecPlan chain = compiled({"allreduce_tree", {{"arity", "1"}}, 3});
    Machine same = machine("ideal", {"pe.dispatch=5e-9"}, 3);
    Machine fast = machine("ideal", {"pe.dispatch=5e-9", "pe.local_dispatch=2e-9"}, 3);
    int64_t fixed = 4 * (propagation + transferPs(bytes, rate)), steps = 7 * 5000;
    CHECK(Simulation(chain, same, bytes).time() == fixed + steps + 2 * 5000);
    CHECK(Simulation(chain, fast, bytes).time() == fixed + steps + 2 * 2000);
  }
  SECTION("half of the hops reduce") {
    Machine m = machine("ideal", {"pe.math.cycle=2e-9", "pe.math.bytes_per_cycle=512"}, ranks);
    int64_t math = ceilDivide(chunk, 512) * 2000;
    CHECK(Simulation(plan, m, bytes).time() == hops * hop + (ranks - 1) * math);
  }
  SECTION("a local copy uses the copy engine") {
    Machine m = machine("ideal", {"pe.copy.cycle=1e-9", "pe.copy.bytes_per_cycle=100"}, 1);
    ExecPlan copies = compiled({"allreduce_ring", {{"buffers", "out_of_place"}}, 1});
    CHECK(Simulation(copies, m, 1001, DataType::U8).time() == 11 * 1000);
  }
  SECTION("the launch precedes the first step") {
    Machine m = machine("ideal", {"launch=6.6e-6"}, ranks);
    SimResult result = Simulation(plan, m, bytes).run();
    CHECK(result.time.picoseconds() == 6'600'000 + hops * hop);
    CHECK(cause(result, 0, Cause::Launch) == 6'600'000);
  }
  SECTION("a threadblock that moves its own data is busy during the transfer") {
    // The step takes the size over the threadblock's rate; the last byte is sent at its end.
    Machine m = machine("ideal", {"pe.threadblock_bandwidth=24e9"}, 2);
    ExecPlan two = stream(3);
    int64_t feed = transferPs(chunk, 24'000'000'000);
    CHECK(Simulation(two, m, 3 * chunk, DataType::U8).time() == 3 * feed + propagation);
  }
  SECTION("the DMA engine of a PE processes one message at a time") {
    Machine m = machine("ideal", {"pe.dma_bandwidth=10e9"}, ranks);
    ExecPlan direct = compiled({"alltoall_direct", {}, ranks});
    int64_t dma = transferPs(chunk, 10'000'000'000);
    CHECK(Simulation(direct, m, bytes).time() == (ranks - 2) * dma + hop);
  }
  SECTION("one stream executes one step at a time") {
    // Three sends on three threadblocks, each dispatched for 5 ns.
    ExecPlan three = stream(3, /*ownChannels=*/true);
    Machine alone = machine("ideal", {"pe.dispatch=5e-9", "pe.streams=1"}, 2);
    Machine together = machine("ideal", {"pe.dispatch=5e-9"}, 2);
    CHECK(Simulation(three, together, 3 * chunk, DataType::U8).time() == 5000 + hop + 5000);
    CHECK(Simulation(three, alone, 3 * chunk, DataType::U8).time() == 3 * 5000 + hop + 5000);
  }
}

TEST_CASE("the causes of a threadblock add up to its time", "[sim][rule-26][rule-28]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (const char *target : {"ring", "mesh2d", "ahbm", "ndv4", "dgx-h100", "bluefield3"}) {
      INFO(target);
      Machine m = machine(target, {}, plan.ranks());
      uint32_t slots = 8;
      for (const char *network : networks) {
        Simulation sim(plan, m, 100000, DataType::F16, Slots(slots));
        SimResult result = sim.run(network, withPath());
        checkCauses(plan, result);
        checkPath(plan, result);
      }
    }
  }
}

TEST_CASE("random plans complete, with causes that add up", "[sim]") {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed);
    Machine m = machine(seed % 2 ? "ahbm" : "torus2d",
                        seed % 2 ? std::vector<std::string>{}
                                 : std::vector<std::string>{"pe.dispatch=3e-9", "pe.streams=1",
                                                            "queue.slot_size=64"},
                        plan.ranks());
    Simulation sim(plan, m, 1000, DataType::F32, plan.slots());
    uint64_t sends = 0;
    for (const Step &step : plan.steps())
      sends += traits(step.op).sends ? sim.sizing.transmissions(step.count) : 0;
    for (const char *network : networks) {
      INFO(network);
      SimResult result = sim.run(network, withPath(1 + seed % 3));
      checkCauses(plan, result);
      checkPath(plan, result);
      CHECK(result.messages == sends * sim.sizing.pieces * (1 + seed % 3));
      CHECK(result.steps == plan.steps().size() * sim.sizing.pieces * (1 + seed % 3));
      SimResult again = sim.repeated(1 + seed % 3, network);
      CHECK(again.time == result.time);
      CHECK(again.criticalPath.empty());
    }
  }
}

TEST_CASE("the critical path names the causes of waits", "[sim][rule-27][rule-29]") {
  // Three messages on a connection with one slot: a transfer, and a credit before the next one.
  Machine m = machine("ring", {"launch=7e-9", "queue.credit_size=0"}, 2);
  ExecPlan three = stream(3);
  Simulation sim(three, m, 3000, DataType::U8, Slots(1));
  SimResult result = sim.run("", withPath());
  int64_t way = propagation + transferPs(1000, rate);
  std::vector<std::pair<Cause, int64_t>> got, want = {{Cause::Launch, 7000}};
  for (const PathSegment &segment : result.criticalPath)
    got.emplace_back(segment.cause, (segment.end - segment.begin).picoseconds());
  for (int message = 0; message < 3; ++message) {
    if (message)
      want.emplace_back(Cause::Slot, propagation);
    want.emplace_back(Cause::Link, way);
  }
  CHECK(got == want);
}

TEST_CASE("a rank with a start delay and one with slower engines", "[sim][rule-10]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Machine m = machine("ideal", {"pe.dispatch=10e-9"}, 4);
  Simulation sim(plan, m, 4000);
  SimOptions options;
  options.skew.resize(4);
  int64_t even = sim.time();
  CHECK(sim.run("", options).time.picoseconds() == even);
  // Every rank waits, directly or indirectly, for the delayed rank before the first sum is
  // complete.
  options.skew[2].start = SimTime::nanoseconds(500);
  SimResult late = sim.run("", options);
  checkCauses(plan, late);
  CHECK(late.time.picoseconds() == even + 500'000);
  options.skew[2] = {SimTime(), 3000};
  int64_t slow = sim.run("", options).time.picoseconds();
  // Each of its seven steps takes 20 ns longer.
  CHECK(slow > even);
  CHECK(slow <= even + 7 * 20'000);
}

TEST_CASE("a random schedule has other times, which are explained as well", "[sim]") {
  ExecPlan plan = compiled({"allreduce_recursive_doubling", {}, 8});
  Machine m = machine("ring", {}, 8);
  Simulation sim(plan, m, 8000);
  std::vector<SimTime> times = {sim.run().time};
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SimOptions options = withPath();
    options.randomSchedule = seed;
    SimResult result = sim.run("", options);
    checkCauses(plan, result);
    checkPath(plan, result);
    CHECK(result.time == sim.run("", options).time);
    for (SimTime other : times)
      CHECK(result.time != other);
    times.push_back(result.time);
  }
}

TEST_CASE("consecutive runs overlap", "[sim]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 5});
  Machine m = machine("ring", {}, 5);
  Simulation sim(plan, m, 500000);
  int64_t one = sim.time();
  CHECK(sim.time("", 7) == 7 * one);
  CHECK(sim.repeated(7).messages == 7 * sim.run().messages);
  CHECK(sim.repeated(7).firstRun.picoseconds() == one);
  // The pipeline is filled only once.
  ExecPlan messages = stream(4);
  Simulation pipe(messages, m, 4000, DataType::U8, Slots::unlimited());
  SimResult many = pipe.repeated(10);
  int64_t each = transferPs(1000, rate);
  CHECK(many.firstRun.picoseconds() == 4 * each + propagation);
  CHECK(many.time.picoseconds() == 40 * each + propagation);
}

TEST_CASE("the pieces add up to the chunk", "[sim][rule-7][rule-8]") {
  ExecPlan ring = compiled({"allreduce_ring", {}, 3});
  ExecPlan wide = compiled({"allreduce_recursive_doubling", {{"chunks", "4"}}, 4});
  REQUIRE(wide.maxCount() == 4);
  for (const ExecPlan *plan : {&ring, &wide})
    for (uint64_t slot : {16ull, 64ull, 1000ull, 4096ull, 0ull})
      for (uint64_t bytes : {4ull, 1000ull, 50000ull}) {
        Machine m = machine("ring", {"queue.slot_size=" + std::to_string(slot)}, plan->ranks());
        uint32_t chunks = plan == &ring ? 3 : 4;
        std::vector<uint64_t> want = pieceSizes(bytes, chunks, 4, slot);
        Simulation sim(*plan, m, bytes);
        REQUIRE(sim.sizing.pieces == want.size());
        uint64_t total = 0;
        for (uint32_t p = 0; p < want.size(); ++p) {
          CHECK(sim.sizing.pieceBytes(p).count() == want[p]);
          CHECK((slot == 0 || want[p] * sim.sizing.chunksOf(0, plan->maxCount()) <= slot));
          total += want[p];
        }
        CHECK(total == 4 * ceilDivide(bytes / 4, chunks));
        uint64_t moved = 0, expected = 0;
        for (const LinkUse &use : sim.run("ideal").links)
          moved += use.bytes.count();
        for (const Step &step : plan->steps())
          if (traits(step.op).sends)
            expected += step.count * total;
        CHECK(moved >= expected); // a message is counted on every link of its route
        CHECK(moved % total == 0);
      }
}

TEST_CASE("invalid sizes are rejected", "[sim]") {
  ExecPlan plan = compiled({"allreduce_recursive_doubling", {{"chunks", "4"}}, 4});
  Machine m = machine("ring", {"queue.slot_size=3"}, 4);
  DiagnosticEngine diags;
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, m, Slots(8), diags);
  REQUIRE(succeeded(placed));
  CHECK(failed(Sizing::create(*placed, Bytes(64), DataType::F32, diags)));
  CHECK(failed(Sizing::create(*placed, Bytes(0), DataType::F32, diags)));
  CHECK(textOf(diags) == "tool: error: a slot of 3 bytes cannot hold one f32 element\n"
                         "tool: error: the buffer has 0 bytes\n");
  CHECK(succeeded(Sizing::create(*placed, Bytes(64), DataType::F16, diags)));
}

TEST_CASE("plans that do not fit a machine are rejected", "[sim][rule-4]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Machine small = machine("ring", {}, 3);
  DiagnosticEngine diags;
  CHECK(failed(PlacedPlan::create(plan, small, Slots(8), diags)));
  TemporaryFile file(R"({"name": "apart", "family": "graph", "nodes": [{"name": "a"},
    {"name": "b"}, {"name": "c"}, {"name": "d"}], "links": [{"from": "a", "to": "b"},
    {"from": "c", "to": "d"}]})");
  Machine apart = machine(file.name());
  CHECK(failed(PlacedPlan::create(plan, apart, Slots(8), diags)));
  auto placed = [&](std::vector<uint32_t> endpoints) {
    std::string json = jsonOf(plan);
    std::string list;
    for (uint32_t e : endpoints)
      list += (list.empty() ? "" : ",") + std::to_string(e);
    std::string key = "\"parameters\"";
    json.insert(json.find(key), "\"target\": \"ring\",\n\"endpoints\": [" + list + "],\n");
    return readGood(json);
  };
  Machine ring = machine("ring", {}, 4);
  ExecPlan beyond = placed({0, 1, 2, 4}), twice = placed({0, 1, 2, 1});
  CHECK(failed(PlacedPlan::create(beyond, ring, Slots(8), diags)));
  CHECK(failed(PlacedPlan::create(twice, ring, Slots(8), diags)));
  CHECK(textOf(diags) ==
        R"(
        tool: error: the plan has 4 ranks, but target ring has room for 3
        tool: error: target apart has no path from rank 1 to rank 2
        tool: error: the plan places a rank on endpoint 4, but target ring has 4
        tool: error: the plan places two ranks on endpoint 1
        )"_lines);
  // The placement of ranks matters: the ring in reverse is no slower, a shuffled one is.
  ExecPlan reversed = placed({3, 2, 1, 0}), shuffled = placed({0, 2, 1, 3});
  int64_t straight = Simulation(plan, ring, 4000).time();
  CHECK(Simulation(reversed, ring, 4000).time() == straight);
  CHECK(Simulation(shuffled, ring, 4000).time() > straight);
}

TEST_CASE("a resolved target has the same times", "[sim]") {
  ExecPlan ring = compiled({"allreduce_ring", {}, 6});
  for (const auto &[name, description] : listTargets(CCLC_TARGET_DIR)) {
    INFO(name);
    ExecPlan lrab = compiled({"allreduce_lrab", {}, {}, 1, {}, "ahbm"});
    TemporaryFile file(resolvedTarget(targetRequest(name, {}, 6)));
    Machine before = machine(name, {}, 6), after = machine(file.name());
    for (const ExecPlan *plan : {&ring, &lrab}) {
      if (plan->ranks() > before.numEndpoints())
        continue;
      for (uint64_t bytes : {1000ull, 100000ull}) {
        Simulation was(*plan, before, bytes), is(*plan, after, bytes);
        CHECK(is.time() == was.time());
      }
    }
  }
}

namespace {
/// Two messages from r0 to r1 whose steps are in phases 1 and 2.
SimResult runWithPhases(int send1, int recv1, uint32_t repeat = 1, StringRef target = "ring") {
  auto number = [](int n) { return std::to_string(n); };
  ExecPlan plan = readGood(
      "ccl.version 3\nexec.program @two coll custom ranks 2 outofplace slots 2 {\n"
      "  input 2\n  output 2\n  communicator 0 \"all\" [r0 r1]\n"
      "  call 0 \"a\" gen 1\n  call 1 \"b\" gen 2\n"
      "  phase 1 \"x\" call 0 comm 0 stage 0 gen 1\n  phase 2 \"y\" call 1 comm 0 stage 0 gen 4\n"
      "  rank 0 {\n    tb 0 send r1 ch 0 {\n      0: s i[0] phase 1\n      1: s i[1] phase " +
      number(send1) +
      "\n    }\n  }\n  rank 1 {\n    tb 0 recv r0 ch 0 {\n      0: r -> o[0] phase 1\n"
      "      1: r -> o[1] phase " +
      number(recv1) + R"(

            }
          }
        }
        )"_lines);
  Machine m = machine(target.str(), {}, 2);
  Simulation simulation(plan, m, 1 << 20);
  SimOptions options;
  options.repeat = repeat;
  return simulate(simulation.placed, simulation.sizing,
                  *createNetwork(m.network, simulation.placed.routes), options);
}
} // namespace

TEST_CASE("a message of another generation is not consumed", "[engine]") {
  for (StringRef target : {"ring", "ndv4"})
    for (uint32_t repeat : {1u, 3u}) {
      CHECK(runWithPhases(2, 2, repeat, target).completed);
      SimResult result = runWithPhases(2, 1, repeat, target);
      CHECK_FALSE(result.completed);
      CHECK_FALSE(result.closedGate);
      CHECK_FALSE(runWithPhases(1, 2, repeat, target).completed);
    }
}

TEST_CASE("a simulation ends at its limit unless the plan has completed", "[sim]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Machine m = machine("ring", {}, 4);
  for (StringRef network : networks) {
    INFO(network.str());
    Simulation simulation(plan, m, 1 << 20);
    const SimTime time = simulation.run(network).time;
    auto until = [&](SimTime limit) {
      SimOptions options;
      options.until = limit;
      auto model = createNetwork(network, simulation.placed.routes);
      return simulate(simulation.placed, simulation.sizing, *model, options);
    };
    for (SimTime limit : {time, time + SimTime(1)}) {
      CHECK(until(limit).completed);
      CHECK_FALSE(until(limit).stopped);
      CHECK(until(limit).time == time);
    }
    for (SimTime limit : {SimTime(), SimTime(time.picoseconds() / 2), time - SimTime(1)}) {
      CHECK_FALSE(until(limit).completed);
      CHECK(until(limit).stopped);
    }
  }
}
