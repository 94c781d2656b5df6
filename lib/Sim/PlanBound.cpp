#include "cclc/Sim/PlanBound.h"

using namespace cclc;

BoundRequest cclc::boundRequestOf(const BoundPlan &plan, StringRef network, bool linksOnly) {
  BoundRequest request{plan.machine, plan.endpointOf, plan.plan.info().collective, network.str()};
  if (plan.protocol)
    request.protocol = plan.plan.info().protocol;
  request.slotSize = plan.slotSize;
  request.linksOnly = linksOnly;
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

PlanBound::PlanBound(const BoundPlan &plan, StringRef network, uint32_t repeat, BoundEffort effort,
                     bool linksOnly)
    : bounds(withEffort(boundRequestOf(plan, network, linksOnly), effort)), once(repeat == 1) {}

std::optional<SizeBound> PlanBound::of(const Sizing &sizing) const {
  SizeBound bound = bounds.at(sizing.requested, once);
  if (bound.time() == SimTime())
    return std::nullopt;
  return bound;
}
