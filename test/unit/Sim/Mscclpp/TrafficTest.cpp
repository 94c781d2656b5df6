//===- TrafficTest.cpp - Counted chunks beside simulated bytes ------------===//

#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"

#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Sim/Mscclpp/Simulate.h"
#include "cclc/Sim/Mscclpp/Traffic.h"
#include "cclc/Target/Loader.h"

using namespace cclc;
using namespace cclc::test;

namespace {
Machine nodes() {
  DiagnosticEngine diags;
  FailureOr<Machine> machine =
      loadTarget({"dgx-h100", CCLC_TARGET_DIR, {{"nodes", "2"}}, std::nullopt}, diags);
  if (failed(machine))
    FAIL(textOf(diags));
  return std::move(*machine);
}

/// Checks that the simulated links carry the chunks that are counted: exactly these, or with
/// switches up to \p mostHeaders percent more.
void checkTraffic(const mscclpp::Plan &plan, const Machine &machine, uint64_t mostHeaders) {
  DiagnosticEngine diags;
  FailureOr<mscclpp::PlacedPlan> placed = mscclpp::PlacedPlan::create(plan, machine, diags);
  if (failed(placed))
    FAIL(textOf(diags));
  FailureOr<mscclpp::SizedPlan> sized = mscclpp::SizedPlan::create(
      plan, Bytes(mscclpp::sizeMultiple(plan.header()) << 12), DataType::F32, diags);
  if (failed(sized))
    FAIL(textOf(diags));
  SimResult result =
      mscclpp::simulate(*placed, *sized, *createNetwork("cut-through", placed->routes), {});
  REQUIRE(result.completed);
  std::vector<uint64_t> chunks(machine.links().size());
  const std::vector<uint64_t> onRoutes = mscclpp::chunksOnRoutes(*placed);
  for (uint32_t route = 0; route < onRoutes.size(); ++route)
    for (LinkId link : placed->routes.linksOf(placed->routes[route]))
      chunks[link.index()] += onRoutes[route];
  for (size_t link = 0; link < chunks.size(); ++link) {
    INFO("link " << link);
    const uint64_t counted = chunks[link] * sized->bytesOfFile,
                   simulated = result.links[link].bytes.count();
    CHECK(counted <= simulated);
    CHECK(simulated * 100 <= counted * (100 + mostHeaders));
  }
}
} // namespace

TEST_CASE("plans move the chunks that are counted", "[mscclpp]") {
  for (const std::string &text : {gatherByPort, pipelinedRelay, sharedRelay})
    checkTraffic(readGoodMscclpp(text), nodes(), 0);
  for (const std::string &text : {reduceBySwitch, gatherBySwitch})
    checkTraffic(readGoodMscclpp(text), nodes(), 40);
}

TEST_CASE("lowered plans move the chunks that are counted", "[mscclpp]") {
  const Machine machine = nodes();
  for (const char *program : {"allreduce_ring", "allreduce_tree", "alltoall_direct"})
    for (Protocol protocol : {Protocol::Simple, Protocol::LL})
      for (uint32_t sharing : {1, 2}) {
        INFO(program << " in groups of " << sharing);
        DiagnosticEngine diags;
        Recipe recipe{program, {}, 16};
        recipe.target = "dgx-h100";
        FailureOr<LoweredPlan> lowered =
            lowerToMscclpp(compiledAs(recipe, protocol), &machine, /*prove=*/false, diags, sharing);
        if (failed(lowered))
          FAIL(textOf(diags));
        checkTraffic(lowered->plan, machine, 0);
      }
}
