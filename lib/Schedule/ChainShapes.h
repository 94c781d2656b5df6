//===- ChainShapes.h - Chains between the same ranks ------------*- C++ -*-===//
//
// Algorithms repeat a chain for many chunks. Which channels a chain fits depends on its pairs of
// ranks alone, and ties are never removed: a prefix that does not fit on a channel never will, and
// the prefix that was placed fits again. So the channels are tried for the first chain of a shape,
// and the others skip those that are known to be worse.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_CHAINSHAPES_H
#define CCL_LIB_SCHEDULE_CHAINSHAPES_H

#include "Transfers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <deque>

namespace cclc::schedule {

/// What is known about chains with the same pairs of ranks and the same channels to choose from.
struct ChainShape {
  ArrayRef<uint32_t> chain;   ///< the first one
  uint32_t group;             ///< of instances
  uint32_t placed = 0;        ///< the longest prefix that fits on any channel; 0: unknown
  OptionalIndex channel;      ///< that a prefix of this length was placed on
  OptionalIndex next;         ///< shape with the same hash
  std::vector<uint32_t> most; ///< by channel: no longer prefix fits

  bool mayFit(uint32_t onChannel, uint32_t length) const {
    return onChannel >= most.size() || most[onChannel] >= length;
  }
  void fits(uint32_t onChannel, uint32_t length) {
    if (onChannel >= most.size())
      most.resize(onChannel + 1, chain.size());
    most[onChannel] = length;
  }
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
    shapes.push_back({chain, group, 0, {}, first, {}});
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
