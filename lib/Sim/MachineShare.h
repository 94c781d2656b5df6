//===- MachineShare.h - Plans on the same PEs -------------------*- C++ -*-===//
//
// The engines and queues of a PE belong to the machine and not to a plan: ranks of several plans
// that run on the same endpoint share them. A plan that runs alone is the only one of its
// simulation.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_MACHINESHARE_H
#define CCL_LIB_SIM_MACHINESHARE_H

#include "EngineState.h"

#include "cclc/Limits/QueueSharing.h"

namespace cclc {

/// The part of a simulated machine that one plan uses.
struct MachineShare {
  MutableArrayRef<Pe> pes;      ///< of all plans
  std::vector<uint32_t> peOf;   ///< by rank of the plan
  uint32_t firstConnection = 0; ///< number of its first connection in the network
  SimTime start;                ///< when it is launched
  MutableArrayRef<SharedQueue> sendQueues, receiveQueues; ///< of all plans
  const QueueSharing::PlanUses &queueUses;

  /// The queue of the connection on which \p threadblock sends (receives).
  QueueAccess queueOfSends(uint32_t threadblock) const {
    return access(queueUses.sends, threadblock, sendQueues);
  }
  QueueAccess queueOfReceives(uint32_t threadblock) const {
    return access(queueUses.receives, threadblock, receiveQueues);
  }

private:
  static QueueAccess access(ArrayRef<std::optional<QueueSharing::Use>> uses, uint32_t threadblock,
                            MutableArrayRef<SharedQueue> queues) {
    if (uses.empty() || !uses[threadblock])
      return {};
    return {&queues[uses[threadblock]->queue], uses[threadblock]->context};
  }
};

/// The PEs on which the ranks of some plans run, numbered in the order of plans and ranks.
class SharedPes {
public:
  explicit SharedPes(ArrayRef<const BoundPlan *> plans);

  /// The share of plan number \p plan, which is valid as long as this object.
  MachineShare share(size_t plan, SimTime start = SimTime());

private:
  struct Numbers {
    std::vector<uint32_t> peOf; ///< by rank
    uint32_t firstConnection;
  };
  std::vector<Pe> pes;
  std::vector<SimTime> processors; ///< when each is free
  std::vector<Numbers> numbers;    ///< by plan
  QueueSharing sharing;
  std::vector<SharedQueue> sendQueues, receiveQueues;
};

} // namespace cclc

#endif // CCL_LIB_SIM_MACHINESHARE_H
