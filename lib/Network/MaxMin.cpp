//===- MaxMin.cpp - Messages as flows -------------------------------------===//
//
// Flows with the rates of FairShares. Between two changes of its rate, a flow takes no time.
//
// The flows of a connection always have equal rates, so the connection has one counter for them:
// the service that each has received since the connection was idle. A flow ends when the counter
// reaches its value at the start of the flow plus the size: the virtual time of fair queueing
// (Demers, Keshav and Shenker, SIGCOMM 1989). The next end of a flow is the minimum of a 4-ary heap
// of connections, in which a change of rate moves one entry: O(log connections).
//
// Implements rules 24, 25 and 58.
//
//===----------------------------------------------------------------------===//

#include "MaxMin.h"

#include "FairShares.h"
#include "FlowNetwork.h"
#include "HeapMoves.h"

using namespace cclc;

namespace {
/// Of `maxmin-fast`: 2^-8.
constexpr unsigned toleranceBits = 8;

class MaxMinNetwork final : public FlowNetwork {
public:
  MaxMinNetwork(const RouteTable &routes, FairShares shares)
      : FlowNetwork(routes), shares(std::move(shares)), transfers(routes.size()) {}

private:
  /// The flows on a route of a connection.
  struct Transfer : FlowsOfRoute {
    /// Service of each flow up to `since`, and the rate from then on. In picoseconds at a rate of
    /// one.
    Wide served = 0, rate = 0;
    SimTime since;
    SimTime end;         ///< end of the first flow to end
    OptionalIndex place; ///< index in the queue
  };

  uint32_t active(LinkId link) const override { return shares.active(link); }

  void beginFlow(uint32_t f, SimTime now) override {
    uint32_t c = flights[f].route;
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    Wide size = Wide(flights[f].size.count()) * 1'000'000'000'000;
    flows.add(transfer, f, transfer.served + (size << FairShares::rateBits));
    shares.add(c);
  }

  /// Updates the service up to \p now.
  static void serve(Transfer &transfer, SimTime now) {
    transfer.served += transfer.rate * (now - transfer.since).picoseconds();
    transfer.since = now;
  }

  void settleRates(SimTime now) override {
    shares.settle();
    for (uint32_t c : shares.changed())
      if (transfers[c].first)
        setRate(c, now);
    shares.forgetChanges();
  }

  void setRate(uint32_t c, SimTime now) {
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    transfer.rate = shares.rate(c);
    Wide rest = std::max(flows.firstTarget(transfer) - transfer.served, Wide(0));
    SimTime end = now + SimTime::clamped((rest + transfer.rate - 1) / transfer.rate);
    if (!transfer.place) {
      transfer.place = queue.size();
      queue.push_back(c);
    }
    moveInQueue(c, end);
  }

  SimTime nextEnd() const override {
    return queue.empty() ? SimTime::max() : transfers[queue.front()].end;
  }

  FlowsOfRoute &endFlows(SimTime now) override {
    uint32_t c = queue.front();
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    do {
      flows.endFirst(transfer);
      shares.remove(c);
    } while (transfer.first && flows.firstTarget(transfer) <= transfer.served);
    moveInQueue(c, SimTime::max());
    if (!transfer.first)
      removeFromQueue(transfer);
    return transfer;
  }

  // --- The queue -------------------------------------------------------------------------

  bool endsBefore(uint32_t a, uint32_t b) const {
    return transfers[a].end != transfers[b].end ? transfers[a].end < transfers[b].end : a < b;
  }

  void moveInQueue(uint32_t c, SimTime end) {
    transfers[c].end = end;
    moveInHeap(
        queue, c, *transfers[c].place, [&](uint32_t a, uint32_t b) { return endsBefore(a, b); },
        [&](uint32_t item, size_t at) { put(item, at); });
  }

  void put(uint32_t c, size_t at) {
    queue[at] = c;
    transfers[c].place = at;
  }

  void removeFromQueue(Transfer &transfer) {
    uint32_t last = queue.back();
    queue.pop_back();
    uint32_t at = *std::exchange(transfer.place, OptionalIndex());
    if (at < queue.size()) {
      transfers[last].place = at;
      queue[at] = last;
      moveInQueue(last, transfers[last].end);
    }
    transfer.rate = transfer.served = 0;
  }

  FairShares shares;
  std::vector<Transfer> transfers; ///< by route
  std::vector<uint32_t> queue;     ///< a heap of connections, by the end of the first flow
};
} // namespace

std::unique_ptr<NetworkModel> cclc::createMaxMinNetwork(const RouteTable &routes) {
  return std::make_unique<MaxMinNetwork>(routes, FairShares(routes));
}

std::unique_ptr<NetworkModel> cclc::createMaxMinFastNetwork(const RouteTable &routes) {
  return std::make_unique<MaxMinNetwork>(routes, FairShares(routes, toleranceBits));
}
