//===- MachineShare.h - Plans on the same PEs -------------------*- C++ -*-===//
//
// The engines and queues of a PE belong to the machine and not to a plan: ranks of several plans
// that run on the same endpoint share them. A plan that runs alone is the only one of its
// simulation.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_MACHINESHARE_H
#define CCL_LIB_SIM_MACHINESHARE_H

#include "MemoryPorts.h"
#include "SharedQueue.h"

#include "cclc/Limits/QueueSharing.h"
#include "cclc/Sim/Engine.h"
#include "cclc/Support/Ring.h"

namespace cclc {

struct PlanState;

/// A threadblock that waits for a stream.
struct StreamWaiter {
  PlanState *state; ///< of its plan
  uint32_t threadblock;
};

/// The engines and ports of a PE, and when each is free. Several plans may use them.
struct Pe {
  std::vector<SimTime> streams; ///< empty if unlimited
  Ring<StreamWaiter> turns;     ///< the threadblocks whose steps wait for a stream
  /// When the processor that executes its steps, and possibly those of other PEs, is free; null if
  /// it executes them itself.
  SimTime *processor = nullptr;
  SimTime math, copy, dma;
  MemoryPorts memory;
  SimTime loading, storing; ///< the channels of the DMA engine to the memory of the PE
  Skew skew;

  /// The time on this PE of an operation that takes \p duration on others (rule 10).
  SimTime skewed(SimTime duration) const {
    if (skew.permille == 1000)
      return duration;
    return SimTime::clamped((Wide(duration.picoseconds()) * skew.permille + 999) / 1000);
  }
};

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
  explicit SharedPes(ArrayRef<const PlacedPlan *> plans);

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
