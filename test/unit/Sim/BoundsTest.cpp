//===- BoundsTest.cpp - Lower bounds for every plan and machine -----------===//
//
// Bounds that follow from capacities alone, independent of the order of events:
// transferring data across a cut of the machine takes at least its bytes over the
// capacity of the cut. Furthermore, a machine that is better in one respect must
// not be slower.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// Bytes that each connection carries.
std::vector<uint64_t> trafficOf(const Simulation &sim) {
  std::vector<uint64_t> bytes(sim.placed.placedConnections.size());
  for (uint32_t c = 0; c < bytes.size(); ++c)
    forEachMessage(
        sim.placed.plan, sim.placed.connections.connections()[c], [&](uint32_t send, uint32_t) {
          for (uint32_t p = 0; p < sim.sizing.pieces; ++p)
            bytes[c] += sim.placed.plan.steps()[send].count * sim.sizing.pieceBytes(p).count();
        });
  return bytes;
}

/// A set of nodes; a message from inside to outside crosses a link of the cut.
struct Cut {
  const Simulation &sim;
  const std::vector<uint64_t> &traffic;
  std::vector<bool> inside; ///< by node

  /// The least time to transfer all crossing bytes, rounded down.
  int64_t bound() const {
    uint64_t capacity = 0, bytes = 0;
    for (const Link &link : sim.machine.links())
      if (link.present && inside[link.from.index()] && !inside[link.to.index()])
        capacity += link.bandwidth.bytesPerSecond();
    for (uint32_t c = 0; c < traffic.size(); ++c)
      if (inside[nodeOf(sim.placed.placedConnections[c].senderTb)] &&
          !inside[nodeOf(sim.placed.placedConnections[c].receiverTb)])
        bytes += traffic[c];
    return bytes ? transferPs(bytes, capacity) - 1 : 0;
  }

private:
  uint32_t nodeOf(uint32_t threadblock) const {
    uint32_t rank = sim.placed.plan.threadblocks()[threadblock].rank.index();
    return sim.machine.endpointNode(sim.placed.endpointOf[rank]).index();
  }
};

/// The largest bound over all cuts that are tried.
int64_t lowerBound(const Simulation &sim, Random &random) {
  const Machine &machine = sim.machine;
  std::vector<uint64_t> traffic = trafficOf(sim), load(machine.links().size());
  int64_t largest = 0;
  // A link, with the nodes behind it.
  for (uint32_t c = 0; c < traffic.size(); ++c)
    for (LinkId link : sim.placed.routes.linksOf(sim.placed.routes[c]))
      load[link.index()] += traffic[c];
  for (uint32_t l = 0; l < load.size(); ++l)
    if (load[l]) {
      const Link &link = machine.links()[l];
      SimTime behind = link.propagation + machine.nodes()[link.to.index()].overhead;
      largest = std::max(largest, transferPs(load[l], link.bandwidth.bytesPerSecond()) - 1 +
                                      behind.picoseconds());
    }
  // The incoming and the outgoing links of a node, and random partitions.
  uint32_t nodes = machine.nodes().size();
  for (uint32_t n = 0; n < std::min(nodes, 40u); ++n) {
    std::vector<bool> out(nodes), in(nodes, true);
    uint32_t node = random.below(nodes);
    out[node] = true;
    in[node] = false;
    largest = std::max({largest, Cut{sim, traffic, out}.bound(), Cut{sim, traffic, in}.bound()});
  }
  for (uint32_t n = 0; n < 20; ++n) {
    std::vector<bool> inside(nodes);
    for (uint32_t node = 0; node < nodes; ++node)
      inside[node] = random.chance(50);
    largest = std::max(largest, Cut{sim, traffic, inside}.bound());
  }
  return largest;
}

struct Found {
  int64_t closest = 0;      ///< the largest quotient of bound and time, in percent
  uint32_t idealBeaten = 0; ///< times that are below the bound because links are not shared
};

void checkBound(const ExecPlan &plan, const Machine &m, uint64_t bytes, Random &random,
                Found &found) {
  Simulation sim(plan, m, bytes, DataType::F32, plan.slots());
  int64_t bound = lowerBound(sim, random);
  for (const char *network : networks) {
    INFO(network);
    int64_t time = sim.time(network);
    if (StringRef(network) == "ideal") {
      found.idealBeaten += time < bound;
      continue;
    }
    CHECK(time >= bound);
    if (time > 0)
      found.closest = std::max(found.closest, 100 * bound / time);
  }
}
} // namespace

TEST_CASE("no plan beats the capacity of a cut", "[sim][cuts]") {
  const char *targets[] = {"ring", "mesh2d", "torus2d", "fully-connected", "ndv4", "ahbm"};
  Found found;
  for (uint64_t seed = 0; seed < scaled(20); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    ExecPlan plan = randomPlan(seed);
    for (const char *target : targets) {
      INFO(target);
      Machine m = machine(target, {}, plan.ranks());
      for (uint64_t bytes : {4000ull, 2'000'000ull})
        checkBound(plan, m, bytes, random, found);
    }
  }
  // Each program on every third target.
  size_t first = 0;
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    Random random(plan.ranks());
    for (size_t t = first++ % 3; t < std::size(targets); t += 3) {
      INFO(targets[t]);
      Machine m = machine(targets[t], {}, plan.ranks());
      checkBound(plan, m, 1'000'000, random, found);
    }
  }
  // Plans reach times close to the bounds.
  CHECK(found.closest >= 95);
  CHECK(found.idealBeaten > 0);
}

TEST_CASE("a better machine is not slower without contention", "[sim]") {
  // Without shared links, ports and engines, a step begins when the last of its dependences is
  // satisfied: no order can become worse.
  for (uint64_t seed = 0; seed < scaled(60); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    ExecPlan plan = randomPlan(seed);
    const char *target = seed % 2 ? "torus2d" : "ring";
    uint64_t bandwidth = random.between(1, 100), propagation = random.between(1, 2000);
    uint32_t slots = plan.slots()->isUnlimited() ? 8 : plan.slots()->limit();
    uint64_t bytes = random.between(1, 1'000'000);
    auto time = [&] {
      Machine m = machine(target,
                          {"link.bandwidth=" + std::to_string(bandwidth) + "e9",
                           "link.propagation=" + std::to_string(propagation) + "e-9",
                           "pe.dispatch=5e-9", "queue.slot_size=4096", "queue.credit_size=16"},
                          plan.ranks());
      return Simulation(plan, m, bytes, DataType::F32, Slots(slots)).time("ideal");
    };
    int64_t before = time();
    for (uint32_t change = 0; change < 8; ++change) {
      switch (random.below(3)) {
      case 0:
        bandwidth += random.between(1, 100);
        break;
      case 1:
        propagation = random.below(propagation + 1);
        break;
      case 2:
        slots += random.between(1, 4);
        break;
      }
      INFO(bandwidth << " GB/s, " << propagation << " ns, " << slots << " slots");
      int64_t now = time();
      CHECK(now <= before);
      before = now;
    }
  }
}
