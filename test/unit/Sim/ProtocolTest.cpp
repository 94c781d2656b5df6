//===- ProtocolTest.cpp - Transmissions, slices and trips by hand ---------===//
//
// The machine is chosen so that times can be computed by hand: links of 1 GB/s
// (1000 ps per byte) and 1 us, launch 5 us, 1 us before a step, trips of 100 bytes
// in 300 ns.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {

std::vector<std::string> row(const std::string &name, uint64_t slotSize, uint32_t slots,
                             std::vector<std::string> more) {
  std::vector<std::string> keys = {"link.bandwidth=1e9", "link.propagation=1e-6"};
  for (std::string key : {"launch=5e-6", "step_latency=1e-6", "trip=100", "trip_time=300e-9"})
    keys.push_back("protocols." + name + "." + key);
  keys.push_back("protocols." + name + ".slot_size=" + std::to_string(slotSize));
  keys.push_back("protocols." + name + ".slots=" + std::to_string(slots));
  for (const std::string &key : more)
    keys.push_back(key.find('.') > key.find('=') ? "protocols." + name + "." + key : key);
  return keys;
}

/// Receives start while the message arrives; half of the bytes on the wire are payload.
Machine streaming(uint64_t slotSize = 10000, uint32_t slots = 8,
                  std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"streaming=on", "payload_efficiency=0.5"});
  return machine("fully-connected", row("Simple", slotSize, slots, more), 2);
}
/// Two slices of at least 300 bytes.
Machine sliced(uint64_t slotSize = 10000, uint32_t slots = 8) {
  return machine("fully-connected",
                 row("Simple", slotSize, slots, {"slices=2", "slice_minimum=300"}), 2);
}

int64_t time(const ExecPlan &plan, const Machine &m, uint64_t bytes) {
  return Simulation(plan, m, bytes, DataType::U8).time("cut-through");
}

/// One step of three chunks from r0 to r1.
ExecPlan threeAtOnce() {
  return readGood(R"(
    ccl.version 3
    exec.program @three coll custom ranks 2 outofplace slots 8 {
      input 3
      output 3
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[0:3]
        }
      }
      rank 1 {
        tb 0 recv r0 ch 0 {
          0: r -> o[0:3]
        }
      }
    }
    )"_lines);
}
} // namespace

