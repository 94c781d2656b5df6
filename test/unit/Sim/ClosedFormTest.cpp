//===- ClosedFormTest.cpp - Whole algorithms against their formulas -------===//
//
// Without contention the time of an algorithm follows from the rules of the machine
// model. Every formula is derived from these and from the settings of the machine,
// and must match to the picosecond.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include <bit>

using namespace cclc;
using namespace cclc::test;

namespace {

/// The costs of a machine for messages of one size.
class Costs {
public:
  Costs(const Machine &machine, uint64_t bytes) : machine(machine), bytes(bytes) {}

  int64_t dispatch() const { return ps(machine.pe.dispatch); }
  int64_t localDispatch() const { return ps(machine.pe.localDispatch); }
  int64_t math() const {
    const CycleEngine &engine = machine.pe.math;
    if (engine.bytesPerCycle == 0)
      return 0;
    return ps(engine.latency) + ps(engine.cycle) * ceilDiv(bytes, engine.bytesPerCycle);
  }
  /// From the end of the sending step until the message is in its slot.
  int64_t message(uint32_t from, uint32_t to) const {
    Route route(machine, from, to);
    return ps(machine.queue.sendOverhead) + route.latency + transfer(bytes, route.slowest) +
           write();
  }
  int64_t write() const { return access(machine.queue.write); }
  int64_t read() const { return access(machine.queue.read); }
  /// From the beginning of the receiving step until it reads its slot.
  int64_t beforeRead() const { return dispatch() + ps(machine.queue.receiveOverhead); }
  /// From the end of that until the receive is complete.
  int64_t credit(uint32_t from, uint32_t to) const {
    if (!machine.queue.creditBlocksReceiver)
      return 0;
    Route route(machine, from, to);
    return route.latency + transfer(machine.queue.creditSize.count(), route.slowest);
  }
  /// From the beginning of the receiving step until it has the data and, depending on the machine,
  /// the sender has the credit.
  int64_t receive(uint32_t from, uint32_t to) const {
    return beforeRead() + read() + credit(from, to);
  }
  int64_t hop(uint32_t from, uint32_t to) const { return message(from, to) + receive(from, to); }
  /// A load or a store: the latency in both directions, and the size at the slowest link.
  int64_t memory(uint32_t endpoint) const {
    if (!machine.memory.loadStore)
      return 0;
    SmallVector<LinkId, 4> links;
    machine.routeToMemory(EndpointId(endpoint), EndpointId(endpoint), links);
    int64_t latency = ps(machine.memory.dmaOverhead);
    Bandwidth slowest;
    for (LinkId id : links)
      for (LinkId way : {id, *machine.link(id).reverse}) {
        const Link &link = machine.link(way);
        latency += ps(link.propagation) + ps(machine.nodes()[link.to.index()].overhead);
        slowest = Bandwidth::slower(slowest, link.bandwidth);
      }
    return latency + transfer(bytes, slowest);
  }

private:
  struct Route {
    int64_t latency = 0;
    Bandwidth slowest;
    Route(const Machine &machine, uint32_t from, uint32_t to) {
      SmallVector<LinkId, 64> links;
      machine.route(EndpointId(from), EndpointId(to), links);
      REQUIRE_FALSE(links.empty());
      for (LinkId id : links) {
        const Link &link = machine.link(id);
        latency += ps(link.propagation) + ps(machine.nodes()[link.to.index()].overhead);
        slowest = Bandwidth::slower(slowest, link.bandwidth);
      }
    }
  };

  static int64_t ps(SimTime time) { return time.picoseconds(); }
  static int64_t transfer(uint64_t size, Bandwidth rate) {
    return rate.isUnlimited() ? 0 : transferPs(size, rate.bytesPerSecond());
  }
  int64_t access(const SlotAccess &slot) const {
    return ps(slot.latency) + transfer(bytes, slot.rate) + transfer(bytes, slot.secondRate);
  }

