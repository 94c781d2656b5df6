//===- QueueSharingTest.cpp - Connections that share queues of a PE -------===//
//
// Times are closed forms of messages of 4096 bytes in a cube of ahbm without loads and stores: 16
// ns on the links between a PE and its router, 8 ns for the write and for the read of a slot.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr int64_t toEngine = 17'408, wire = 16'000, slotAccess = 8'000, beforeRead = 1'150,
                  creditBytes = 63, change = 100'000;

Machine sharing(uint32_t queues, const std::string &switchTime = "100e-9") {
  return machine("ahbm", {"ipcq.queues.intra=" + std::to_string(queues), "ipcq.multiplex=on",
                          "ipcq.switch_time=" + switchTime, "memory.load_store=off"});
}

int64_t wayLatency(const Machine &machine, uint32_t from, uint32_t to) {
  SmallVector<LinkId, 16> links;
  machine.route(EndpointId(from), EndpointId(to), links);
  SimTime sum;
  for (LinkId link : links)
    sum += machine.latency(machine.link(link));
  return sum.picoseconds();
}

/// r0 sends one chunk to each of \p peers, or each of them sends one to r0.
ExecPlan star(uint32_t peers, bool outwards) {
  std::string text = "ccl.version 3\nexec.program @star coll custom ranks " +
                     std::to_string(peers + 1) + " outofplace {\n  input 1\n  output " +
                     std::to_string(peers) + "\n  rank 0 {\n";
  auto number = [](uint32_t n) { return std::to_string(n); };
  for (uint32_t p = 1; p <= peers; ++p)
    text += "    tb " + number(p - 1) + (outwards ? " send r" : " recv r") + number(p) +
            " ch 0 {\n      0: " + (outwards ? "s i[0]" : "r -> o[" + number(p - 1) + "]") +
            "\n    }\n";
  text += "  }\n";
  for (uint32_t p = 1; p <= peers; ++p)
    text += "  rank " + number(p) + " {\n    tb 0 " + (outwards ? "recv" : "send") +
            " r0 ch 0 {\n      0: " + (outwards ? "r -> o[0]" : "s i[0]") + "\n    }\n  }\n";
  return readGood(text + "}\n");
}
} // namespace

TEST_CASE("a send waits until its queue has changed to its connection", "[queues][rule-48]") {
  constexpr uint32_t peers = 7;
  ExecPlan plan = star(peers, /*outwards=*/true);
  for (uint32_t queues = 1; queues <= 8; ++queues) {
    INFO(queues << " queues");
    Machine m = sharing(queues);
    // One stream executes the sends, each of which ends when the engine is free for it; the first
    // ones find their queue as it was installed.
    int64_t start = toEngine, expected = 0;
    for (uint32_t p = 0; p < peers; ++p) {
      int64_t sent = start - toEngine + (p >= queues ? change : 0);
      start = p == 0 ? sent + toEngine : std::max(sent + toEngine, start + wire);
      int64_t way = wayLatency(m, 0, p + 1);
      expected = std::max(expected, start + way + wire + slotAccess + beforeRead + slotAccess +
                                        way + creditBytes);
    }
    SimResult result = Simulation(plan, m, 4096).run();
    CHECK(result.time.picoseconds() == expected);
    checkCauses(plan, result);
  }
}

TEST_CASE("slots are written and read when the queue serves their connection",
          "[queues][rule-48]") {
  ExecPlan plan = star(2, /*outwards=*/false);
  Machine m = sharing(1);
  // Both messages cross the link into r0, so that the second one arrives 16 ns after the first.
  int64_t first = toEngine + wayLatency(m, 1, 0) + wire;
  int64_t readFirst = first + slotAccess + beforeRead + slotAccess;
  REQUIRE(first + wire < readFirst);
  // The queue is free when the first message has been read, and changes once: the read of the
  // second message finds it as its write has left it.
  int64_t written = readFirst + change + slotAccess;
  int64_t expected = written + beforeRead + slotAccess + wayLatency(m, 2, 0) + creditBytes;
  CHECK(Simulation(plan, m, 4096).time() == expected);
  // With a queue each, only the ports are shared.
  CHECK(Simulation(plan, sharing(2), 4096).time() < expected - change);
}

TEST_CASE("a slow rank changes its queues slowly", "[queues][rule-48]") {
  ExecPlan plan = star(2, /*outwards=*/true);
  Machine m = sharing(1);
  SimOptions slow;
  slow.skew.resize(3);
  slow.skew[0].permille = 3000;
  CHECK(Simulation(plan, m, 4096).run("", slow).time - Simulation(plan, m, 4096).run().time ==
        SimTime(2 * (toEngine + change)));
}

TEST_CASE("a connection without a free slot does not block others in its queue",
          "[queues][rule-48]") {
  // r1 receives from r0 only after r2 has had its message from r0, which is in the same queue as
  // the second message to r1, for which there is no slot. In a single FIFO, r2's would not leave.
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @slots coll custom ranks 3 outofplace slots 1 {
  input 3
  output 3
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
      1: s i[1]
    }
    tb 1 send r2 ch 0 {
      0: s i[2]
    }
  }
  rank 1 {
    tb 0 recv r2 ch 0 {
      0: r -> o[2] pub
    }
    tb 1 recv r0 ch 0 {
      0: r -> o[0] dep tb0:0
      1: r -> o[1]
    }
  }
  rank 2 {
    tb 0 send r1 recv r0 ch 0 {
      0: rcs -> o[0]
    }
  }
}
)");
  for (const char *network : networks)
    for (const char *switchTime : {"0", "100e-9"}) {
      INFO(network << ' ' << switchTime);
      Machine m = sharing(1, switchTime);
      CHECK(Simulation(plan, m, 4096, DataType::F32, Slots(1)).repeated(3, network).completed);
    }
}
