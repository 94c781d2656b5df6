//===- QueueSharing.h - Connections that share queues -----------*- C++ -*-===//
//
// If the plans on a machine need more direction queues of a PE than it has, and it permits this,
// their connections share queues. Plans whose ranks are on the same PE share its queues, too. Rules
// 48 and 49 of docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_QUEUESHARING_H
#define CCL_LIMITS_QUEUESHARING_H

#include "cclc/Limits/PlanQueues.h"

namespace cclc {

class QueueSharing {
public:
  /// A queue that several connections share, and the number of the pair of connections in it.
  struct Use {
    uint32_t queue, context;
  };
  /// Of the connections on which the threadblocks of a plan send and receive; empty if no queue is
  /// shared.
  struct PlanUses {
    std::vector<std::optional<Use>> sends, receives;
  };

  QueueSharing(ArrayRef<const ExecPlan *> plans, const Machine &machine);

  /// By shared queue: the pair of connections in it when the plans are launched.
  ArrayRef<uint32_t> queues() const { return shared; }
  const PlanUses &of(size_t plan) const { return uses[plan]; }

private:
  /// The peers of a rank of a plan.
  struct Guest {
    size_t plan;
    QueuePeers peers;
  };
  void share(ArrayRef<Guest> guests, size_t group, uint32_t limit);

  std::vector<uint32_t> shared;
  std::vector<PlanUses> uses; ///< by plan
};

} // namespace cclc

#endif // CCL_LIMITS_QUEUESHARING_H
