//===- PlanQueues.h - The direction queues that a plan needs ----*- C++ -*-===//
//
// Every connection uses a queue of the sender and one of the receiver, which belong to the group of
// their direction. A queue has one peer and contains one connection each way, so that a rank needs
// as many queues for a peer as there are connections to it or from it, whichever are more. If the
// machine has fewer, connections may share them (QueueSharing.h). Rule 47 of docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_PLANQUEUES_H
#define CCL_LIMITS_PLANQUEUES_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Limits/Constraints.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/Machine.h"

#include <array>
#include <map>
#include <vector>

namespace cclc {

/// The group of the queues that join two ranks: that of the direction in the plan's neighbour
/// table, otherwise that of their places in the machine.
class QueueGroups {
public:
  QueueGroups(const ProgramInfo &info, const Machine &machine);
  QueueGroup of(RankId rank, RankId peer) const {
    return of(rank, peer, endpointOf(rank), endpointOf(peer));
  }
  /// The same if the ranks are placed at these endpoints.
  QueueGroup of(RankId rank, RankId peer, EndpointId at, EndpointId peerAt) const;
  EndpointId endpointOf(RankId rank) const;

private:
  const Machine &machine;
  std::vector<uint32_t> placement; ///< by rank; empty: ranks run on the first endpoints
  std::map<std::pair<RankId, RankId>, QueueGroup> named;
};

/// Threadblocks of the connections of a rank with a peer, by channel.
struct QueuePeer {
  std::map<ChannelId, uint32_t> out, in;
  uint32_t queues() const { return std::max(out.size(), in.size()); }
};
/// The peers of a rank, by QueueGroup.
using QueuePeers = std::array<std::map<RankId, QueuePeer>, numQueueGroups>;
QueuePeers queuePeersOf(const ExecPlan &plan, const QueueGroups &groups, RankId rank);

/// Whether connections take direction queues on \p machine, of which at least one group is limited.
bool limitsQueues(const Machine &machine);

/// The rule that limits the queues of a group.
Rule queueRule(QueueGroup group);

/// The queues that a rank needs in a group, of which it has a limited number.
struct QueueNeed {
  RankId rank;
  QueueGroup group;
  std::vector<uint32_t> ofPeers; ///< queues for each peer
  uint32_t total = 0;
  uint32_t limit = 0;

  /// "1 channel fits (cclc --max-channels 1)": the channels, or else the peers, that have queues,
  /// and the option of the plan with \p info that sets their number.
  std::string remedy(const ProgramInfo &info) const;
};

class PlanQueues {
public:
  /// If the queues of \p machine are not limited, no group needs any.
  PlanQueues(const ExecPlan &plan, const Machine &machine);

  /// Reports the first rank that needs more queues than it has, unless they may be shared.
  LogicalResult check(DiagnosticEngine &diags) const;
  /// The need of the rank that needs most, for every group of which queues are needed.
  std::vector<QueueNeed> busiest() const;

  /// The queues of \p group that \p rank needs.
  uint32_t needed(RankId rank, QueueGroup group) const;

private:
  void addRank(const ExecPlan &plan, RankId rank);
  std::string where(const QueueNeed &need) const;

  const Machine &machine;
  const ProgramInfo &info;
  QueueGroups groups;
  std::vector<QueueNeed> needs; ///< by rank, then group; limited ones only
};

} // namespace cclc

#endif // CCL_LIMITS_PLANQUEUES_H
