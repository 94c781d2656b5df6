//===- LocalMemoryTest.cpp - Loads of inputs, stores of results -----------===//
//
// Small plans whose loads and stores can be counted by hand, on a machine where a
// load or store of n bytes takes 100 ns and n over 1 GB/s.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// Only the memory takes time.
Machine memoryOnly(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {
      "memory.dma_overhead=100e-9", "memory.hbm_bandwidth=1e9",  "noc.bandwidth=0",
      "noc.pe_bandwidth=0",         "noc.hop_latency=0",         "noc.router_pitch=0",
      "ipcq.send_overhead=0",       "ipcq.receive_overhead=0",   "ipcq.slot_access=off",
      "ipcq.credit_size=0",         "pe.math.bytes_per_cycle=0", "pe.copy.bytes_per_cycle=0",
      "pe.dma_bandwidth=0",         "ipcq.slot_size=1048576",    "ipcq.slots=1000"};
  all.insert(all.end(), more.begin(), more.end());
  return machine("ahbm", all);
}

int64_t request(uint64_t bytes) { return 100'000 + int64_t(bytes) * 1000; }

int64_t timeOf(const ExecPlan &plan, const Machine &m, uint64_t bytes, uint32_t repeat = 1) {
  return Simulation(plan, m, bytes, DataType::U8).time("ideal", repeat);
}
} // namespace

TEST_CASE("each chunk is loaded before it is sent, and stored after it was received", "[memory]") {
  // The read channel serves one chunk at a time; the write channel follows it.
  for (uint32_t messages : {1u, 3u, 8u})
    CHECK(timeOf(stream(messages), memoryOnly(), messages * 1000) ==
          int64_t(messages + 1) * request(1000));
  // The same holds for pieces: 4000 bytes in slots of 1000.
  CHECK(timeOf(stream(1), memoryOnly({"ipcq.slot_size=1000"}), 4000) == 5 * request(1000));
  // The last piece is smaller; in a second run the pieces are serialised.
  CHECK(timeOf(stream(1), memoryOnly({"ipcq.slot_size=1000"}), 2500, 2) ==
        5 * request(1000) + 2 * request(500));
  CHECK(timeOf(stream(3), memoryOnly({"memory.load_store=off"}), 3000) == 0);
}

TEST_CASE("received data are not loaded, and scratch is not stored", "[memory]") {
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @chain coll broadcast ranks 3 chunks 1 root r0 inplace slots 8 {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
  }
  rank 1 scratch 1 {
    tb 0 send r2 recv r0 ch 0 {
      0: rcs -> i[0]
      1: cpy i[0] -> s[0]
    }
  }
  rank 2 {
    tb 0 recv r1 ch 0 {
      0: r -> i[0]
    }
  }
})");
  // One load at the root; both receivers store.
  CHECK(timeOf(plan, memoryOnly(), 1000) == 2 * request(1000));
}

TEST_CASE("a result is stored once, when it is final", "[memory][rule-36]") {
  // r1 sums up two messages: it loads its own chunk once and stores the second sum.
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @sum coll reduce ranks 3 chunks 1 root r1 inplace slots 8 {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: rrc i[0] -> i[0] pub
    }
    tb 1 recv r2 ch 0 {
      0: rrc i[0] -> i[0] dep tb0:0
    }
  }
  rank 2 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
  }
})");
  CHECK(timeOf(plan, memoryOnly(), 1000) == 2 * request(1000));
}

TEST_CASE("a step waits only for the loads of its own operands", "[memory][rule-35]") {
  // Both threadblocks of r0 send its first chunk; the first one sends three more.
  ExecPlan plan = readGood(R"(ccl.version 1
exec.program @two coll broadcast ranks 3 chunks 4 root r0 outofplace slots 8 {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
      1: s i[1]
      2: s i[2]
      3: s i[3]
    }
    tb 1 send r2 ch 0 {
      0: s i[0]
      1: s i[2]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
      1: r -> o[1]
      2: r -> o[2]
      3: r -> o[3]
    }
  }
  rank 2 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
      1: r -> o[2]
    }
  }
})");
  Machine m = memoryOnly();
  SimResult result = Simulation(plan, m, 4000, DataType::U8).run("ideal");
  CHECK(result.finished[0] == SimTime(4 * request(1000)));
  CHECK(result.finished[1] == SimTime(3 * request(1000)));
  CHECK(result.finished[3] == SimTime(3 * request(1000)));
}

TEST_CASE("the store is the end of the critical path", "[memory]") {
  Machine m = memoryOnly();
  ExecPlan plan = stream(2);
  Simulation sim(plan, m, 2000, DataType::U8);
  SimOptions options;
  options.criticalPath = true;
  SimResult result = sim.run("ideal", options);
  REQUIRE_FALSE(result.criticalPath.empty());
  CHECK(result.criticalPath.front().begin == SimTime());
  CHECK(result.criticalPath.back().end == result.time);
  CHECK(result.time == SimTime(3 * request(1000)));
}

