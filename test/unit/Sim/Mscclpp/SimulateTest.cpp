//===- SimulateTest.cpp - Times and data of plans of MSCCL++ --------------===//
//
// Times are compared with sums of the costs of a machine of two ranks, 1 us and 1 GB/s apart. Data
// are compared with the definition of the collective, and verdicts with an emulation.
//
//===----------------------------------------------------------------------===//

#include "../../../support/MscclppMachine.h"
#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"

#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Sim/Mscclpp/DataExecutor.h"
#include "cclc/Target/Loader.h"

#include <numeric>

using namespace cclc;
using namespace cclc::test;

namespace {
Machine machineOf(std::vector<TargetOverride> more = {}) {
  std::vector<TargetOverride> all = {{"ranks", "2"},
                                     {"link.bandwidth", "1e9"},
                                     {"link.propagation", "1e-6"},
                                     {"mscclpp.launch", "2e-6"},
                                     {"mscclpp.dispatch", "10e-9"},
                                     {"mscclpp.nop", "20e-9"},
                                     {"mscclpp.semaphore", "50e-9"},
                                     {"mscclpp.signal", "100e-9"},
                                     {"mscclpp.wait", "200e-9"},
                                     {"mscclpp.memory.latency", "300e-9"},
                                     {"mscclpp.memory.bandwidth", "10e9"},
                                     {"mscclpp.packet.latency", "400e-9"},
                                     {"mscclpp.packet.bandwidth", "10e9"},
                                     {"mscclpp.port.trigger", "500e-9"},
                                     {"mscclpp.port.transfer", "100e-9"},
                                     {"mscclpp.port.signal", "300e-9"}};
  all.insert(all.end(), more.begin(), more.end());
  DiagnosticEngine diags;
  FailureOr<Machine> machine =
      loadTarget({"fully-connected", CCLC_TARGET_DIR, all, std::nullopt}, diags);
  if (failed(machine))
    FAIL(textOf(diags));
  return std::move(*machine);
}

struct Outcome {
  SimResult result;
  bool right;
};

Outcome simulated(const mscclpp::Plan &plan, uint64_t bytes, uint32_t launches = 1) {
  Machine machine = machineOf();
  DiagnosticEngine diags;
  FailureOr<mscclpp::PlacedPlan> placed = mscclpp::PlacedPlan::create(plan, machine, diags);
  FailureOr<mscclpp::SizedPlan> sized =
      mscclpp::SizedPlan::create(plan, Bytes(bytes), DataType::F32, diags);
  if (failed(placed) || failed(sized))
    FAIL(textOf(diags));
  mscclpp::DataExecutor data(*sized, launches);
  mscclpp::RunOptions options;
  options.repeat = launches;
  options.criticalPath = true;
  options.data = &data;
  std::unique_ptr<NetworkModel> network = createNetwork("cut-through", placed->routes);
  SimResult result = mscclpp::simulate(*placed, *sized, *network, options);
  return {std::move(result), !data.mismatch()};
}

std::string substituted(std::string text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to.str());
  return text;
}

/// The same all-gather through proxies.
std::string gatherByProxies() {
  std::string text = substituted(gatherByPut, "\"memory\"", "\"port\"");
  return substituted(text, "{\"name\": \"put\",", "{\"name\": \"put\", \"channel_ids\": [0],");
}
} // namespace

TEST_CASE("times are sums of costs", "[mscclpp]") {
  struct Case {
    std::string text;
    uint64_t bytes;
    int64_t nanoseconds;
  };
  const Case cases[] = {
      // Announce: 110, link 1000, wait 210, nop 30. Copy of 16000 bytes: 310 and 3200. Put: 310,
      // and 17000 on the link, for which the signal waits: 110, link 1000, wait 210.
      {gatherByPut, 32000, 2000 + 110 + 1000 + 210 + 30 + 3510 + 310 + 17000 + 110 + 1000 + 210},
      // 16000 bytes as packets: 410, and 33000 on the link. The sum loads 16000 and 32000 bytes and
      // stores 16000.
      {reduceByPackets, 16000, 2000 + 410 + 33000 + 6400},
      // The request of 8000 bytes takes 1000, the data 9000, the sum 9000 on the way back.
      {reduceByReading, 16000,
       2000 + 110 + 1000 + 210 + 30 + 310 + 1000 + 9000 + 9000 + 110 + 1000 + 210},
      // Two copies of 1600 bytes, a release and an acquire.
      {relay, 1600, 2000 + 2 * (310 + 320 + 30 + 60)},
      // A signal by a proxy: 10, 500 and 100, link 1000 and 300. The data take 17000, the second
      // signal follows them.
      {gatherByProxies(), 32000,
       2000 + 10 + 600 + 1300 + 210 + 30 + 3510 + 10 + 600 + 17000 + 300 + 210},
  };
  for (const Case &c : cases) {
    mscclpp::Plan plan = readGoodMscclpp(c.text);
    Outcome outcome = simulated(plan, c.bytes);
    const SimResult &result = outcome.result;
    INFO(c.text);
    CHECK(result.completed);
    CHECK(outcome.right);
    CHECK(result.time == SimTime::nanoseconds(c.nanoseconds));
    for (size_t t = 0; t < result.causes.size(); ++t)
      CHECK(std::accumulate(result.causes[t].begin(), result.causes[t].end(), SimTime()) ==
            result.finished[t]);
    SimTime end;
    for (const PathSegment &segment : result.criticalPath) {
      CHECK(segment.begin == end);
      end = segment.end;
    }
    CHECK(end == result.time);
  }
}

