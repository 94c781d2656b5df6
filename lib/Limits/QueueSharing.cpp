//===- QueueSharing.cpp - Pairs of connections in the queues of a PE ------===//
//
// The connections between two ranks are numbered by channel in each direction; the i-th ones form a
// pair, which is one context of a queue. If a group has fewer queues than contexts, context j, in
// the order of the plans and of the peers, is in queue j modulo their number.
//
// Implements rule 48, and 49 for queues.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/QueueSharing.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

QueueSharing::QueueSharing(ArrayRef<const ExecPlan *> plans, const Machine &machine)
    : uses(plans.size()) {
  if (!limitsQueues(machine) || !machine.directionQueues.multiplex)
    return;
  std::map<EndpointId, size_t> numbers;
  std::vector<std::vector<Guest>> endpoints; // in the order of plans and ranks
  for (auto [p, plan] : llvm::enumerate(plans)) {
    uses[p].sends.resize(plan->threadblocks().size());
    uses[p].receives.resize(plan->threadblocks().size());
    QueueGroups groups(plan->info(), machine);
    for (uint32_t r = 0; r < plan->ranks(); ++r) {
      EndpointId endpoint = groups.endpointOf(RankId(r));
      size_t number = numbers.try_emplace(endpoint, endpoints.size()).first->second;
      if (number == endpoints.size())
        endpoints.emplace_back();
      endpoints[number].push_back({p, queuePeersOf(*plan, groups, RankId(r))});
    }
  }
  for (const std::vector<Guest> &guests : endpoints)
    for (size_t g = 0; g < numQueueGroups; ++g)
      if (std::optional<uint32_t> limit = machine.directionQueues.number[g])
        share(guests, g, *limit);
}

/// Assigns the contexts of a group with too few queues to them in turn.
void QueueSharing::share(ArrayRef<Guest> guests, size_t group, uint32_t limit) {
  uint32_t total = 0;
  for (const Guest &guest : guests)
    for (const auto &[_, peer] : guest.peers[group])
      total += peer.queues();
  if (total <= limit)
    return;
  uint32_t context = 0, first = shared.size();
  for (uint32_t queue = 0; queue < std::min(total - limit, limit); ++queue)
    shared.push_back(queue);
  for (const Guest &guest : guests)
    for (const auto &[_, peer] : guest.peers[group]) {
      auto assign = [&](const std::map<ChannelId, uint32_t> &threadblocks,
                        std::vector<std::optional<Use>> &of) {
        for (const auto &[i, threadblock] : llvm::enumerate(threadblocks)) {
          uint32_t number = context + i, queue = number % limit;
          if (queue < total - limit) // another context has the same queue
            of[threadblock.second] = Use{first + queue, number};
        }
      };
      assign(peer.out, uses[guest.plan].sends);
      assign(peer.in, uses[guest.plan].receives);
      context += peer.queues();
    }
}
