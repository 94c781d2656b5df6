//===- TransmissionTest.cpp - Steps that do not fit into a slot -----------===//
//
// Times are computed by hand on links of 1 GB/s (1000 ps per byte) and 1 us,
// without costs other than those that a case sets.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Simulation.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Sim/SizeVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {

Machine slotsOf(uint64_t bytes, uint32_t ranks = 2, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"link.bandwidth=1e9", "link.propagation=1e-6", "launch=0",
                             "queue.credit_size=0", "queue.slot_size=" + std::to_string(bytes)});
  return machine("fully-connected", more, ranks);
}

/// One step of \p count chunks from r0 to r1.
ExecPlan wide(uint32_t count) {
  std::string n = std::to_string(count);
  std::string text = "ccl.version 3\nexec.program @wide coll custom ranks 2 outofplace slots 8 {\n"
                     "  input " +
                     n + "\n  output " + n + "\n" + R"(
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[0:COUNT]
        }
      }
      rank 1 {
        tb 0 recv r0 ch 0 {
          0: r -> o[0:COUNT]
        }
      }
    }
    )"_lines;
  return readGood(with(with(text, "COUNT", n), "COUNT", n));
}

/// Both ranks send \p count chunks before they receive.
ExecPlan exchange() {
  return readGood(R"(
    ccl.version 3
    exec.program @exchange coll custom ranks 2 outofplace slots 2 {
      input 4
      output 4
      rank 0 {
        tb 0 send r1 recv r1 ch 0 {
          0: s i[0:4]
          1: r -> o[0:4]
        }
      }
      rank 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: s i[0:4]
          1: r -> o[0:4]
        }
      }
    }
    )"_lines);
}

/// The bytes of the messages of a step of \p count chunks of \p chunk bytes, piece by piece.
std::vector<std::vector<uint64_t>> messagesOf(uint64_t chunk, uint64_t count, uint64_t slot) {
  std::vector<std::vector<uint64_t>> pieces;
  for (uint64_t begin = 0; begin < chunk; begin += slot) {
    uint64_t piece = std::min(slot, chunk - begin), together = std::max<uint64_t>(slot / chunk, 1);
    std::vector<uint64_t> &messages = pieces.emplace_back();
    for (uint64_t left = count; left > 0; left -= std::min(left, together))
      messages.push_back(std::min(left, together) * piece);
  }
  return pieces;
}

/// The outputs of all ranks after a run.
std::vector<std::byte> outputsOf(Simulation &sim, Placement placement) {
  DataExecutor data(sim.placed, sim.sizing, ReduceOp::Sum, placement, std::nullopt);
  sim.run(data);
  std::vector<std::byte> all;
  for (uint32_t r = 0; r < sim.placed.plan.ranks(); ++r)
    for (uint32_t c = 0; c < sim.placed.plan.info().collective.outputChunks(); ++c) {
      const std::byte *chunk = data.chunk(RankId(r), Operand(Buffer::Output, c));
      all.insert(all.end(), chunk, chunk + data.chunkBytes());
    }
  return all;
}
} // namespace

TEST_CASE("a step that does not fit into a slot takes several messages", "[sim][rule-7]") {
  constexpr uint64_t chunk = 100, count = 5;
  ExecPlan plan = wide(count);
  for (uint64_t slot : {1, 30, 50, 60, 99, 100, 130, 200, 250, 300, 499, 500, 1000}) {
    INFO("slots of " << slot);
    std::vector<std::vector<uint64_t>> pieces = messagesOf(chunk, count, slot);
    Machine m = slotsOf(slot, 2, {"pe.dispatch=10e-9", "queue.receive_overhead=7e-9"});
    // With one slot, a message is sent when the credit of the previous one has returned. A step has
    // one dispatch, a message one overhead.
    int64_t time = 0, messages = 0;
    for (const std::vector<uint64_t> &piece : pieces) {
      time += 2 * 10 * ns;
      for (uint64_t bytes : piece) {
        time += int64_t(bytes) * ns + us + 7 * ns;
        ++messages;
      }
    }
    time += (messages - 1) * us;
    Simulation one(plan, m, chunk * count, DataType::U8, Slots(1));
    CHECK(one.time("cut-through") == time);
    CHECK(one.run().messages == uint64_t(messages));
    CHECK(one.run().steps == 2 * pieces.size());
    CHECK(one.sizing.executions(one.placed) == 2 * uint64_t(messages));
    // With enough slots, the messages follow each other on the link.
    Machine free = slotsOf(slot);
    Simulation many(plan, free, chunk * count, DataType::U8, Slots::unlimited());
    CHECK(many.time("cut-through") == us + int64_t(chunk * count) * ns);
  }
}

