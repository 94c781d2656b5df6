//===- ChainShapes.h - Chains between the same ranks ------------*- C++ -*-===//
//
// Algorithms repeat a chain for many chunks. Which channels a chain fits depends on its pairs of
// ranks alone, and ties are never removed: a prefix that does not fit on a channel never will, and
// the prefix that was placed fits again, without a change of the claims. So the channels are tried
// for the first chain of a shape, and the others skip those that are known to be worse.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_CHAINSHAPES_H
#define CCL_LIB_SCHEDULE_CHAINSHAPES_H

#include "Transfers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>

namespace cclc::schedule {

/// What is known about chains with the same pairs of ranks and the same channels to choose from.
struct ChainShape {
  ChainShape(ArrayRef<uint32_t> chain, uint32_t group, OptionalIndex next)
      : chain(chain), group(group), next(next) {}

  ArrayRef<uint32_t> chain; ///< the first one
  uint32_t group;           ///< of instances
  uint32_t consistent = 0;  ///< the longest prefix that fits on an empty channel; 0: unknown
  uint32_t placed = 0;      ///< the longest prefix that fits on any channel; 0: unknown
  OptionalIndex channel;    ///< that a prefix of this length was placed on
  OptionalIndex next;       ///< shape with the same hash

  bool mayFit(uint32_t onChannel, uint32_t length) const {
    return onChannel >= on.size() || on[onChannel].most >= length;
  }
  /// No prefix that is longer than \p length fits.
  void limit(uint32_t onChannel, uint32_t length) {
    uint32_t &most = channelState(onChannel).most;
    most = std::min(most, length);
  }
  bool isTied(uint32_t onChannel, uint32_t length) const {
    return onChannel < on.size() && on[onChannel].tied == length;
  }
  /// The prefix of \p length transfers is tied.
  void tie(uint32_t onChannel, uint32_t length) { channelState(onChannel).tied = length; }

private:
  struct OnChannel {
    uint32_t most; ///< no longer prefix fits
    uint32_t tied; ///< the prefix that is tied
  };
  OnChannel &channelState(uint32_t number) {
    if (number >= on.size())
      on.resize(number + 1, {uint32_t(chain.size()), 0});
    return on[number];
  }
  std::vector<OnChannel> on; ///< by channel
};

class ChainShapes {
public:
  explicit ChainShapes(const Transfers &transfers) : transfers(transfers) {}

  /// The shape of \p chain, whose transfers must remain where they are.
  ChainShape &of(ArrayRef<uint32_t> chain, uint32_t group) {
    uint64_t hash = group;
    for (uint32_t v : chain) {
      hash = (hash ^ transfers.pairOf(v)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    OptionalIndex &first = byHash[hash >> 1]; // the largest numbers are reserved
    for (OptionalIndex at = first; at; at = shapes[*at].next)
      if (isLike(shapes[*at], chain, group))
        return shapes[*at];
    shapes.emplace_back(chain, group, first);
    first = shapes.size() - 1;
    return shapes.back();
  }

private:
  bool isLike(const ChainShape &shape, ArrayRef<uint32_t> chain, uint32_t group) const {
    return shape.group == group && llvm::equal(shape.chain, chain, [&](uint32_t v, uint32_t w) {
             return transfers.pairOf(v) == transfers.pairOf(w);
           });
  }

  const Transfers &transfers;
  std::deque<ChainShape> shapes;
  llvm::DenseMap<uint64_t, OptionalIndex> byHash;
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_CHAINSHAPES_H
