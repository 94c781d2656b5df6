//===- PlanTimerTest.cpp - The time of a plan with any size ---------------===//

#include "cclc/Sim/PlanTimer.h"

#include "Plans.h"

#include "cclc/Target/Loader.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("a plan is timed with several sizes", "[sim]") {
  DiagnosticEngine diags;
  const Machine machine = *loadTarget({"ring", CCLC_TARGET_DIR, {}, 4}, diags);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  BoundPlan bound = *BoundPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  PlanTimer timer = PlanTimer::ofScheduled(std::move(bound));
  for (uint64_t size : {1024, 65536, 1024}) {
    FailureOr<SizedRun> run = timer.run(machine.network, Bytes(size), DataType::F32, {}, diags);
    REQUIRE(succeeded(run));
    CHECK(run->sizing.requested == Bytes(size));
    auto network = createNetwork(machine.network, timer.bound().routes);
    CHECK(run->result.time == simulate(timer.bound(), run->sizing, *network).time);
  }
}

TEST_CASE("a size that does not fit into memory is not timed", "[sim]") {
  DiagnosticEngine diags;
  const Machine machine = *loadTarget({"ahbm", CCLC_TARGET_DIR, {}, std::nullopt}, diags);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  PlanTimer timer = PlanTimer::ofScheduled(
      *BoundPlan::create(plan, machine, machine.slotsFor(plan.info()), diags));
  auto timed = [&](uint64_t size) {
    return timer.run(machine.network, Bytes(size), DataType::F32, {}, diags);
  };
  CHECK(succeeded(timed(1024)));
  CHECK_FALSE(diags.hasErrors());
  CHECK(failed(timed(uint64_t(1) << 40)));
  CHECK(diags.hasErrors());
}
