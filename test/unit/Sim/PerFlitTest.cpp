//===- PerFlitTest.cpp - Messages in flits --------------------------------===//
//
// Compared with a recurrence over flits and links that is derived from the rules of
// the machine model; requests to memories are compared with times computed by hand.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "cclc/Sim/Network/DmaStudy.h"

using namespace cclc;
using namespace cclc::test;

namespace {

struct TestLink {
  uint64_t rate;
  int64_t propagation, overhead; ///< in ps, of the node behind it
};

/// Without contention, flit i leaves link l after it has arrived there and after flit i - 1 has
/// left.
int64_t alone(uint64_t bytes, uint64_t flit, const std::vector<TestLink> &links) {
  std::vector<uint64_t> sizes;
  for (; bytes > flit; bytes -= flit)
    sizes.push_back(flit);
  sizes.push_back(bytes);
  std::vector<int64_t> free(links.size());
  int64_t at = 0;
  for (uint64_t size : sizes) {
    at = 0;
    for (size_t l = 0; l < links.size(); ++l) {
      free[l] = std::max(free[l], at) + transferPs(size, links[l].rate);
      at = free[l] + links[l].propagation + links[l].overhead;
    }
  }
  return at;
}

std::string lineTarget(const std::vector<TestLink> &links) {
  std::string nodes = R"({"name": "n0"})", edges;
  for (size_t l = 0; l < links.size(); ++l) {
    nodes += ", {\"name\": \"n" + std::to_string(l + 1) +
             "\", \"overhead\": " + std::to_string(links[l].overhead) + "e-12, \"endpoint\": \"" +
             (l + 1 == links.size() ? "on" : "off") + "\"}";
    edges += (l ? ", " : "") + ("{\"from\": \"n" + std::to_string(l)) + "\", \"to\": \"n" +
             std::to_string(l + 1) + "\", \"bandwidth\": " + std::to_string(links[l].rate) +
             ", \"propagation\": " + std::to_string(links[l].propagation) + "e-12}";
  }
  return "{\"name\": \"line\", \"family\": \"graph\", \"network\": \"per-flit\", \"nodes\": [" +
         nodes + "], \"links\": [" + edges + "]}";
}

DmaResult dma(const Machine &m, StringRef text, uint64_t bytes, StringRef network = "per-flit") {
  DiagnosticEngine diags;
  FailureOr<std::vector<DmaRequest>> requests = parseDmaRequests(text, m, diags);
  if (failed(requests))
    FAIL(textOf(diags));
  FailureOr<DmaResult> result = simulateDma(m, network, *requests, Bytes(bytes), diags);
  if (failed(result))
    FAIL(textOf(diags));
  return *result;
}
int64_t latency(const DmaResult &result, size_t r = 0) {
  return (result.requests[r].done - result.requests[r].issued).picoseconds();
}

std::string errorOf(const Machine &m, StringRef text) {
  DiagnosticEngine diags;
  if (succeeded(parseDmaRequests(text, m, diags)))
    FAIL("accepted: " << text.str());
  return textOf(diags);
}
} // namespace

TEST_CASE("flits of a message are pipelined over its links", "[flit][rule-38]") {
  Random random(7);
  ExecPlan plan = stream(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<TestLink> links;
    for (uint32_t l = 0, n = random.between(1, 6); l < n; ++l)
      links.push_back({random.between(1, 9) * 100'000'000ull, int64_t(random.below(5000)),
                       int64_t(random.below(5000))});
    TemporaryFile file(lineTarget(links));
    Machine m = machine(file.name());
    for (uint64_t bytes :
         {uint64_t(1), uint64_t(256), uint64_t(257), uint64_t(random.between(1, 5000))})
      CHECK(Simulation(plan, m, bytes, DataType::U8).time() == alone(bytes, 256, links));
    Machine large = machine(file.name(), {"flit_size=100000"});
    // A single flit is store-and-forward.
    CHECK(Simulation(plan, large, 5000, DataType::U8).time() ==
          Simulation(plan, large, 5000, DataType::U8).time("fifo"));
  }
}

