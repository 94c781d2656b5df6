//===- ConcurrentTest.cpp - Several plans of MSCCL++ at once --------------===//
//
// Launches that share no link take the time that they take alone, and those that share all links
// the bandwidth of one. The links are the bottleneck.
//
//===----------------------------------------------------------------------===//

#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"

#include "cclc/Sim/Mscclpp/Concurrent.h"
#include "cclc/Sim/Mscclpp/DataExecutor.h"
#include "cclc/Target/Loader.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t bytes = 1 << 20;

Machine fourGpus() {
  DiagnosticEngine diags;
  std::vector<TargetOverride> all = {{"ranks", "4"},
                                     {"link.bandwidth", "1e9"},
                                     {"link.propagation", "1e-6"},
                                     {"mscclpp.memory.latency", "300e-9"},
                                     {"mscclpp.memory.bandwidth", "100e9"},
                                     {"mscclpp.packet.latency", "400e-9"},
                                     {"mscclpp.packet.bandwidth", "100e9"},
                                     {"mscclpp.port.trigger", "500e-9"}};
  FailureOr<Machine> machine =
      loadTarget({"fully-connected", CCLC_TARGET_DIR, all, std::nullopt}, diags);
  if (failed(machine))
    FAIL(textOf(diags));
  return std::move(*machine);
}

mscclpp::Plan withEndpoints(mscclpp::Plan plan, std::vector<uint32_t> endpoints) {
  plan.setEndpoints(std::move(endpoints));
  return plan;
}

/// One launch, with the endpoints of its ranks.
struct Launch {
  Launch(const mscclpp::Plan &program, const Machine &machine,
         const std::vector<uint32_t> &endpoints)
      : plan(withEndpoints(program, endpoints)),
        placed(good(mscclpp::PlacedPlan::create(plan, machine, diags))),
        sized(good(mscclpp::SizedPlan::create(plan, Bytes(bytes), DataType::F32, diags))),
        data(sized, 1) {}

  template <class T> T good(FailureOr<T> made) {
    if (failed(made))
      FAIL(textOf(diags));
    return std::move(*made);
  }
  SimTime alone(StringRef network) {
    return simulate(placed, sized, *createNetwork(network, placed.routes), {}).time;
  }

  DiagnosticEngine diags;
  mscclpp::Plan plan;
  mscclpp::PlacedPlan placed;
  mscclpp::SizedPlan sized;
  mscclpp::DataExecutor data;
};

ConcurrentResult together(Launch &a, Launch &b, SimTime start, StringRef network) {
  mscclpp::RunOptions first, second;
  first.data = &a.data;
  second.data = &b.data;
  mscclpp::ConcurrentPlan plans[] = {{a.placed, a.sized, SimTime(), first},
                                     {b.placed, b.sized, start, second}};
  ConcurrentResult result = mscclpp::simulateConcurrently(plans, network);
  CHECK(!a.data.mismatch());
  CHECK(!b.data.mismatch());
  for (const SimResult &plan : result.plans)
    CHECK(plan.completed);
  CHECK(result.end == std::max(result.plans[0].time, start + result.plans[1].time));
  return result;
}
} // namespace

TEST_CASE("launches on other links have the times that they have alone", "[mscclpp]") {
  Machine machine = fourGpus();
  for (const std::string &text : {gatherByPut, gatherByPort, reduceByPackets})
    for (const char *network : {"cut-through", "maxmin", "fifo"}) {
      INFO(network << '\n' << text);
      mscclpp::Plan plan = readGoodMscclpp(text);
      Launch a(plan, machine, {0, 1}), b(plan, machine, {2, 3});
      ConcurrentResult both = together(a, b, SimTime(12'345), network);
      CHECK(both.plans[0].time == a.alone(network));
      CHECK(both.plans[1].time == b.alone(network));
    }
}

TEST_CASE("a launch after the end of another has the time that it has alone", "[mscclpp]") {
  Machine machine = fourGpus();
  mscclpp::Plan plan = readGoodMscclpp(gatherByPut);
  Launch a(plan, machine, {0, 1}), b(plan, machine, {0, 1});
  SimTime alone = a.alone("cut-through");
  ConcurrentResult both = together(a, b, alone + SimTime(1), "cut-through");
  CHECK(both.plans[0].time == alone);
  CHECK(both.plans[1].time == alone);
}

TEST_CASE("launches on the same links share their bandwidth", "[mscclpp]") {
  Machine machine = fourGpus();
  mscclpp::Plan puts = readGoodMscclpp(gatherByPut), packets = readGoodMscclpp(reduceByPackets);
  Launch a(puts, machine, {0, 1}), b(packets, machine, {1, 0});
  ConcurrentResult both = together(a, b, SimTime(), "maxmin");
  // A put of half of the buffer, and packets of the buffer with their flags, over 1 GB/s.
  SimTime transfers(int64_t(bytes / 2 + 2 * bytes) * 1000);
  CHECK(both.end > transfers);
  CHECK(both.end <= b.alone("maxmin") + SimTime(int64_t(bytes / 2) * 1000));
  CHECK(both.plans[0].time > a.alone("maxmin") + SimTime(int64_t(bytes / 2) * 900));
}

TEST_CASE("barriers and threadblocks of launches on one endpoint", "[mscclpp]") {
  Machine machine = fourGpus();
  mscclpp::Plan plan = readGoodMscclpp(sharedRelay);
  Launch a(plan, machine, {0, 1}), b(plan, machine, {0, 2}), c(plan, machine, {2, 3});
  std::string names[] = {"a", "b"};
  DiagnosticEngine diags;
  CHECK(succeeded(mscclpp::checkSharedEndpoints({&a.placed, &c.placed}, names, diags)));
  CHECK(textOf(diags) == "");
  CHECK(succeeded(mscclpp::checkSharedEndpoints({&a.placed, &b.placed}, names, diags)));
  CHECK(StringRef(textOf(diags)).contains("'a' and 'b' use barrier 0 on endpoint 0"));
}
