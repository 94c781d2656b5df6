//===- SimulatorTest.cpp - A plan on a machine, simulated for sizes -------===//

#include "cclc/Sim/Simulator.h"

#include "Plans.h"

#include "cclc/Target/Loader.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("a plan is simulated with several sizes", "[sim]") {
  DiagnosticEngine diags;
  const Machine machine = *loadTarget({"ring", CCLC_TARGET_DIR, {}, 4}, diags);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  PlacedPlan placed = *PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  auto simulator = createSimulatorOfScheduled(placed, {.network = machine.network});
  for (uint64_t size : {1024, 65536, 1024}) {
    FailureOr<SizeResult> result = simulator->at(Bytes(size), DataType::F32, diags);
    REQUIRE(succeeded(result));
    CHECK(result->bytes == Bytes(size));
    FailureOr<Sizing> sizing = Sizing::create(placed, Bytes(size), DataType::F32, diags);
    auto network = createNetwork(machine.network, placed.routes);
    CHECK(result->time == simulate(placed, *sizing, *network).time);
  }
}

TEST_CASE("a size that does not fit into memory is not simulated", "[sim]") {
  DiagnosticEngine diags;
  const Machine machine = *loadTarget({"ahbm", CCLC_TARGET_DIR, {}, std::nullopt}, diags);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  PlacedPlan placed = *PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  auto simulator = createSimulatorOfScheduled(placed, {.network = machine.network});
  CHECK(succeeded(simulator->at(Bytes(1024), DataType::F32, diags)));
  CHECK_FALSE(diags.hasErrors());
  CHECK(failed(simulator->at(Bytes(uint64_t(1) << 40), DataType::F32, diags)));
  CHECK(diags.hasErrors());
  CHECK(diags.failure() == Failure::Unfit);
}
