//===- ThreadblockOrder.h - Numbers of threadblocks -------------*- C++ -*-===//
//
// Threadblocks of a rank are numbered by channel, send peer and receive peer. In a rank that sends
// to more than two others, peers are counted from the rank on: if all ranks began with the lowest
// one, their first messages would wait for each other on its links.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SCHEDULE_THREADBLOCKORDER_H
#define CCL_SCHEDULE_THREADBLOCKORDER_H

#include "cclc/Support/Ids.h"

#include <tuple>

namespace cclc {

/// The order of the threadblocks of one rank.
class ThreadblockOrder {
public:
  /// \p peers is the number of ranks to which \p rank sends.
  ThreadblockOrder(uint32_t ranks, RankId rank, size_t peers)
      : ranks(ranks), first(peers > 2 ? rank.index() : 0) {}

  /// The sort key of a threadblock. Those without a peer come last.
  auto key(OptionalId<ChannelId> channel, OptionalId<RankId> send, OptionalId<RankId> recv) const {
    return std::tuple(channel ? (*channel).index() : 0, place(send), place(recv));
  }

private:
  uint32_t place(OptionalId<RankId> peer) const {
    return peer ? ((*peer).index() + ranks - first) % ranks : ranks;
  }
  uint32_t ranks, first;
};

} // namespace cclc

#endif // CCL_SCHEDULE_THREADBLOCKORDER_H
