#include "cclc/Sim/PlanBound.h"

using namespace cclc;

BoundRequest cclc::boundRequestOf(const PlanOnMachine &plan, StringRef network) {
  BoundRequest request{plan.machine, plan.endpointOf, plan.shown.info().collective, network.str()};
  if (plan.protocol)
    request.protocol = plan.shown.info().protocol;
  request.slotSize = plan.machine.slotSizeFor(plan.shown.info());
  request.linksOnly = !plan.steps();
  return request;
}

static BoundRequest withEffort(BoundRequest request, BoundEffort effort) {
  if (effort == BoundEffort::Full)
    return request;
  request.budget = {
      .cuts = uint64_t(1) << 24, .trials = uint64_t(1) << 22, .paths = uint64_t(1) << 25};
  request.routeBudget = uint64_t(1) << 22;
  return request;
}

PlanBound::PlanBound(const PlanOnMachine &plan, StringRef network, uint32_t repeat,
                     BoundEffort effort)
    : bounds(withEffort(boundRequestOf(plan, network), effort)), once(repeat == 1) {}

std::optional<SizeBound> PlanBound::of(const Sizing &sizing) const {
  SizeBound bound = bounds.at(sizing.requested, once);
  if (bound.time() == SimTime())
    return std::nullopt;
  return bound;
}
