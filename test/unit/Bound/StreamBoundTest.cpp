//===- StreamBoundTest.cpp - Bounds by the streams of all PEs -------------===//
//
// Closed forms for one rank in each cube of AHBM. A receive of 4096 bytes from a neighbour occupies
// the stream for 1.15 ns, 8 ns to read the slot, and 26.81 ns until the credit is delivered. The
// distance is that of two neighbours, which the route of the credit passes. The cubes of the row
// next to the IO chiplets of two SIPs are 47.22 ns apart, and 26.81 ns more for each further row.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/CollectiveBound.h"

#include "Sim/Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr double near = 1.15 + 8 + 26.81, across = 1.15 + 8 + 47.22, row = 26.81, reduction = 8;
constexpr double slots = 64 * 1024 * 1024 / 4096.0;

std::vector<EndpointId> leaders(const Machine &m, uint32_t pes) {
  std::vector<EndpointId> endpoints;
  for (uint32_t e = 0; e < m.numEndpoints(); e += pes)
    endpoints.push_back(EndpointId(e));
  return endpoints;
}

SizeBound boundOf(CollectiveKind kind, const std::vector<std::string> &overrides = {}) {
  Machine m = machine("ahbm", overrides);
  std::vector<EndpointId> ranks = leaders(m, 8);
  Collective collective(kind, ranks.size(), 1);
  return CollectiveBound({m, ranks, collective, "cut-through"}).at(Bytes(uint64_t(64) << 20));
}
double memoryOf(CollectiveKind kind, const std::vector<std::string> &overrides = {}) {
  return double(boundOf(kind, overrides).memory.picoseconds()) / 1000;
}

/// A group of 16 ranks, each of which receives \p each buffers, and all together \p entering from
/// outside: in time t, a rank in row i has (t - each * near) / (across + i * row - near) of these.
double groupTime(double each, double entering) {
  double rates = 0;
  for (int i = 0; i < 4; ++i)
    rates += 4 / (across + i * row - near);
  return slots * (each * near + entering / rates);
}
} // namespace

TEST_CASE("every element crosses a spanning tree of streams") {
  double tree = 30 * near + across;
  CHECK(memoryOf(CollectiveKind::ReduceScatter) ==
        Approx(slots * (tree + 31 * reduction) / 32).epsilon(1e-7));
  CHECK(memoryOf(CollectiveKind::AllReduce) ==
        Approx(slots * (2 * tree + 31 * reduction) / 32).epsilon(1e-7));
  // The root of a reduction receives no more than others have to.
  CHECK(memoryOf(CollectiveKind::Reduce) ==
        Approx(slots * (tree + 31 * reduction) / 32).epsilon(1e-7));
}

TEST_CASE("the streams of a SIP receive data from the other one") {
  CHECK(memoryOf(CollectiveKind::AllGather) == Approx(groupTime(31.0 / 32, 0.5)).epsilon(1e-7));
  CHECK(memoryOf(CollectiveKind::Broadcast) == Approx(groupTime(1, 1)).epsilon(1e-7));
  SizeBound bound = boundOf(CollectiveKind::Broadcast);
  CHECK(boundName(bound.binds) == "memory");
  CHECK(bound.witness ==
        "the streams of the 16 PEs near sip1.cube0.pe0: a receive of 4096 bytes occupies one for "
        "36.0 ns or more, and from farther PEs, from which data have to come, for 56.4 ns or more");
}

TEST_CASE("the streams of an all-to-all receive from all distances") {
  // In a column of four cubes, the ordered pairs are 20 hops apart in total.
  double inside = 20 * row + 4 * 3 * (near - row);
  double outside = 4 * 4 * (across + 3 * row);
  CHECK(memoryOf(CollectiveKind::AllToAll, {"cubes.width=1"}) ==
        Approx(slots * 2 * (inside + outside) / 8 / 8).epsilon(1e-7));
}

TEST_CASE("several streams and free credits lower the bound") {
  CHECK(memoryOf(CollectiveKind::ReduceScatter, {"pe.streams=2"}) ==
        Approx(memoryOf(CollectiveKind::ReduceScatter) / 2).epsilon(1e-7));
  CHECK(memoryOf(CollectiveKind::ReduceScatter, {"ipcq.credit_blocks_receiver=off"}) ==
        Approx(slots * 31 * (9.15 + reduction) / 32).epsilon(1e-7));
  CHECK(memoryOf(CollectiveKind::AllGather, {"ipcq.slot_size=0"}) < slots * 31 / 32 * 16.01);
}

TEST_CASE("a pipeline between two SIPs reaches the bound of its streams") {
  Machine m =
      machine("ahbm", {"cubes.width=1", "cubes.height=1", "cubes.pes=1", "memory.load_store=off"});
  ExecPlan plan = compiled({"broadcast_pipeline", {}, 2});
  Simulation sim(plan, m, uint64_t(4) << 20);
  CollectiveBound bounds({m, sim.placed.endpointOf, plan.info().collective, "cut-through"});
  SizeBound bound = bounds.at(Bytes(uint64_t(4) << 20));
  CHECK(boundName(bound.binds) == "memory");
  double share = double(bound.time().picoseconds()) / double(sim.time());
  CHECK(share > 0.99);
  CHECK(share <= 1);
}

TEST_CASE("latencies of seconds leave a bound") {
  for (const char *overhead : {"1e-3", "1", "20"}) {
    INFO(overhead);
    Machine m = machine("ahbm", {"cubes.width=2", "cubes.height=1", "cubes.pes=1",
                                 std::string("noc.router_overhead=") + overhead});
    ExecPlan plan = compiled({"broadcast_pipeline", {}, 4});
    Simulation sim(plan, m, uint64_t(64) << 10);
    CollectiveBound bounds({m, sim.placed.endpointOf, plan.info().collective, "cut-through"});
    SizeBound bound = bounds.at(Bytes(uint64_t(64) << 10));
    CHECK(bound.memory > SimTime());
    CHECK(bound.time().picoseconds() <= sim.time());
  }
  // Products of costs and weights do not exceed 128 bits.
  CHECK(memoryOf(CollectiveKind::AllGather, {"noc.router_overhead=1000"}) >
        memoryOf(CollectiveKind::AllGather, {"noc.router_overhead=1"}));
}
