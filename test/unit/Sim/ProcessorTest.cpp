//===- ProcessorTest.cpp - Tests of processors that execute many PEs ------===//
//
// Closed forms of the times of plans on a host, whose processors copy the data themselves.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr int64_t dispatch = 10'000, copy = 500'000, fetch = 200'000, latency = 70'000;

/// \p ranks ranks of a host; a message has 1000 bytes.
Machine host(uint32_t ranks, uint32_t processors, std::vector<std::string> more = {}) {
  std::vector<std::string> changes = {"link=null",
                                      "pe.dispatch=10e-9",
                                      "processors.copy_bandwidth=2e9",
                                      "processors.fetch_bandwidth=5e9",
                                      "processors.latency=70e-9",
                                      "processors.count=" + std::to_string(processors)};
  changes.insert(changes.end(), more.begin(), more.end());
  return machine("ideal", changes, ranks);
}

/// One step of each of two ranks, and what the receiver does.
ExecPlan pair(const std::string &receive) {
  return readGood("ccl.version 3\nexec.program @pair coll custom ranks 2 outofplace slots 8 {\n"
                  "  input 1\n  output 1\n"
                  "  rank 0 {\n    tb 0 send r1 ch 0 {\n      0: s i[0]\n    }\n  }\n"
                  "  rank 1 {\n    tb 0 recv r0 ch 0 {\n      0: " +
                  receive + "\n    }\n  }\n}\n");
}
} // namespace

TEST_CASE("a processor executes the steps of its ranks in turn", "[sim][rule-59]") {
  ExecPlan one = pair("r -> o[0]");
  CHECK(Simulation(one, host(2, 1), 1000, DataType::U8).time() == 2 * (dispatch + copy));
  // Every rank of a ring sends and receives ranks - 1 times; a processor has half of them.
  constexpr uint32_t ranks = 4;
  ExecPlan ring = compiled({"allgather_ring", {{"buffers", "in_place"}}, ranks});
  Machine single = host(ranks, 1);
  uint64_t steps = ring.steps().size(), copies = 0;
  for (const Step &step : ring.steps())
    copies += step.op == OpKind::RecvCopySend ? 2 : 1;
  CHECK(Simulation(ring, single, ranks * 1000, DataType::U8).time() ==
        int64_t(steps) * dispatch + int64_t(copies) * copy);
  // More processors than ranks are unused.
  Machine four = host(ranks, 4), many = host(ranks, 9);
  CHECK(Simulation(ring, four, 4000, DataType::U8).time() ==
        Simulation(ring, many, 4000, DataType::U8).time());
  CHECK(Simulation(ring, four, 4000, DataType::U8).time() <
        Simulation(ring, single, 4000, DataType::U8).time());
}

TEST_CASE("a reduction reads the slot itself", "[sim][rule-60]") {
  Machine m = host(2, 1, {"pe.math.cycle=3e-9", "pe.math.bytes_per_cycle=10"});
  ExecPlan reduced = pair("rrc i[0] -> o[0]");
  CHECK(Simulation(reduced, m, 1000, DataType::U8).time() == 2 * dispatch + copy + 300'000);
  Machine copies = host(1, 1, {"pe.copy.cycle=3e-9", "pe.copy.bytes_per_cycle=10"});
  ExecPlan local = compiled({"allreduce_ring", {{"buffers", "out_of_place"}}, 1});
  CHECK(Simulation(local, copies, 1000, DataType::U8).time() == dispatch + 300'000);
}

// The message of rrs is formed in a slot, and the slots of others have no data.
TEST_CASE("a large message is read in the memory of its sender", "[sim][rule-60][rule-61]") {
  ExecPlan one = pair("r -> o[0]");
  for (uint32_t processors : {1, 2}) {
    int64_t receive = dispatch + copy + (processors == 2 ? latency + fetch : 0);
    CHECK(Simulation(one, host(2, processors, {"processors.direct=1000"}), 1000, DataType::U8)
              .time() == dispatch + receive);
  }
  CHECK(Simulation(one, host(2, 1, {"processors.direct=1001"}), 1000, DataType::U8).time() ==
        2 * (dispatch + copy));
  Machine small =
      host(2, 1, {"processors.direct=1", "processors.cache=2000", "processors.memory_factor=3"});
  CHECK(Simulation(one, small, 1000, DataType::U8).time() == 2 * dispatch + 2 * copy);
  ExecPlan sums = readGood(R"(ccl.version 3
exec.program @sums coll custom ranks 3 outofplace slots 8 {
  input 1
  output 1
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
  }
  rank 1 {
    tb 0 send r2 recv r0 ch 0 {
      0: rrs i[0]
    }
  }
  rank 2 {
    tb 0 recv r1 ch 0 {
      0: r -> o[0]
    }
  }
}
)");
  Machine three = host(3, 3, {"processors.direct=1"});
  CHECK(Simulation(sums, three, 1000, DataType::U8).time() ==
        3 * dispatch + 2 * latency + 3 * fetch + copy);
}

TEST_CASE("messages between processors take longer", "[sim][rule-61]") {
  ExecPlan one = pair("r -> o[0]");
  CHECK(Simulation(one, host(2, 2), 1000, DataType::U8).time() ==
        2 * (dispatch + copy + fetch) + latency);
  // Of 5000 bytes (two inputs, two outputs, one slot), half miss the cache.
  Machine small = host(2, 1, {"processors.cache=2500", "processors.memory_factor=3"});
  int64_t permille = 1000 + 2000 * 2500 / 5000;
  CHECK(Simulation(one, small, 1000, DataType::U8).time() ==
        2 * (dispatch + copy * permille / 1000));
  Machine large = host(2, 1, {"processors.cache=5000", "processors.memory_factor=3"});
  CHECK(Simulation(one, large, 1000, DataType::U8).time() == 2 * (dispatch + copy));
}