TEST_CASE("a step of several messages takes the time of as many steps", "[sim][rule-7]") {
  for (uint32_t count : {2u, 3u, 7u})
    for (uint32_t slots : {1u, 2u, 3u, 8u})
      for (const char *network : networks) {
        INFO(count << " chunks, " << slots << " slots, " << network);
        Machine m = slotsOf(128, 2,
                            {"queue.receive_overhead=7e-9", "queue.send_overhead=3e-9",
                             "pe.dma_bandwidth=2e9", "queue.access.tcm.latency=5e-9",
                             "queue.access.tcm.bandwidth=4e9"});
        ExecPlan together = wide(count), single = stream(count);
        Simulation split(together, m, count * 128, DataType::U8, Slots(slots));
        Simulation steps(single, m, count * 128, DataType::U8, Slots(slots));
        CHECK(split.time(network) == steps.time(network));
        CHECK(split.time(network, 3) == steps.time(network, 3));
      }
}

TEST_CASE("a large step does not divide the messages of others", "[sim][rule-7]") {
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @uneven coll custom ranks 3 outofplace slots 8 {
      input 64
      output 64
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[0:64]
        }
        tb 1 send r2 ch 0 {
          0: s i[0]
        }
      }
      rank 1 {
        tb 0 recv r0 ch 0 {
          0: r -> o[0:64]
        }
      }
      rank 2 {
        tb 0 recv r0 ch 0 {
          0: r -> o[0]
        }
      }
    }
    )"_lines);
  Machine m = slotsOf(100, 3);
  Simulation sim(plan, m, 6400, DataType::U8);
  SimResult result = sim.run();
  CHECK(result.messages == 64 + 1);
  CHECK(result.finished[3].picoseconds() == us + 100 * ns);
}

TEST_CASE("a fused step forwards each message", "[sim][rule-7]") {
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @chain coll custom ranks 3 outofplace slots 8 {
      input 4
      output 4
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[0:4]
        }
      }
      rank 1 {
        tb 0 send r2 recv r0 ch 0 {
          0: rcs -> o[0:4]
        }
      }
      rank 2 {
        tb 0 recv r1 ch 0 {
          0: r -> o[0:4]
        }
      }
    }
    )"_lines);
  for (uint64_t together : {1, 2, 4}) {
    Machine m = slotsOf(together * 100, 3);
    Simulation sim(plan, m, 400, DataType::U8);
    int64_t first = 2 * (us + int64_t(together) * 100 * ns);
    CHECK(sim.time("cut-through") == first + int64_t(4 - together) * 100 * ns);
  }
}

TEST_CASE("all chunks of a step are loaded before its first message", "[sim][memory][rule-35]") {
  std::vector<std::string> onlyMemory = {
      "memory.dma_overhead=100e-9", "memory.hbm_bandwidth=1e9", "noc.bandwidth=0",
      "noc.pe_bandwidth=0",         "noc.hop_latency=0",        "noc.router_pitch=0",
      "ipcq.send_overhead=0",       "ipcq.receive_overhead=0",  "ipcq.slot_access=off",
      "ipcq.credit_size=0",         "pe.dma_bandwidth=0",       "ipcq.slot_size=1000"};
  Machine m = machine("ahbm", onlyMemory);
  ExecPlan plan = wide(3);
  Simulation sim(plan, m, 3000, DataType::U8);
  CHECK(sim.run("ideal").messages == 3);
  CHECK(sim.time("ideal") == 2 * (100 * ns + 3000 * ns));
}