TEST_CASE("several launches compute what an emulation computes", "[mscclpp]") {
  for (const std::string &text : {gatherByPut, reduceByPackets, reduceByReading, relay}) {
    mscclpp::Plan plan = readGoodMscclpp(text);
    CHECK(runMscclpp(plan, {}) == "");
    CHECK(simulated(plan, 1 << 16, 3).right);
  }
  // A chunk at the wrong place.
  mscclpp::Plan wrong = readGoodMscclpp(substituted(
      gatherByPut, "[{\"buffer_id\": 0, \"index\": 1,", "[{\"buffer_id\": 0, \"index\": 0,"));
  CHECK(runMscclpp(wrong, {}) != "");
  CHECK(!simulated(wrong, 1 << 16, 3).right);
}

TEST_CASE("emitted plans compute what an emulation computes", "[mscclpp]") {
  for (const char *program : {"allreduce_ring", "allreduce_allpairs", "alltoall_direct"})
    for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
      DiagnosticEngine diags;
      FailureOr<LoweredPlan> lowered =
          lowerToMscclpp(compiledAs({program, {}, 2}, protocol), nullptr, /*prove=*/false, diags);
      REQUIRE(succeeded(lowered));
      INFO(program);
      CHECK(runMscclpp(lowered->plan, {}) == "");
      CHECK(simulated(lowered->plan, 1 << 16, 2).right);
    }
}

TEST_CASE("pieces and parts of operations are units of a size", "[mscclpp]") {
  struct Case {
    std::string text;
    uint64_t unit; ///< of sizes that are multiples of 64 KiB
  };
  for (const auto &[text, unit] : {Case{pipelinedRelay, 65536}, Case{sharedRelay, 1 << 27}}) {
    mscclpp::Plan plan = readGoodMscclpp(text);
    auto unitOf = [&](uint64_t bytes) {
      DiagnosticEngine diags;
      FailureOr<mscclpp::SizedPlan> sized =
          mscclpp::SizedPlan::create(plan, Bytes(bytes), DataType::F32, diags);
      REQUIRE(succeeded(sized));
      return sized->bytes;
    };
    CHECK(unitOf(1 << 28) == unit);
    CHECK(unitOf((1 << 20) - 16) == 16);
    // The last piece, or one part, is 16 bytes shorter, whose two copies take 3.2 ns each.
    SimTime whole = simulated(plan, 1 << 20).result.time;
    SimTime shorter = simulated(plan, (1 << 20) - 16).result.time;
    CHECK(shorter <= whole);
    CHECK(whole - shorter <= SimTime::nanoseconds(7));
    CHECK(simulated(plan, 1 << 20).right);
    CHECK(simulated(plan, (1 << 20) - 16).right);
  }
}

TEST_CASE("the executor or the machine does not accept it", "[mscclpp]") {
  mscclpp::Plan gather = readGoodMscclpp(gatherByPut);
  auto bind = [&](const Machine &machine, const mscclpp::Plan &plan) {
    DiagnosticEngine diags;
    CHECK(failed(mscclpp::PlacedPlan::create(plan, machine, diags)));
    return textOf(diags);
  };
  CHECK(bind(machineOf({{"mscclpp", "null"}}), gather) ==
        "tool: error: target fully-connected has no values for the executor of MSCCL++ "
        "('mscclpp')\n");
  CHECK(bind(machineOf({{"mscclpp.port", "null"}}), readGoodMscclpp(gatherByProxies())) ==
        "tool: error: the plan has port channels, and target fully-connected has no proxies "
        "('mscclpp.port')\n");
  auto size = [&](const std::string &text, uint64_t bytes) {
    mscclpp::Plan plan = readGoodMscclpp(text);
    DiagnosticEngine diags;
    CHECK(failed(mscclpp::SizedPlan::create(plan, Bytes(bytes), DataType::F32, diags)));
    return textOf(diags);
  };
  CHECK(
      size(gatherByPut, uint64_t(1) << 33) ==
      "tool: error: 8589934592 bytes take a buffer of 2 chunks of 4294967296 bytes, more than the "
      "4 GiB that the executor of MSCCL++ addresses\n");
  CHECK(
      size(substituted(gatherByPut, "\"inplace\": false,",
                       "\"inplace\": false, \"min_message_size\": 64, \"max_message_size\": 128,"),
           32) == "tool: error: the plan is for 64 to 128 bytes, not for 32\n");
}
