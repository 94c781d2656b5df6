//===- MatchThreadblocks.h - The same threadblocks of ranks -----*- C++ -*-===//

#ifndef CCL_LIB_SYMMETRY_ROLLED_MATCHTHREADBLOCKS_H
#define CCL_LIB_SYMMETRY_ROLLED_MATCHTHREADBLOCKS_H

#include "cclc/Symmetry/Rolled/RolledPlan.h"

#include <map>
#include <tuple>

namespace cclc {

/// The threadblocks of rank 0, by the distances of their peers and the channel. The scheduler
/// numbers threadblocks by the ranks of their peers, so that they may have another order on other
/// ranks; those without peers are taken in their order.
class ThreadblockMatcher {
public:
  explicit ThreadblockMatcher(ArrayRef<RolledPlan::Threadblock> ofFirst) : size(ofFirst.size()) {
    for (uint32_t f = 0; f < size; ++f)
      numbers[{ofFirst[f].send, ofFirst[f].recv, ofFirst[f].channel}].push_back(f);
  }

  /// By threadblock of \p theirs, the number of that of rank 0; none unless each has one.
  /// \p distance gives the distance of a peer.
  template <class Distance>
  std::optional<std::vector<uint32_t>> match(ArrayRef<Threadblock> theirs,
                                             Distance distance) const {
    if (theirs.size() != size)
      return std::nullopt;
    std::vector<uint32_t> result;
    std::vector<uint32_t> taken(size); ///< by the first number of equal threadblocks
    for (const Threadblock &tb : theirs) {
      auto found = numbers.find({distance(tb.sendPeer), distance(tb.recvPeer), tb.channel});
      if (found == numbers.end())
        return std::nullopt;
      uint32_t &next = taken[found->second.front()];
      if (next == found->second.size())
        return std::nullopt;
      result.push_back(found->second[next++]);
    }
    return result;
  }

private:
  using Distance = std::optional<RolledPlan::Element>;
  size_t size;
  std::map<std::tuple<Distance, Distance, ChannelId>, std::vector<uint32_t>> numbers;
};

} // namespace cclc

#endif // CCL_LIB_SYMMETRY_ROLLED_MATCHTHREADBLOCKS_H
