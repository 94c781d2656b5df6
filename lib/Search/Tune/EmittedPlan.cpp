//===- EmittedPlan.cpp - Timing the MSCCL++ plan of a candidate -----------===//
//
// The plan is placed once, and sized for each simulation.
//
//===----------------------------------------------------------------------===//

#include "EmittedPlan.h"

#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Sim/Mscclpp/Simulate.h"

using namespace cclc;

bool EmittedPlan::isTimed(const SearchProblem &problem) {
  return problem.onlyMscclpp && problem.machine.mscclpp;
}

bool EmittedPlan::isShared(const SearchProblem &problem) {
  return isTimed(problem) && problem.machine.mscclpp->port &&
         problem.machine.geometry().levels.size() > 1 &&
         problem.machine.geometry().levels.front().size() > 1;
}

FailureOr<EmittedPlan> EmittedPlan::create(const ExecPlan &plan, const Variant &variant,
                                           std::optional<mscclpp::Plan> lowered,
                                           const SearchProblem &problem, DiagnosticEngine &diags) {
  if (!lowered) {
    FailureOr<LoweredPlan> made =
        lowerToMscclpp(plan, &problem.machine, /*prove=*/false, diags, variant.sharing);
    if (failed(made))
      return failure();
    lowered.emplace(std::move(made->plan));
  }
  return create(std::move(*lowered), plan.info().placementOnTarget, problem, diags);
}

FailureOr<EmittedPlan> EmittedPlan::create(mscclpp::Plan plan, ArrayRef<uint32_t> endpoints,
                                           const SearchProblem &problem, DiagnosticEngine &diags) {
  plan.setEndpoints(endpoints);
  auto owned = std::make_unique<const mscclpp::Plan>(std::move(plan));
  FailureOr<mscclpp::PlacedPlan> placed =
      mscclpp::PlacedPlan::create(*owned, problem.machine, diags);
  if (failed(placed))
    return failure();
  return EmittedPlan(std::move(owned), std::move(*placed));
}

uint32_t EmittedPlan::mostThreadblocks() const {
  uint32_t most = 0;
  for (const mscclpp::Rank &rank : plan->ranks())
    most = std::max<uint32_t>(most, plan->threadblocks(rank).size());
  return most;
}

uint64_t EmittedPlan::multiple() const { return mscclpp::sizeMultiple(plan->header()); }

LogicalResult EmittedPlan::checkSize(uint64_t size, DataType type, DiagnosticEngine &diags) const {
  return success(succeeded(mscclpp::SizedPlan::create(*plan, Bytes(size), type, diags)));
}

std::optional<Measure::Run> EmittedPlan::run(uint64_t size, std::optional<SimTime> until,
                                             const SearchProblem &problem) const {
  DiagnosticEngine none;
  FailureOr<mscclpp::SizedPlan> sized =
      mscclpp::SizedPlan::create(*plan, Bytes(size), problem.type, none);
  if (failed(sized))
    return Measure::Run{SimTime::max()};
  std::unique_ptr<NetworkModel> network = createNetwork(problem.network, placed.routes);
  mscclpp::RunOptions options;
  options.until = until;
  SimResult result = mscclpp::simulate(placed, *sized, *network, options);
  if (result.stopped)
    return std::nullopt;
  return Measure::Run{result.completed ? result.time : SimTime::max(), result.messages};
}
