//===- MachineShare.cpp - The PEs of several plans ------------------------===//
//
// Numbers the endpoints that are in use, so that a small plan on a large machine has few PEs, and
// creates their streams, which limit the threadblocks of all plans together.
//
// Implements rules 12, 49 and 59, and 48 with QueueSharing.
//
//===----------------------------------------------------------------------===//

#include "MachineShare.h"

#include "ProcessorCosts.h"

#include "llvm/ADT/DenseMap.h"

using namespace cclc;

static QueueSharing sharingOf(ArrayRef<const PlacedPlan *> plans) {
  SmallVector<const ExecPlan *, 4> execPlans;
  for (const PlacedPlan *plan : plans)
    execPlans.push_back(&plan->plan);
  return QueueSharing(execPlans, plans.front()->machine);
}

SharedPes::SharedPes(ArrayRef<const PlacedPlan *> plans) : sharing(sharingOf(plans)) {
  for (uint32_t context : sharing.queues())
    sendQueues.push_back({context, SimTime()});
  receiveQueues = sendQueues;
  llvm::DenseMap<uint32_t, uint32_t> peOfEndpoint;
  std::vector<uint64_t> threadblocks; // by PE
  uint32_t connections = 0;
  for (const PlacedPlan *plan : plans) {
    Numbers &added = numbers.emplace_back(Numbers{{}, connections});
    connections += plan->numRoutes();
    for (uint32_t r = 0; r < plan->plan.ranks(); ++r) {
      uint32_t pe =
          peOfEndpoint.try_emplace(plan->endpointOf[r].index(), threadblocks.size()).first->second;
      if (pe == threadblocks.size())
        threadblocks.push_back(0);
      threadblocks[pe] += plan->plan.numThreadblocks(RankId(r));
      added.peOf.push_back(pe);
    }
  }
  pes.resize(threadblocks.size());
  std::optional<uint32_t> streams = plans.front()->machine.pe.streams;
  for (uint32_t p = 0; streams && p < pes.size(); ++p)
    if (*streams < threadblocks[p])
      pes[p].streams.resize(*streams);
  if (const auto &model = plans.front()->machine.processors) {
    processors.resize(model->count);
    for (uint32_t p = 0; p < pes.size(); ++p)
      pes[p].processor = &processors[ProcessorCosts::processorOf(*model, p, pes.size())];
  }
}

MachineShare SharedPes::share(size_t plan, SimTime start) {
  return {pes,           numbers[plan].peOf, numbers[plan].firstConnection, start, sendQueues,
          receiveQueues, sharing.of(plan)};
}