TEST_CASE("a streaming receive ends one trip after the last byte", "[protocol][rule-P7]") {
  // Sends from 6 to 9 us; the first trip arrives at 7.3, the last at 10.
  CHECK(time(stream(1), streaming(), 1000) == 10'300 * ns);
  // The wire is slower: 10000 bytes from 6 to 16 us, arrival at 17.
  CHECK(time(stream(1), streaming(10000, 8, {"payload_efficiency=0.1"}), 1000) == 17'300 * ns);
  // Trips are whole: 101 bytes are two trips, and 7.9 us is the arrival of the last.
  CHECK(time(stream(1), streaming(), 101) == 7'900 * ns);
}

TEST_CASE("a slice is received after its last byte has arrived",
          "[protocol][rule-P3][rule-P4][rule-P6]") {
  // Slices of 500: sent until 7.5 and 9 us, arrival at 8.5 and 10, received until 10 and 11.5.
  CHECK(time(stream(1), sliced(), 1000) == 11'500 * ns);
  // Slices of 300 and 200: arrival at 7.9 and 8.5, received until 8.8 and 9.4.
  CHECK(time(stream(1), sliced(), 500) == 9'400 * ns);
  // 300 bytes are one slice: arrival at 7.9.
  CHECK(time(stream(1), sliced(), 300) == 8'800 * ns);
}

TEST_CASE("the threads are synchronised before every slice", "[protocol][rule-P4]") {
  // Two slices of 0.2 + 1.5 us each: sent until 7.7 and 9.4 us, received until 10.4 and 12.1.
  Machine slices = machine(
      "fully-connected",
      row("Simple", 10000, 8, {"slices=2", "slice_minimum=300", "slice_latency=200e-9"}), 2);
  CHECK(time(stream(1), slices, 1000) == 12'100 * ns);
  // The first trip arrives at 7.5 us; the receive takes 0.2 us and ten trips.
  CHECK(time(stream(1), streaming(10000, 8, {"slice_latency=200e-9"}), 1000) == 10'700 * ns);
  // The slice of a step that only copies has no other threads to wait for.
  ExecPlan copy = readGood(R"(
    ccl.version 3
    exec.program @copy coll custom ranks 1 outofplace slots 8 {
      input 1
      output 1
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> o[0]
        }
      }
    }
    )"_lines);
  CHECK(time(copy, slices, 1000) == 8'000 * ns);
}

TEST_CASE("a message that arrives later hides the latency of the receiving step",
          "[protocol][rule-P5]") {
  // A rank sends until 6.3 us, then prepares its receive while the message is on its way: both end
  // at 7.3. A preparation of 0.4 us ends before the message arrives, one of 1.5 us after it.
  auto ring = [](const std::string &latency) {
    return machine("fully-connected", row("Simple", 10000, 8, {latency}), 2);
  };
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @exchange coll custom ranks 2 outofplace slots 8 {
      input 1
      output 1
      rank 0 {
        tb 0 send r1 recv r1 ch 0 {
          0: s i[0]
          1: r -> o[0]
        }
      }
      rank 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: s i[0]
          1: r -> o[0]
        }
      }
    }
    )"_lines);
  CHECK(time(plan, ring("step_latency=1e-6"), 100) == 7'600 * ns);
  CHECK(time(plan, ring("step_latency=0.4e-6"), 100) == 7'000 * ns);
  CHECK(time(plan, ring("step_latency=1.5e-6"), 100) == 8'600 * ns);
}

TEST_CASE("chunks larger than a slot are a loop over the steps", "[protocol][rule-P1]") {
  // Pieces of 400, 400 and 200 bytes. Sends begin at 6, 8.2 and 10.4 us, after 1 us each; the heads
  // arrive at 7.3, 9.5 and 11.7, when the receiver is ready as well.
  CHECK(time(stream(1), streaming(400), 1000) == 12'300 * ns);
  Machine m = streaming(400);
  CHECK(Simulation(stream(1), m, 1000, DataType::U8).sizing.pieces == 3);
}

TEST_CASE("a step transmits as many chunks together as a slot holds", "[protocol][rule-P2]") {
  ExecPlan plan = threeAtOnce();
  // Two chunks of 300 and then one, in slots of 700. With one slot the second transmission waits
  // until 9.1 us for the receive of the first, and 1 us for the credit.
  CHECK(time(plan, streaming(700, 1), 900) == 12'300 * ns);
  CHECK(time(plan, streaming(700, 2), 900) == 10'000 * ns);
  Machine m = streaming(700);
  Simulation two(plan, m, 900, DataType::U8);
  CHECK(two.sizing.chunksPerTransmission == 2);
  CHECK(two.sizing.transmissions(3) == 2);
  CHECK(two.run().messages == 2);
  Machine limited = streaming(700, 8, {"chunks=1"});
  CHECK(Simulation(plan, limited, 900, DataType::U8).sizing.transmissions(3) == 3);
  // A chunk that is larger than a slot is transmitted alone.
  Machine small = streaming(100);
  CHECK(Simulation(plan, small, 900, DataType::U8).sizing.chunksPerTransmission == 1);
}

TEST_CASE("reductions with the same destination are one step", "[protocol][rule-P8]") {
  auto plan = [](const std::string &place) {
    return readGood("ccl.version 3\nexec.program @sum coll custom ranks 1 outofplace slots 8 {\n"
                    "  input 3\n  output 2\n  rank 0 {\n    tb 0 ch 0 {\n"
                    "      0: cpy i[0] -> o[0]\n      1: cpy i[0] -> o[1]\n"
                    "      2: re i[1] -> o[0]\n      3: re i[2] -> " +
                    place + R"(

              }
            }
          }
          )"_lines);
  };
  auto on = [](const std::string &operands) {
    return streaming(10000, 8, {"pe.math.cycle=2e-6", "pe.math.bytes_per_cycle=100", operands});
  };
  // Launch and two copies of a trip of 100 bytes, then one trip of three operands, or two of two.
  int64_t before = 5 * us + 600 * ns;
  CHECK(time(plan("o[0]"), on("pe.math.operands=3"), 300) == before + 2 * us);
  CHECK(time(plan("o[0]"), on("pe.math.operands=2"), 300) == before + 4 * us);
  CHECK(time(plan("o[1]"), on("pe.math.operands=3"), 300) == before + 4 * us);
}

TEST_CASE("a step that publishes, and the sixteenth reduction, end a reduction",
          "[protocol][rule-P8]") {
  auto time = [](uint32_t steps, uint32_t publisher) {
    std::string text = "ccl.version 3\nexec.program @sum coll custom ranks 1 outofplace slots 8 {\n"
                       "  input 2\n  output 1\n  rank 0 {\n    tb 0 ch 0 {\n"
                       "      0: cpy i[0] -> o[0]\n";
    for (uint32_t s = 1; s <= steps; ++s)
      text += "      " + std::to_string(s) + ": re i[1] -> o[0]" + (s == publisher ? " pub" : "") +
              '\n';
    ExecPlan plan = readGood(text + "    }\n  }\n}\n");
    Machine m = streaming(
        10000, 8, {"pe.math.cycle=2e-6", "pe.math.bytes_per_cycle=100", "pe.math.operands=1000"});
    return Simulation(plan, m, 200, DataType::U8).time("cut-through") - 5 * us - 300 * ns;
  };
  CHECK(time(16, 0) == 2 * us);
  CHECK(time(16, 16) == 2 * us);
  CHECK(time(16, 5) == 4 * us);
  // The runtimes count the reductions of a threadblock to 16 once.
  CHECK(time(17, 0) == 4 * us);
  CHECK(time(19, 3) == 6 * us); // 3, 13 and 3
  CHECK(time(32, 0) == 4 * us);
}

TEST_CASE("waits cost a poll of the flag", "[protocol][rule-P5]") {
  ExecPlan plan = readGood(R"(
        ccl.version 3
        exec.program @wait coll custom ranks 1 outofplace slots 8 {
          input 1
          output 2
          rank 0 {
            tb 0 ch 0 {
              0: cpy i[0] -> o[0] pub
            }
            tb 1 ch 0 {
              0: nop dep tb0:0
              1: cpy o[0] -> o[1] dep tb0:0
            }
          }
        }
        )"_lines);
  Machine m = streaming(10000, 8, {"pe.wait=500e-9", "pe.nop=100e-9"});
  CHECK(time(plan, m, 100) == 5 * us + 300 * ns + 100 * ns + 500 * ns + 300 * ns);
}

TEST_CASE("a run is at least as long as its launch by the host", "[protocol][rule-P9]") {
  std::vector<std::string> keys = row("Simple", 10000, 8, {});
  keys.push_back("launch_interval=20e-6");
  Machine m = machine("fully-connected", keys, 2);
  ExecPlan plan = stream(1);
  Simulation simulation(plan, m, 1000, DataType::U8);
  SimOptions options;
  options.criticalPath = true;
  SimResult result = simulation.run("cut-through", options);
  CHECK(result.time.picoseconds() == 20 * us);
  CHECK(result.criticalPath.back().cause == Cause::Launch);
  CHECK(simulation.time("cut-through", 2) == 40 * us);
}

TEST_CASE("with a protocol, the causes of a threadblock add up to its end as well", "[protocol]") {
  for (const char *name : {"Simple", "LL", "LL128"})
    for (Recipe recipe :
         {Recipe{"allreduce_ring", {}, 8}, Recipe{"allreduce_ring", {}, 8, 4},
          Recipe{"alltoall_direct", {}, 8}, Recipe{"allgather_ring", {{"channels", "8"}}, 8},
          Recipe{"reducescatter_ring", {{"channels", "2"}}, 8}}) {
      CompileRequest request = requestFor(recipe);
      request.protocol = *parseProtocol(name);
      DiagnosticEngine diags;
      FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
      REQUIRE(succeeded(outcome));
      const ExecPlan &plan = outcome->plan;
      Machine m = machine("mi300x");
      for (uint64_t bytes : {1000u, 300'000u, 5'000'000u})
        for (uint32_t repeat : {1u, 2u}) {
          INFO(nameOf(recipe) << ", " << name << ", " << bytes << " bytes");
          SimOptions options;
          options.criticalPath = true;
          options.repeat = repeat;
          if (repeat == 1 && bytes < 1'000'000)
            for (Placement placement : plan.info().placements.list()) {
              Simulation sim(plan, m, bytes);
              DataExecutor data(sim.placed, sim.sizing, ReduceOp::Sum, placement, std::nullopt);
              sim.run(data);
              data.finish();
              CHECK(!data.check());
            }
          SimResult result = Simulation(plan, m, bytes).run("", options);
          checkCauses(plan, result);
          checkNoGaps(result);
        }
    }
}

TEST_CASE("a protocol that the target does not support is rejected", "[protocol]") {
  Machine m = machine("fully-connected", row("LL", 1000, 8, {}), 2);
  ExecPlan plan = stream(1);
  DiagnosticEngine diags;
  CHECK(failed(PlacedPlan::create(plan, m, Slots(8), diags)));
  CHECK(textOf(diags).find("target fully-connected has no protocol Simple") != std::string::npos);
}
