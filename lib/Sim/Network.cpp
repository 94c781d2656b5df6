#include "cclc/Sim/Network.h"

#include "MaxMinNetwork.h"
#include "PerFlitNetwork.h"

using namespace cclc;

uint32_t NetworkModel::create(uint32_t connection, Bytes size, SimTime injected, uint64_t sender) {
  uint32_t f = flights.size();
  if (freeFlights.empty()) {
    flights.emplace_back();
  } else {
    f = freeFlights.back();
    freeFlights.pop_back();
  }
  // Field by field: copying a whole one waits until its parts have left the store buffer, which
  // is full when data move.
  Flight &flight = flights[f];
  flight.connection = connection;
  flight.hop = 0;
  flight.size = size;
  flight.injected = injected;
  flight.contention = SimTime();
  flight.sender = sender;
  return f;
}

void NetworkModel::useRoute(const Flight &flight) {
  const BoundConnection &connection = plan.bound[flight.connection];
  for (uint32_t i = connection.routeBegin; i < connection.routeEnd; ++i) {
    LinkUse &u = use[plan.routes[i].index()];
    u.bytes += flight.size;
    u.busy += transferTime(flight.size, plan.machine.link(plan.routes[i]).bandwidth);
  }
}

void NetworkModel::reportRoute(const Flight &flight, SimTime begin, SimTime end) {
  const BoundConnection &connection = plan.bound[flight.connection];
  for (uint32_t i = connection.routeBegin; i < connection.routeEnd; ++i)
    host->linkBusy(plan.routes[i], flight.size, begin, end);
}

namespace {
class IdealNetwork final : public NetworkModel {
public:
  explicit IdealNetwork(const BoundPlan &plan) : NetworkModel(plan) {}
  StringRef name() const override { return "ideal"; }

  void start(uint32_t f, SimTime now) override {
    const Flight &flight = flights[f];
    const BoundConnection &connection = plan.bound[flight.connection];
    useRoute(flight);
    SimTime duration = transferTime(flight.size, connection.bottleneck);
    if (observed)
      reportRoute(flight, now, now + duration);
    host->arrives(f, now + connection.latency + duration);
  }
  void event(uint32_t, SimTime) override {}
};

/// Two models make a message wait for its next link.
class QueueingNetwork : public NetworkModel {
public:
  void start(uint32_t f, SimTime now) override { event(f, now); }

protected:
  explicit QueueingNetwork(const BoundPlan &plan)
      : NetworkModel(plan), freeAt(plan.machine.links().size()) {}

  struct Crossing {
    SimTime start;      ///< when the link was free
    SimTime occupancy;  ///< for how long it is taken
    SimTime headBehind; ///< propagation and the overhead of the node behind it
    bool last;          ///< of its route
  };

  Crossing cross(Flight &flight, SimTime now) {
    const BoundConnection &connection = plan.bound[flight.connection];
    LinkId id = plan.routes[connection.routeBegin + flight.hop++];
    const Link &link = plan.machine.link(id);
    SimTime start = std::max(now, freeAt[id.index()]);
    SimTime occupancy = timeOf(flight.size, link.bandwidth);
    freeAt[id.index()] = start + occupancy;
    flight.contention += start - now;
    LinkUse &u = use[id.index()];
    u.bytes += flight.size;
    u.busy += occupancy;
    u.longestWait = std::max(u.longestWait, start - now);
    if (observed)
      host->linkBusy(id, flight.size, start, start + occupancy);
    return {start, occupancy, plan.machine.latency(link),
            connection.routeBegin + flight.hop == connection.routeEnd};
  }

  /// transferTime, whose division most messages have in common.
  SimTime timeOf(Bytes size, Bandwidth rate) {
    if (size != lastSize || rate != lastRate) {
      lastSize = size;
      lastRate = rate;
      lastTime = transferTime(size, rate);
    }
    return lastTime;
  }

private:
  std::vector<SimTime> freeAt; ///< by link
  Bytes lastSize;
  Bandwidth lastRate;
  SimTime lastTime;
};

class CutThroughNetwork final : public QueueingNetwork {
public:
  explicit CutThroughNetwork(const BoundPlan &plan) : QueueingNetwork(plan) {}
  StringRef name() const override { return "cut-through"; }

  void event(uint32_t f, SimTime now) override {
    Flight &flight = flights[f];
    Crossing crossing = cross(flight, now);
    SimTime head = crossing.start + crossing.headBehind;
    if (crossing.last)
      host->arrives(f, head + timeOf(flight.size, plan.bound[flight.connection].bottleneck));
    else
      host->schedule(head, f);
  }
};

class FifoNetwork final : public QueueingNetwork {
public:
  explicit FifoNetwork(const BoundPlan &plan) : QueueingNetwork(plan) {}
  StringRef name() const override { return "fifo"; }

  void event(uint32_t f, SimTime now) override {
    Crossing crossing = cross(flights[f], now);
    SimTime tail = crossing.start + crossing.occupancy + crossing.headBehind;
    if (crossing.last)
      host->arrives(f, tail);
    else
      host->schedule(tail, f);
  }
};
} // namespace

LogicalResult cclc::checkNetwork(StringRef name, DiagnosticEngine &diags) {
  SmallVector<StringRef, 8> names;
  networkNames().split(names, ", ");
  if (llvm::is_contained(names, name))
    return success();
  return diags.error({}, "unknown network '" + name + "'; there are " + networkNames());
}

std::unique_ptr<NetworkModel> cclc::createNetwork(StringRef name, const BoundPlan &plan) {
  if (name == "ideal")
    return std::make_unique<IdealNetwork>(plan);
  if (name == "cut-through")
    return std::make_unique<CutThroughNetwork>(plan);
  if (name == "fifo")
    return std::make_unique<FifoNetwork>(plan);
  if (name == "maxmin")
    return createMaxMinNetwork(plan);
  if (name == "per-flit")
    return createPerFlitNetwork(plan);
  return nullptr;
}

StringRef cclc::networkNames() { return "cut-through, fifo, ideal, maxmin, per-flit"; }