TEST_CASE("two messages share a link flit by flit", "[flit]") {
  // a and b send to d via s. Both first links are as fast as the last one, so the flits alternate.
  TemporaryFile file(
      R"({"name": "y", "family": "graph", "network": "per-flit", "nodes": [{"name": "a"},
    {"name": "b"}, {"name": "s", "endpoint": "off"}, {"name": "d"}], "links": [
    {"from": "a", "to": "s", "bandwidth": 1e9}, {"from": "b", "to": "s", "bandwidth": 1e9},
    {"from": "s", "to": "d", "bandwidth": 1e9}]})");
  Machine m = machine(file.name());
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @y coll custom ranks 3 outofplace slots 8 {
  input 1
  output 2
  rank 0 {
    tb 0 send r2 ch 0 {
      0: s i[0]
    }
  }
  rank 1 {
    tb 0 send r2 ch 0 {
      0: s i[0]
    }
  }
  rank 2 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
    tb 1 recv r1 ch 0 {
      0: r -> o[1]
    }
  }
})");
  SimResult result = Simulation(plan, m, 2560, DataType::U8).run();
  // 256 ns per flit: the first one over the first link, then 20 over the last.
  CHECK(result.time == SimTime(21 * 256'000));
  // The other message ends one flit earlier.
  CHECK(std::min(result.finished[2], result.finished[3]) == SimTime(20 * 256'000));
}

TEST_CASE("the time of a read follows from its route and its bursts",
          "[flit][rule-39][rule-41][rule-42]") {
  Machine m = machine("ahbm-per-flit");
  // 3.35 ns until the request leaves; the last of 64 flits is issued after 63 ns and read in 8; 1
  // ns each to the router and to the PE.
  DmaResult own = dma(m, "sip0.cube0.pe0 <- sip0.cube0.pe0", 16384);
  CHECK(latency(own) == 3350 + 63'000 + 8'000 + 1000 + 1000);
  CHECK(own.makespan == own.lastDone + SimTime::nanoseconds(5));
  // A write in the other direction: 1 ns for the first flit to the router, 64 for all to the
  // memory.
  CHECK(latency(dma(m, "pe0 -> pe0", 16384)) == 3350 + 1000 + 64'000 + 8'000);
  // One flit uses one channel, nine use the first one twice; it is free again when the ninth
  // arrives.
  CHECK(latency(dma(m, "pe0<-pe0", 256)) == 3350 + 8'000 + 2000);
  CHECK(latency(dma(m, "pe0<-pe0", 9 * 256)) == 3350 + 8'000 + 8'000 + 2000);
  // Four channels instead of eight take twice the time.
  Machine half = machine("ahbm-per-flit", {"memory.hbm_bandwidth=128e9", "memory.hbm_channels=4"});
  CHECK(latency(dma(half, "pe0<-pe0", 9 * 256)) == 3350 + 8 * 2'000 + 8'000 + 2000 + 1000);
  // To the neighbour's memory: one hop in each direction, and a flit over it.
  CHECK(latency(dma(m, "pe0<-pe1", 256)) == 3350 + 2160 + 8'000 + 1000 + 500 + 2160 + 1000);
}

TEST_CASE("a read that waits when its predecessor begins follows it without a gap",
          "[flit][rule-42]") {
  Machine m = machine("ahbm-per-flit");
  // The command of PE 1 arrives 2.16 ns after the read of PE 0 has begun, so that its read begins
  // after the last burst of that, 71 ns later. That of PE 4, four hops away, arrives meanwhile, and
  // its read follows after 64 ns.
  const char *three = "cube0.pe0<-cube0.pe0, cube0.pe1<-cube0.pe0, cube0.pe4<-cube0.pe0";
  DmaResult result = dma(m, three, 16384);
  CHECK(latency(result, 0) == 3350 + 63'000 + 8'000 + 2000);
  CHECK(latency(result, 1) == latency(result, 0) + 71'000 + 500 + 2160);
  CHECK(latency(result, 2) == latency(result, 0) + 71'000 + 64'000 + 4 * (500 + 2160));
}

TEST_CASE("reads from the next cube share the connection of their PEs", "[flit][ahbm]") {
  Machine m = machine("ahbm-per-flit");
  // PE 0 and PE 1 have different connections. Both routes have five hops.
  const std::string read0 = "cube0.pe0<-cube1.pe0", read1 = "cube0.pe1<-cube1.pe1";
  int64_t alone = latency(dma(m, read0, 16384));
  CHECK(alone ==
        3350 + 2 * (5 * 2160 + 16'000 + 10) + 8'000 + 63 * 2000 + 2 * 1000 + 4 * 2000 + 6 * 500);
  DmaResult two = dma(m, read0 + "," + read1, 16384);
  CHECK(latency(two, 1) == alone);
  // The connection of the other seven carries 64 flits of 2 ns for each of them.
  std::string all = read0 + "," + read1;
  for (const char *p : {"2", "3", "4", "5", "6", "7"})
    all += std::string(",cube0.pe") + p + "<-cube1.pe" + p;
  DmaResult eight = dma(m, all, 16384);
  CHECK(latency(eight, 0) < 2 * alone);
  CHECK(eight.lastDone > SimTime(7 * 128'000 + alone - 128'000 - 1));
  CHECK(eight.lastDone < SimTime(7 * 128'000 + alone));
}

TEST_CASE("PCIe endpoints reassemble a message", "[flit]") {
  Machine m = machine("ahbm-per-flit");
  auto across = [&](uint64_t bytes) {
    return latency(dma(m, "sip0.cube0.pe0<-sip1.cube0.pe0", bytes));
  };
  // Each flit beyond the first takes 2 ns (128 GB/s) in each of the two UCIe parts and half a
  // nanosecond between the endpoints.
  CHECK(across(16384) - across(256) == 63 * (2'000 + 500 + 2'000));
  // Within a SIP the cost is included once.
  auto within = [&](uint64_t bytes) { return latency(dma(m, "cube0.pe0<-cube15.pe7", bytes)); };
  CHECK(within(16384) - within(256) == 63 * 2'000);
}

TEST_CASE("scaling sizes, flits and rates together preserves the time", "[flit]") {
  const char *requests = "sip0.cube0.pe*<-sip0.cube0.pe0, sip0.cube5.pe3->sip0.cube0.pe0, "
                         "sip1.cube9.pe6<-sip0.cube3.pe2";
  Machine m = machine("ahbm-per-flit");
  DmaResult once = dma(m, requests, 10000);
  Machine m4 = machine("ahbm-per-flit",
                       {"noc.bandwidth=2048e9", "noc.pe_bandwidth=1024e9",
                        "ucie.connection_bandwidth=512e9", "io.bandwidth=2048e9",
                        "memory.hbm_bandwidth=1024e9", "memory.hbm_burst=1024", "flit_size=1024"});
  DmaResult fourfold = dma(m4, requests, 40000);
  CHECK(once.makespan == fourfold.makespan);
  for (size_t r = 0; r < once.requests.size(); ++r)
    CHECK(latency(once, r) == latency(fourfold, r));
}

TEST_CASE("a channel of a PE serves one request at a time", "[flit][rule-40]") {
  Machine m = machine("ahbm-per-flit");
  int64_t one = latency(dma(m, "pe0<-pe0", 4096));
  CHECK(dma(m, "pe0<-pe0, pe0<-pe0", 4096).lastDone == SimTime(2 * one));
  // Stages wait for each other.
  CHECK(dma(m, "pe0<-pe0; sip1.pe0<-sip1.pe0", 4096).lastDone == SimTime(2 * one));
  CHECK(dma(m, "pe0<-pe0, sip1.pe0<-sip1.pe0", 4096).lastDone == SimTime(one));
}

TEST_CASE("invalid requests are rejected", "[flit]") {
  Machine m = machine("ahbm");
  CHECK(errorOf(m, "pe0") ==
        "tool: error: 'pe0' is not of the form PE<-PE (a read) or PE->PE (a write)\n");
  for (const char *name : {"pe8", "sip2", "cube0.sip0", "pex", "pe0.cube0"})
    CHECK(errorOf(m, std::string("pe0<-") + name) ==
          "tool: error: '" + std::string(name) +
              "' is not a PE of target ahbm; an example is sip0.cube0.pe0, and * matches all "
              "members of a level\n");
  CHECK(errorOf(m, "sip*.cube*.pe*<-sip*.cube*.pe*, sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "sip*.cube*.pe*<-sip*.cube*.pe*,sip*.cube*.pe*<-sip*.cube*.pe*, "
                   "pe0<-pe0") == "tool: error: more than 1048576 requests are not supported\n");
  DiagnosticEngine diags;
  Machine ring = machine("ring");
  CHECK(
      failed(simulateDma(ring, "fifo", {{EndpointId(0), EndpointId(1), false}}, Bytes(1), diags)));
  CHECK(textOf(diags) == "tool: error: target ring has no memories\n");
}
