//===- FairShares.h - Weighted max-min shares of links ----------*- C++ -*-===//
//
// Computes the rates of flows with given weights that share links by weighted max-min fairness: the
// shares of all flows, that is, rate over weight, grow together, and the share of a flow stops
// growing when one of its links is full. So every flow has a bottleneck link, on which no share is
// larger than its own.
//
// Flows of one connection have the same route, the same weight and so the same share; a connection
// is one entry with the sum of their weights. A connection whose messages choose between several
// routes has one entry for each of them.
//
// When flows begin or end, only the affected shares are recomputed. The share of a link depends
// only on links with smaller shares, so links that are out of balance are settled in the order of
// their shares, smallest first, and the propagation ends at links that remain exactly full.
//
// With a tolerance, a link is out of balance only if its use differs from its capacity by more than
// this fraction. Most flows that begin or end on a link with many others then change no other
// share: a new flow has the smallest share of its links. The link is settled once for many of them.
//
// All numbers are integers. Shares are rounded down and rates are rounded up to 2^-14 B/s, which is
// more than the error of the share, so that an integral rate in bytes per second is exact. The sums
// on which decisions depend are exact, so they do not depend on the order in which flows began.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_NETWORK_FAIRSHARES_H
#define CCL_LIB_SIM_NETWORK_FAIRSHARES_H

#include "LinkMembers.h"

namespace cclc {

class FairShares {
public:
  /// Fractional bits of a rate in bytes per second.
  static constexpr unsigned rateBits = 14;

  /// The tolerance is one of \p parts of a capacity; none by default.
  explicit FairShares(const RouteTable &routes, std::optional<uint32_t> parts = {});

  /// Adds or removes a flow of a connection. Takes effect at the next settle().
  void add(uint32_t connection);
  void remove(uint32_t connection);
  /// Recomputes the shares.
  void settle();

  /// The connections whose share may have changed since the last forgetChanges(), each once.
  ArrayRef<uint32_t> changed() const { return changedOnes; }
  void forgetChanges();

  /// The rate of each flow of a connection that has flows. At least one unit.
  Wide rate(uint32_t c);
  /// The number of connections with flows on a link.
  uint32_t active(LinkId link) const { return members.of(link.index()).size(); }

private:
  /// The weight of the flows with the least latency. It is a multiple of all numbers up to 28, so
  /// that routes of up to 28 equal links need no rounding.
  static constexpr uint64_t largestWeight = 80'313'433'200;
  /// Share times weight for one byte per second.
  static constexpr Wide unitsPerRate = Wide(largestWeight) << 20;

  static constexpr Wide unbounded = Wide(1) << 126;

  struct LinkState {
    Wide capacity;
    Wide ignored;           ///< difference between used and capacity that is no imbalance
    Wide used = 0;          ///< bandwidth used by all connections at their current shares
    Wide share = unbounded; ///< upper bound of the shares on the link
    uint64_t weight = 0;    ///< of the connections whose bottleneck it is
    bool marked = false;    ///< used, weight or share have changed
    bool waits = false;     ///< the link is in the queue
  };
  struct ConnectionState {
    Wide share = 0;
    Wide limit = 0;           ///< upper bound of its share, given by its slowest link alone
    uint64_t weight = 0;      ///< total weight of its flows
    uint64_t unit;            ///< weight of one flow
    OptionalIndex bottleneck; ///< the link that limits its share
    uint32_t flows = 0;
    bool hasChanged = false;
  };
  /// The rate of a flow with a share and a weight. The flows of a settled link have equal ones.
  struct Rate {
    Wide share = 0;
    uint64_t unit = 0;
    Wide fair = 0;
  };
  struct Entry {
    Wide share;
    uint32_t link;
    bool after(const Entry &other) const {
      return share != other.share ? share > other.share : link > other.link;
    }
  };

  void reweigh(uint32_t c, uint64_t weight);
  void assign(uint32_t c, uint64_t weight, OptionalIndex bottleneck, Wide share);
  void findBottleneck(uint32_t c, uint64_t weight);
  void mark(uint32_t link);
  void queueMarked(Wide least);
  static bool isOverloaded(const LinkState &link) {
    return link.used > link.capacity + link.ignored;
  }
  void enqueue(uint32_t link, Wide share);
  Wide shareOfFull(uint32_t link, Wide least) const;
  void lower(uint32_t link, Wide share);
  void raise(uint32_t link);

  const RouteTable &routes;
  std::vector<LinkState> links;
  std::vector<ConnectionState> connections;
  LinkMembers members;           ///< the connections with flows
  std::vector<Wide> queuedShare; ///< by link: the share of its valid entry in the queue
  std::vector<Entry> queue;      ///< a heap, smallest share first; may contain stale entries
  std::vector<uint32_t> markedLinks, changedOnes;
  Rate lastRate; ///< the last one that was computed
};

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_FAIRSHARES_H
