#include "Handshakes.h"

namespace cclc::mscclpp {

/// Propagates sets of ranks along the messages of one run of the plan.
std::vector<llvm::BitVector> ranksKnownToHaveBegun(const ExecPlan &plan,
                                                   const ConnectionTable &connections,
                                                   PlanControlFlow &runner) {
  uint32_t size = plan.ranks();
  std::vector<llvm::BitVector> known(size, llvm::BitVector(size));
  std::vector<std::vector<llvm::BitVector>> messages(connections.size());
  std::vector<size_t> taken(connections.size());
  runner.run(Slots::unlimited(), [&](PlanThreadblockId t, StepId s) {
    const cclc::OpTraits &does = cclc::traits(plan.steps()[s.index()].op);
    RankId rank = plan.threadblocks()[t.index()].rank;
    llvm::BitVector carried(size);
    carried.set(rank.index());
    if (does.receives)
      for (ConnectionId connection : connections.recvsOf(t.index())) {
        uint32_t c = connection.index();
        carried |= messages[c][taken[c]];
        messages[c][taken[c]++].clear();
        known[rank.index()] |= carried;
      }
    if (does.sends)
      for (ConnectionId connection : connections.sendsOf(t.index()))
        messages[connection.index()].push_back(carried);
  });
  return known;
}

} // namespace cclc::mscclpp
