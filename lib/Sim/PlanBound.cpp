#include "cclc/Sim/PlanBound.h"

using namespace cclc;

PlanBound::PlanBound(const BoundPlan &plan, StringRef network, uint32_t repeat, bool linksOnly)
    : bounds(
          {plan.machine, plan.endpointOf, plan.plan.info().collective, network.str(),
           plan.protocol ? std::optional(plan.plan.info().protocol) : std::nullopt, plan.slotSize,
           LinkBudget{
               .cuts = uint64_t(1) << 24, .trials = uint64_t(1) << 22, .paths = uint64_t(1) << 25},
           /*routeBudget=*/uint64_t(1) << 22, linksOnly}),
      once(repeat == 1) {}

std::optional<SizeBound> PlanBound::of(const Sizing &sizing) const {
  SizeBound bound = bounds.at(sizing.requested, once);
  if (bound.time() == SimTime())
    return std::nullopt;
  return bound;
}