namespace {
/// r0 sends a chunk to r1, which loads and sends three.
ExecPlan loadsBesideMessage() {
  return readGood(R"(ccl.version 3
exec.program @beside coll custom ranks 2 outofplace slots 8 {
  input 3
  output 3
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
    tb 1 recv r1 ch 1 {
      0: r -> o[0]
      1: r -> o[1]
      2: r -> o[2]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
    tb 1 send r0 ch 1 {
      0: s i[0]
      1: s i[1]
      2: s i[2]
    }
  }
})");
}

/// Slots in \p memory, of which an access takes as long as the data at \p rate.
Machine withSlotsIn(const std::string &memory, const std::string &rate,
                    std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"ipcq.slot_access=on",
                                  "ipcq.slot_memory=" + memory,
                                  "ipcq.access." + memory + ".latency=0",
                                  "ipcq.access." + memory + ".bandwidth=" + rate,
                                  "ipcq.access." + memory + ".second_bandwidth=0",
                                  "ipcq.credit_blocks_receiver=off",
                                  "pe.streams=2"};
  all.insert(all.end(), more.begin(), more.end());
  return memoryOnly(all);
}

constexpr int64_t overhead = 100'000;   // of a load or store, in ps
constexpr int64_t transfer = 1'000'000; // of 1000 bytes to or from HBM

SimResult attributed(const ExecPlan &plan, const Machine &m, uint64_t bytes) {
  SimOptions options;
  options.criticalPath = true;
  SimResult result = Simulation(plan, m, bytes, DataType::U8).run("ideal", options);
  checkCauses(plan, result);
  checkNoGaps(result);
  return result;
}
} // namespace

TEST_CASE("slots in HBM share its port with loads", "[memory][rule-56][rule-57]") {
  ExecPlan plan = loadsBesideMessage();
  // In SRAM, the message that arrives after the first load is written, then read.
  SimResult apart = attributed(plan, withSlotsIn("sram", "1e9"), 3000);
  CHECK(apart.finished[2].picoseconds() == overhead + 3 * transfer);
  CHECK(apart.finished[3].picoseconds() == 3 * (overhead + transfer));
  // In HBM: load, load, write of the slot, load, read of the slot.
  SimResult shared = attributed(plan, withSlotsIn("hbm", "1e9"), 3000);
  CHECK(shared.finished[2].picoseconds() == 2 * overhead + 5 * transfer);
  CHECK(shared.finished[3].picoseconds() == 2 * overhead + 4 * transfer);
}

TEST_CASE("slots in HBM share its port with stores", "[memory][rule-56][rule-57]") {
  ExecPlan plan = stream(2);
  // Of each message: load at the sender, write and read of the slot, and store, of which only the
  // load and the two accesses to slots of different messages overlap.
  CHECK(attributed(plan, withSlotsIn("sram", "1e9"), 2000).time ==
        SimTime(3 * overhead + 5 * transfer));
  // Write, read, write, store, read, store at the receiver.
  CHECK(attributed(plan, withSlotsIn("hbm", "1e9"), 2000).time ==
        SimTime(2 * overhead + 7 * transfer));
}

TEST_CASE("slots in TCM share its write port with loads", "[memory][rule-56][rule-57]") {
  ExecPlan plan = loadsBesideMessage();
  // The second load arrives while the message is written, which takes half as long as a load.
  int64_t late = transfer - 50'000;
  SimResult shared =
      attributed(plan, withSlotsIn("tcm", "2e9", {"ipcq.send_overhead=950e-9"}), 3000);
  int64_t written = overhead + transfer + late + transfer / 2;
  CHECK(shared.finished[2].picoseconds() == written + transfer / 2);
  CHECK(shared.finished[3].picoseconds() == written + transfer / 2 + overhead + transfer);
  // A message that has been written earlier does not delay the load. The result of r1 is then
  // stored to HBM between its second and third load.
  SimResult early = attributed(plan, withSlotsIn("tcm", "2e9"), 3000);
  CHECK(early.finished[2].picoseconds() == overhead + 2 * transfer);
  CHECK(early.finished[3].picoseconds() == 2 * overhead + 4 * transfer);
}

TEST_CASE("slots in TCM share its read port with stores", "[memory][rule-56][rule-57]") {
  // HBM takes no time, TCM half a transfer for each access.
  ExecPlan plan = stream(2, /*ownChannels=*/true);
  SimResult shared = attributed(plan, withSlotsIn("tcm", "2e9", {"memory.hbm_bandwidth=0"}), 2000);
  // The first result is issued when its slot has been read. It is read from TCM before the slot of
  // the second message, which is written at that time.
  int64_t access = transfer / 2;
  CHECK(shared.finished[2].picoseconds() == overhead + 3 * access);
  CHECK(shared.finished[3].picoseconds() == 2 * overhead + 5 * access);
  CHECK(shared.time.picoseconds() == 3 * overhead + 6 * access);
}

TEST_CASE("a step that waits for a stream reserves no port", "[memory][rule-12][rule-56]") {
  // Three messages arrive while the first is received, which takes 10 us before its slot is read.
  constexpr int64_t receive = 10'000'000, access = transfer / 2;
  ExecPlan plan = stream(3, /*ownChannels=*/true);
  SimResult result = attributed(
      plan,
      withSlotsIn("tcm", "2e9",
                  {"memory.hbm_bandwidth=0", "pe.streams=1", "ipcq.receive_overhead=10e-6"}),
      3000);
  // The load of the first message, its write, and the receives one after the other.
  int64_t received = overhead + 2 * access + 3 * (receive + access);
  CHECK(result.finished[5].picoseconds() == received);
  // The first result is read from TCM between the second and the third slot; the second one after
  // the third slot, then the third one.
  CHECK(result.time.picoseconds() == received + overhead + 2 * access);
}