  const Machine &machine;
  uint64_t bytes;
};

/// Costs of steps that any machine may have; every entry is one set of settings.
const std::vector<std::vector<std::string>> costSets = {
    {},
    {"pe.dispatch=35e-9"},
    {"pe.dispatch=35e-9", "pe.local_dispatch=4e-9"},
    {"pe.math.latency=11e-9", "pe.math.cycle=2e-9", "pe.math.bytes_per_cycle=100"},
    {"queue.access.tcm.latency=13e-9", "queue.access.tcm.bandwidth=333e9"},
    {"queue.send_overhead=17e-9", "queue.receive_overhead=19e-9"},
    {"queue.credit_blocks_receiver=on", "queue.credit_size=24"},
    {"pe.dispatch=35e-9", "pe.math.cycle=2e-9", "pe.math.bytes_per_cycle=100",
     "queue.access.tcm.latency=13e-9", "queue.access.tcm.second_bandwidth=77e9",
     "queue.send_overhead=17e-9", "queue.receive_overhead=19e-9", "queue.credit_blocks_receiver=on",
     "queue.credit_size=24", "launch=6.6e-6"},
};

/// Calls fn(machine) for every set of costs, with chunks in one piece.
template <class Fn> void forAllCosts(const char *target, uint32_t ranks, Fn fn) {
  for (std::vector<std::string> costs : costSets) {
    costs.push_back("queue.slot_size=0");
    INFO(target << ", " << ranks << " ranks, " << costs.front());
    fn(machine(target, costs, ranks));
  }
}

constexpr DataType types[] = {DataType::U8, DataType::BF16, DataType::F32, DataType::I64};

/// Bytes of a chunk: the elements are divided by the number of chunks, rounded up.
uint64_t chunkBytes(uint64_t bytes, DataType type, uint64_t chunks) {
  return ceilDiv(ceilDiv(bytes, sizeOf(type)), chunks) * sizeOf(type);
}

/// A reduction up a complete binary tree and a broadcast down; a node sends when all of its
/// children have.
ExecPlan binaryTree(uint32_t levels) {
  uint32_t ranks = (1u << levels) - 1;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "ccl.version 3\nexec.program @tree coll allreduce ranks " << ranks
     << " chunks 1 inplace slots 8 {\n";
  for (uint32_t r = 0; r < ranks; ++r) {
    os << "  rank " << r << " {\n";
    bool leaf = 2 * r + 1 >= ranks;
    uint32_t parent = (r - 1) / 2, up = leaf ? 0 : 2;
    if (!leaf) {
      // The second child's sum is added to the first one's.
      std::string sum = r == 0 ? "tb1:0" : "tb2:1";
      for (uint32_t child : {0, 1}) {
        uint32_t rank = 2 * r + 1 + child;
        os << "    tb " << child << " send r" << rank << " recv r" << rank
           << " ch 0 {\n      0: rrc"
           << " i[0] -> i[0]" << (child ? " dep tb0:0" : "") << " pub\n      1: s i[0]";
        if (r != 0 || child == 0)
          os << " dep " << sum;
        os << "\n    }\n";
      }
    }
    if (r != 0)
      os << "    tb " << up << " send r" << parent << " recv r" << parent
         << " ch 0 {\n      0: s i[0]" << (leaf ? "" : " dep tb1:0") << "\n      1: r -> i[0]"
         << (leaf ? "" : " pub") << "\n    }\n";
    os << "  }\n";
  }
  os << "}\n";
  return readGood(os.str());
}
} // namespace

TEST_CASE("ring: 2 (R - 1) hops, half of which reduce", "[closed]") {
  for (const char *target : {"ideal", "ring", "fully-connected"})
    for (uint32_t ranks : {2u, 3u, 6u, 13u}) {
      ExecPlan plan = compiled({"allreduce_ring", {}, ranks});
      forAllCosts(target, ranks, [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull})
          for (DataType type : types) {
            Costs costs(m, chunkBytes(bytes, type, ranks));
            // The first send is a separate step, later ones are part of receives.
            int64_t want = m.launch.picoseconds() + costs.dispatch() +
                           2 * (ranks - 1) * costs.hop(0, 1) + (ranks - 1) * costs.math();
            CHECK(Simulation(plan, m, bytes, type, Slots::unlimited()).time() == want);
          }
      });
    }
}

TEST_CASE("tree: two sums per level on the way up, none on the way down", "[closed]") {
  for (const char *target : {"ideal", "fully-connected"})
    for (uint32_t levels : {2u, 3u, 4u, 5u}) {
      ExecPlan plan = binaryTree(levels);
      forAllCosts(target, plan.ranks(), [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull})
          for (DataType type : types) {
            Costs costs(m, chunkBytes(bytes, type, 1));
            // Both children arrive at the same time. Slots are written one at a time; the second
            // sum waits for the first one, which takes longer than that.
            int64_t up =
                costs.dispatch() + costs.message(1, 0) + 2 * (costs.receive(1, 0) + costs.math());
            int64_t down = costs.dispatch() + costs.hop(0, 1);
            CHECK(Simulation(plan, m, bytes, type, Slots::unlimited()).time() ==
                  m.launch.picoseconds() + (levels - 1) * (up + down));
          }
      });
    }
}

