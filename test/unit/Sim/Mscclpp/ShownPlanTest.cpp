//===- ShownPlanTest.cpp - Plans of both kinds in results -----------------===//

#include "cclc/Sim/ShownPlan.h"

#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"
#include "Plans.h"

#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/SizeMemory.h"
#include "cclc/Target/Loader.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("the operations of a plan of MSCCL++ are shown by name and place", "[mscclpp]") {
  const mscclpp::Plan plan = readGoodMscclpp(relay);
  const ShownPlan shown = plan;
  CHECK(!shown.ofSteps());
  CHECK(shown.info().name == plan.header().name);
  REQUIRE(shown.numThreadblocks() == plan.threadblocks().size());
  REQUIRE(shown.numSteps() == plan.ops().size());
  for (uint32_t t = 0; t < shown.numThreadblocks(); ++t) {
    const Threadblock tb = shown.threadblock(t);
    CHECK("r" + std::to_string(tb.rank.index()) + " tb" +
              std::to_string(shown.localId(t).index()) ==
          plan.threadblockName(PlanThreadblockId(t)));
    CHECK(shown.sendPeers(tb).empty());
    CHECK(shown.recvPeers(tb).empty());
    ArrayRef<mscclpp::Operation> ops = plan.ops(plan.threadblocks()[t]);
    REQUIRE(tb.numSteps == ops.size());
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const Step step = shown.step(tb.firstStep + i);
      CHECK(step.loc == ops[i].loc);
      CHECK(shown.info().phases[step.phase].name == mscclpp::traits(ops[i].op).mnemonic);
    }
  }
}

TEST_CASE("the steps of a plan are shown as they are", "[mscclpp]") {
  const ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  const ShownPlan shown = plan;
  CHECK(shown.ofSteps() == &plan);
  CHECK(shown.channels() == plan.channels());
  REQUIRE(shown.numThreadblocks() == plan.threadblocks().size());
  for (uint32_t t = 0; t < shown.numThreadblocks(); ++t) {
    CHECK(shown.localId(t) == plan.localId(t));
    CHECK(shown.sendPeers(shown.threadblock(t)) == plan.sendPeers(plan.threadblocks()[t]));
    CHECK(shown.recvPeers(shown.threadblock(t)) == plan.recvPeers(plan.threadblocks()[t]));
  }
  REQUIRE(shown.numSteps() == plan.steps().size());
  for (uint32_t s = 0; s < shown.numSteps(); ++s) {
    CHECK(shown.step(s).op == plan.steps()[s].op);
    CHECK(shown.step(s).wait() == plan.steps()[s].wait());
  }
}

TEST_CASE("a plan of either kind is simulated on a machine", "[mscclpp]") {
  DiagnosticEngine diags;
  const Machine machine = *loadTarget({"dgx-h100", CCLC_TARGET_DIR, {}, std::nullopt}, diags);
  using Plan = std::variant<ExecPlan, mscclpp::Plan>;
  for (const Plan &plan :
       {Plan(compiled({"allgather_ring", {}, 2})), Plan(readGoodMscclpp(gatherByPut))}) {
    FailureOr<PlacedExecutable> placed =
        PlacedExecutable::create(plan, machine, machine.slotsFor(ShownPlan(plan).info()), diags);
    REQUIRE(succeeded(placed));
    const PlanOnMachine &shown = placed->get();
    CHECK((shown.steps() == nullptr) == (placed->operations() != nullptr));
    CHECK(shown.slots.isUnlimited() == (shown.steps() == nullptr));
    CHECK(shown.endpointOf == std::vector{EndpointId(0), EndpointId(1)});
    std::unique_ptr<Simulator> simulator = placed->prove({.network = machine.network}, diags);
    REQUIRE(simulator);
    CHECK(&simulator->plan() == &shown);
    FailureOr<SizeResult> result = simulator->at(Bytes(65536), DataType::F32, diags);
    REQUIRE(succeeded(result));
    CHECK(result->threadblocks.size() == shown.shown.numThreadblocks());
  }
  std::string text = gatherByPut;
  text.replace(text.find("signal"), 6, "wait");
  const Plan wrong = readGoodMscclpp(text);
  FailureOr<PlacedExecutable> placed =
      PlacedExecutable::create(wrong, machine, Slots::unlimited(), diags);
  REQUIRE(succeeded(placed));
  CHECK(!placed->prove({.network = machine.network}, diags));
  CHECK(diags.failure() == Failure::Wrong);
}
