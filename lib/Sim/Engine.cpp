#include "cclc/Sim/Engine.h"

#include "Engines.h"

#include "cclc/Support/MemoryBudget.h"

using namespace cclc;

static bool takesTime(const CycleEngine &engine) { return engine.duration(Bytes(1)) > SimTime(); }

/// The terms that both kinds of engines and the loads and stores multiply by Skew::permille.
bool cclc::enginesTakeTime(const BoundPlan &plan) {
  const Machine &machine = plan.machine;
  const PeModel &pe = machine.pe;
  const QueueModel &queue = machine.queue;
  constexpr Bytes some = Bytes(1 << 10);
  if (pe.dispatch + pe.localDispatch > SimTime() || takesTime(pe.math) ||
      !pe.dmaRate.isUnlimited() || machine.memory.loadStore)
    return true;
  if (const ProtocolModel *protocol = plan.protocol)
    return pe.wait + pe.nop + protocol->stepLatency + protocol->sliceLatency > SimTime() ||
           takesTime(protocol->trip);
  return takesTime(pe.copy) || !pe.threadblockRate.isUnlimited() || machine.processors ||
         queue.sendOverhead + queue.receiveOverhead + machine.directionQueues.switchTime >
             SimTime() ||
         queue.read.duration(some) + queue.write.duration(some) > SimTime();
}

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