TEST_CASE("centralized: R - 1 serialised sums, and one message back", "[closed]") {
  for (const char *target : {"ideal", "fully-connected"})
    for (uint32_t ranks : {2u, 3u, 6u, 17u, 64u}) {
      ExecPlan plan = compiled({"allreduce_centralized", {}, ranks});
      forAllCosts(target, ranks, [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull})
          for (DataType type : types) {
            Costs costs(m, chunkBytes(bytes, type, 1));
            int64_t up = costs.dispatch() + costs.message(1, 0) +
                         (ranks - 1) * (costs.receive(1, 0) + costs.math());
            // The last sum is sent by the step that computes it, and by further steps after it.
            int64_t down = (ranks > 2 ? costs.dispatch() : 0) + costs.hop(0, 1);
            CHECK(Simulation(plan, m, bytes, type, Slots::unlimited()).time() ==
                  m.launch.picoseconds() + up + down);
          }
      });
    }
}

TEST_CASE("k-ary tree: fetches overlap, k sums per level", "[closed]") {
  struct Shape {
    uint32_t arity, levels;
  };
  for (const char *target : {"ideal", "fully-connected"})
    for (Shape shape : {Shape{1, 1}, {1, 4}, {2, 1}, {2, 2}, {2, 5}, {3, 3}, {4, 2}, {9, 2}}) {
      uint32_t ranks = 1;
      for (uint32_t l = 0; l < shape.levels; ++l)
        ranks = ranks * shape.arity + 1;
      ExecPlan plan = compiled({"allreduce_tree", {{"arity", std::to_string(shape.arity)}}, ranks});
      forAllCosts(target, ranks, [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull})
          for (DataType type : types) {
            Costs costs(m, chunkBytes(bytes, type, 1));
            // All children send at the same time. Slots are written, and then read, one at a time;
            // a sum starts when its operand and the previous sum are available.
            int64_t up = 0, readPort = 0;
            for (uint32_t child = 0; child < shape.arity; ++child) {
              int64_t written = costs.dispatch() + costs.message(1, 0) + child * costs.write();
              readPort = std::max(readPort, written + costs.beforeRead()) + costs.read();
              up = std::max(up, readPort + costs.credit(1, 0)) + costs.localDispatch() +
                   costs.math();
            }
            // An inner node sends to one child in the receiving step, and to the others afterwards.
            int64_t down = shape.levels * costs.hop(0, 1) +
                           (shape.arity == 1 ? 1 : shape.levels) * costs.dispatch();
            CHECK(Simulation(plan, m, bytes, type, Slots::unlimited()).time() ==
                  m.launch.picoseconds() + shape.levels * up + down);
          }
      });
    }
}

TEST_CASE("recursive doubling: log2 R exchanges of the whole buffer", "[closed]") {
  for (const char *target : {"ideal", "fully-connected"})
    for (uint32_t ranks : {2u, 4u, 8u, 16u}) {
      ExecPlan plan = compiled({"allreduce_recursive_doubling", {}, ranks});
      forAllCosts(target, ranks, [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull})
          for (DataType type : types) {
            Costs costs(m, chunkBytes(bytes, type, 1));
            // Only the first send is a separate step.
            CHECK(Simulation(plan, m, bytes, type, Slots::unlimited()).time() ==
                  m.launch.picoseconds() + costs.dispatch() +
                      std::countr_zero(ranks) * (costs.hop(0, 1) + costs.math()));
          }
      });
    }
}

TEST_CASE("recursive doubling: excess ranks send first and receive last", "[closed]") {
  // With 6 ranks the contention at a port is higher than in the formula.
  for (const char *target : {"ideal", "fully-connected"})
    for (uint32_t ranks : {3u, 5u, 7u, 13u, 31u}) {
      ExecPlan plan = compiled({"allreduce_recursive_doubling", {}, ranks});
      uint32_t core = std::bit_floor(ranks), excess = ranks - core;
      forAllCosts(target, ranks, [&](const Machine &m) {
        for (uint64_t bytes : {1ull, 4096ull, 1000003ull}) {
          Costs costs(m, chunkBytes(bytes, DataType::F32, 1));
          int64_t message = costs.message(0, 1), add = costs.receive(0, 1) + costs.math();
          // The time at which each rank sends its partial sum. A rank with an excess partner
          // receives that rank's message together with one from a partner without; the latter, of
          // the lower rank, is written to its slot first.
          std::vector<int64_t> sends(core, costs.dispatch());
          for (uint32_t r = 0; r < excess; ++r)
            sends[r] += message + add + ((r ^ 1) >= excess ? costs.write() : 0);
          for (uint32_t distance = 1; distance < core; distance *= 2) {
            std::vector<int64_t> before = sends;
            for (uint32_t r = 0; r < core; ++r)
              sends[r] = std::max(before[r], before[r ^ distance] + message) + add;
          }
          int64_t end = *std::max_element(sends.begin(), sends.end());
          for (uint32_t r = 0; r < excess; ++r)
            end = std::max(end, sends[r] + costs.hop(0, 1));
          CHECK(Simulation(plan, m, bytes, DataType::F32, Slots::unlimited()).time() ==
                m.launch.picoseconds() + end);
        }
      });
    }
}