TEST_CASE("pieces are smaller if the plan would deadlock otherwise", "[sim][rule-7]") {
  ExecPlan plan = exchange();
  Machine m = slotsOf(100);
  // Four messages in two slots: neither rank ends its send. Two of half a slot per chunk fit.
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  for (auto [chunks, safe] : {std::pair(1u, false), {2u, true}, {3u, true}, {4u, true}}) {
    runner.setChunksPerTransmission(chunks);
    CHECK(runner.run(Slots(2)) == safe);
  }
  SizeVerifier verifier(plan, connections, Slots(2), TransmissionSize{Bytes(100), ~uint32_t(0)}, 1);
  CHECK(verifier.largestSafe(1) == Bytes(200));
  Simulation largest(plan, m, 200, DataType::U8, Slots(2));
  CHECK(largest.sizing.pieces == 1);
  CHECK(largest.sizing.transmissions(4) == 2);
  Simulation above(plan, m, 204, DataType::U8, Slots(2));
  CHECK(above.sizing.pieces == 2);
  CHECK(above.sizing.pieceElements == 50);
  CHECK(above.sizing.transmissions(4) == 2);
  Simulation full(plan, m, 400, DataType::U8, Slots(2));
  CHECK(full.sizing.pieces == 2);
  SizeVerifier safe(full.placed, 1);
  CHECK(safe.prove(full.sizing).safe);
  CHECK(safe.prove(full.sizing).slotsNeeded.value() == 2);
  CHECK_FALSE(safe.largestSafe(1));
  // Each piece takes two messages of 100 bytes; those of the second wait for the credits of the
  // first.
  CHECK(full.time("cut-through") == us + 100 * ns + us + us + 200 * ns);
  DataExecutor data(full.placed, full.sizing, ReduceOp::Sum, Placement::OutOfPlace, std::nullopt);
  full.run(data);
  data.finish();
  CHECK_FALSE(data.check());
  // With more slots, no piece is smaller.
  CHECK(Simulation(plan, m, 400, DataType::U8, Slots(4)).sizing.pieces == 1);
  CHECK(Simulation(plan, m, 400, DataType::U8, Slots::unlimited()).sizing.pieces == 1);
  // One byte of each of two chunks must fit.
  DiagnosticEngine diags;
  Machine tiny = slotsOf(1);
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, tiny, Slots(2), diags);
  REQUIRE(succeeded(placed));
  CHECK(failed(Sizing::create(*placed, Bytes(400), DataType::U8, diags)));
  CHECK(textOf(diags) == "tool: error: a slot of 1 bytes cannot hold one u8 element of each of 2 "
                         "chunks, and the plan deadlocks if its steps are split further\n");
}

TEST_CASE("a plan that completes with some chunks per message completes with more", "[sim]") {
  for (uint64_t seed = 0; seed < scaled(300); ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed);
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    for (uint32_t slots : {1u, 2u, 3u}) {
      bool before = false;
      for (uint32_t chunks = 1; chunks <= plan.maxCount(); ++chunks) {
        runner.setChunksPerTransmission(chunks);
        bool completes = runner.run(Slots(slots));
        CHECK((completes || !before));
        before = completes;
      }
    }
  }
}

TEST_CASE("random plans complete with small slots, with the right data", "[sim][data][rule-7]") {
  uint32_t split = 0, smaller = 0;
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    ExecPlan plan = randomPlan(seed);
    for (uint64_t slot : {12, 16, 40, 100})
      for (Slots slots : {*plan.slots(), Slots::unlimited()}) {
        INFO("seed " << seed << ", slots of " << slot << ", " << slots.str());
        Machine m = slotsOf(slot, plan.ranks(), {"pe.dispatch=3e-9", "pe.streams=2"});
        Simulation sim(plan, m, 300, DataType::F32, slots);
        split += sim.sizing.transmissions(plan.maxCount()) > 1;
        smaller += sim.sizing.pieceElements < std::min(sim.sizing.chunkElements, slot / 4);
        CHECK(sim.sizing.pieceBytes(0) * sim.sizing.chunksOf(0, plan.maxCount()) <= Bytes(slot));
        SimOptions options;
        options.criticalPath = true;
        options.repeat = 1 + seed % 2;
        SimResult result = sim.run("", options);
        checkCauses(plan, result);
        checkNoGaps(result);
        // The plans compute no collective: their outputs must not depend on the slots.
        Machine whole = slotsOf(0, plan.ranks());
        Simulation unsplit(plan, whole, 300, DataType::F32, slots);
        for (Placement placement : plan.info().placements.list())
          CHECK(outputsOf(sim, placement) == outputsOf(unsplit, placement));
      }
  }
  CHECK(split > 100);
  CHECK(smaller > 0);
}
