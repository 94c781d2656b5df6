#include "cclc/Mscclpp/Lift/Nodes.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace cclc::mscclpp {

std::optional<uint32_t> ranksPerNode(const Plan &plan) {
  uint32_t ranks = plan.ranks().size();
  llvm::IntEqClasses nodes(ranks);
  bool hasPorts = false;
  for (uint32_t r = 0; r < ranks; ++r) {
    const Rank &rank = plan.ranks()[r];
    hasPorts |= !plan.channels(rank, ChannelKind::Port).empty();
    for (RankId peer : plan.channels(rank, ChannelKind::Memory))
      nodes.join(r, peer.index());
    for (const SwitchChannel &channel : plan.switches(rank))
      for (RankId member : plan.members(channel))
        nodes.join(r, member.index());
    for (const RemoteBuffer &remote : plan.remotes(rank))
      if (remote.byMemory)
        nodes.join(r, remote.rank.index());
  }
  if (!hasPorts)
    return ranks;
  // Classes are numbered in the order of their first ranks.
  nodes.compress();
  uint32_t size = ranks / nodes.getNumClasses();
  bool isRegular =
      llvm::all_of(llvm::seq(0u, ranks), [&](uint32_t r) { return nodes[r] == r / size; });
  return isRegular ? std::optional(size) : std::nullopt;
}

} // namespace cclc::mscclpp