TEST_CASE("a ring of two PEs includes queues, credits and memory",
          "[closed][rule-18][rule-19][rule-37]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 2});
  for (std::vector<std::string> changes : {std::vector<std::string>{},
                                           {"memory.load_store=off"},
                                           {"ipcq.slot_memory=sram"},
                                           {"ipcq.slot_memory=hbm"},
                                           {"ipcq.credit_blocks_receiver=off"},
                                           {"pe.dispatch=35e-9"}})
    for (uint64_t bytes : {2ull, 1000ull, 8192ull})
      for (DataType type : types) {
        Machine m = machine("ahbm", changes);
        INFO(bytes << " bytes " << dataTypeName(type).str());
        Costs costs(m, chunkBytes(bytes, type, 2));
        // Load and send one chunk, add the received one to the other, and store the result.
        int64_t want = std::max(costs.dispatch(), costs.memory(0)) + 2 * costs.hop(0, 1) +
                       costs.math() + costs.memory(0);
        REQUIRE(costs.hop(0, 1) == costs.hop(1, 0));
        CHECK(Simulation(plan, m, bytes, type).time() == want);
      }
}

TEST_CASE("LRAB in one SIP: along rows, along a column, and back", "[closed]") {
  struct Grid {
    uint32_t w, h;
  };
  for (Grid grid : {Grid{2, 1}, {3, 1}, {1, 2}, {1, 4}, {2, 2}, {4, 2}, {3, 4}, {4, 4}}) {
    std::vector<std::string> shape = {"sips.count=1", "cubes.width=" + std::to_string(grid.w),
                                      "cubes.height=" + std::to_string(grid.h)};
    CompileRequest request = requestFor({"allreduce_lrab", {{"root", "corner"}}});
    request.target = targetRequest("ahbm", shape);
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(bundled("allreduce_lrab"), request, diags);
    REQUIRE(succeeded(outcome));
    const ExecPlan &plan = outcome->plan;
    REQUIRE(plan.ranks() == grid.w * grid.h);
    for (std::vector<std::string> changes :
         {std::vector<std::string>{},
          {"memory.load_store=off"},
          {"ipcq.slot_memory=sram"},
          {"ipcq.credit_blocks_receiver=off"},
          {"ipcq.slot_access=off", "ipcq.send_overhead=0"},
          {"pe.dispatch=35e-9"},
          {"noc.hop_latency=5e-9", "ucie.connection_bandwidth=64e9"}}) {
      changes.insert(changes.end(), shape.begin(), shape.end());
      Machine m = machine("ahbm", changes);
      for (uint64_t bytes : {2ull, 100ull, 4096ull})
        for (DataType type : types) {
          INFO(grid.w << " x " << grid.h << ", " << changes.front() << ", " << bytes << " bytes "
                      << dataTypeName(type).str());
          Costs costs(m, chunkBytes(bytes, type, 1));
          auto leader = [&](uint32_t x, uint32_t y) { return (y * grid.w + x) * 8; };
          uint32_t right = grid.w - 1, bottom = grid.h - 1;
          // Towards the corner every PE adds received data to chunks that are loaded in the
          // meantime. Rows end at the same time, so that in the column only the sum from above is
          // waited for.
          int64_t time = std::max(costs.dispatch(), costs.memory(0));
          for (uint32_t x = 0; x < right; ++x)
            time += costs.hop(leader(x, 0), leader(x + 1, 0)) + costs.math();
          for (uint32_t y = 0; y < bottom; ++y)
            time += costs.hop(leader(right, y), leader(right, y + 1)) + costs.math();
          // Back up, which is the first send of every cube, and then along the first row.
          for (uint32_t y = bottom; y > 0; --y)
            time += costs.hop(leader(right, y), leader(right, y - 1));
          for (uint32_t x = right; x > 0; --x)
            time += costs.hop(leader(x, 0), leader(x - 1, 0));
          time += costs.memory(0);
          Simulation sim(plan, m, bytes, type);
          CHECK(sim.time("ideal") == time);
          CHECK(sim.time("cut-through") == time);
        }
    }
  }
}
