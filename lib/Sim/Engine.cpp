#include "cclc/Sim/Engine.h"

#include "Engines.h"

#include "cclc/Support/MemoryBudget.h"

using namespace cclc;

std::unique_ptr<EngineCore> cclc::createEngine(const BoundPlan &plan, const Sizing &sizing,
                                               NetworkModel &network, const SimOptions &options,
                                               MachineShare share) {
  return (plan.protocol ? createSliceEngine : createMessageEngine)(plan, sizing, network, options,
                                                                   std::move(share));
}

SimResult cclc::simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options) {
  MemoryBudget::Work work("the simulation");
  SharedPes pes(&plan);
  return createEngine(plan, sizing, network, options, pes.share(0))->run();
}
