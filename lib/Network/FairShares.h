//===- FairShares.h - Weighted max-min shares of links ----------*- C++ -*-===//
//
// Which rate each flow has when flows of known weight share links by weighted
// max-min fairness: the shares of all flows, rates over weights, grow together,
// and a flow stops growing when one of its links is full. So every flow has a
// bottleneck, on which no share is larger than its own.
//
// Flows of one connection have the same route, the same weight and so the same
// share; a connection counts once, with the sum of their weights.
//
// When flows come or go, only what they disturb is computed anew. What a link
// gives depends only on links that give less; so links that are no longer in
// balance are settled in the order of their shares, smallest first, and a change
// that reaches a link without making it too full or less than full ends there.
//
// Everything is an integer. Shares are rounded down, rates are rounded up to
// 2^-14 B/s, which is more than is lost before: a rate that is a whole number of
// bytes a second is exactly that. The sums on which decisions depend are exact, so
// that they do not depend on the order in which flows came.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_NETWORK_FAIRSHARES_H
#define CCL_LIB_NETWORK_FAIRSHARES_H

#include "cclc/Network/RouteTable.h"

namespace cclc {

class FairShares {
public:
  /// Fractional bits of a rate in bytes a second.
  static constexpr unsigned rateBits = 14;

  explicit FairShares(const RouteTable &routes);

  /// One flow more or less on a connection. Counts from the next settle() on.
  void add(uint32_t connection);
  void remove(uint32_t connection);
  /// Finds the shares.
  void settle();

  /// The connections whose share may have changed since the last forgetChanges(), each once.
  ArrayRef<uint32_t> changed() const { return changedOnes; }
  void forgetChanges();

  /// Of each flow of a connection that has some. At least one unit.
  Wide rate(uint32_t c) const;

private:
  /// The weight of the flows with the least latency. It is a multiple of all numbers up to 28, so
  /// that on as many equal links there is nothing to round.
  static constexpr uint64_t largestWeight = 80'313'433'200;
  /// Share times weight of a byte per second.
  static constexpr Wide unitsPerRate = Wide(largestWeight) << 20;

  static constexpr uint32_t none = ~uint32_t(0);
  static constexpr Wide unbounded = Wide(1) << 126;

  struct LinkState {
    Wide capacity;
    Wide used = 0;          ///< by all connections, with the shares that they have now
    Wide share = unbounded; ///< which no flow on it exceeds
    uint64_t weight = 0;    ///< of the connections that have their bottleneck here
    uint32_t active = 0;    ///< connections on it, the first of its part of members
    uint32_t members = 0;   ///< where its part begins
    bool marked = false;    ///< used, weight or share have changed
    bool waits = false;     ///< it is in the queue
  };
  struct ConnectionState {
    Wide share = 0;
    Wide limit = 0;      ///< no share is larger: what the slowest link alone gives
    uint64_t weight = 0; ///< of all its flows
    uint64_t unit;       ///< weight of one
    uint32_t bottleneck = none;
    uint32_t flows = 0;
    bool hasChanged = false;
  };
  /// A connection on a link, and which of its hops that is.
  struct Member {
    uint32_t connection, hop;
  };
  struct Entry {
    Wide share;
    uint32_t link;
    bool after(const Entry &other) const {
      return share != other.share ? share > other.share : link > other.link;
    }
  };

  void reweigh(uint32_t c, uint64_t weight);
  void assign(uint32_t c, uint64_t weight, uint32_t bottleneck, Wide share);
  void findBottleneck(uint32_t c, uint64_t weight);
  void enter(uint32_t c);
  void leave(uint32_t c);
  void mark(uint32_t link);
  void queueMarked(Wide least);
  void enqueue(uint32_t link, Wide share);
  Wide shareOfFull(uint32_t link, Wide least) const;
  void lower(uint32_t link, Wide share);
  void raise(uint32_t link);

  const RouteTable &routes;
  std::vector<LinkState> links;
  std::vector<ConnectionState> connections;
  std::vector<Member> members;   ///< by link
  std::vector<uint32_t> place;   ///< by hop of the routes: where in members
  std::vector<Wide> queuedShare; ///< by link: what its entry in the queue must say
  std::vector<Entry> queue;      ///< a heap, smallest share first; others are out of date
  std::vector<uint32_t> markedLinks, changedOnes;
};

} // namespace cclc

#endif // CCL_LIB_NETWORK_FAIRSHARES_H
