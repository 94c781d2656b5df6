#include "cclc/Sim/Engine.h"

#include "EngineCore.h"

#include "cclc/Support/MemoryBudget.h"

using namespace cclc;

SimResult cclc::simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options) {
  MemoryBudget::Work work("the simulation");
  return plan.protocol ? simulateSlices(plan, sizing, network, options)
                       : simulateMessages(plan, sizing, network, options);
}
