#include "cclc/Sim/Network.h"

using namespace cclc;

namespace {
class IdealNetwork : public NetworkModel {
public:
  explicit IdealNetwork(const BoundPlan &plan) : NetworkModel(plan) {}
  StringRef name() const override { return "ideal"; }

  SimTime advance(Flight &flight, SimTime now) override {
    const BoundConnection &connection = plan.bound[flight.connection];
    for (uint32_t i = connection.routeBegin; i < connection.routeEnd; ++i) {
      LinkUse &u = use[plan.routes[i].index()];
      u.bytes += flight.size;
      u.busy += transferTime(flight.size, plan.machine.link(plan.routes[i]).bandwidth);
    }
    flight.arrived = true;
    return now + connection.latency + transferTime(flight.size, connection.bottleneck);
  }
};

/// Both remaining models make a message wait for its next link.
class QueueingNetwork : public NetworkModel {
protected:
  explicit QueueingNetwork(const BoundPlan &plan)
      : NetworkModel(plan), freeAt(plan.machine.links().size()) {}

  struct Crossing {
    SimTime start;      ///< when the link was free
    SimTime occupancy;  ///< for how long it is taken
    SimTime headBehind; ///< propagation and the overhead of the node behind it
  };

  Crossing cross(Flight &flight, SimTime now) {
    const BoundConnection &connection = plan.bound[flight.connection];
    LinkId id = plan.routes[connection.routeBegin + flight.hop++];
    const Link &link = plan.machine.link(id);
    SimTime start = std::max(now, freeAt[id.index()]);
    SimTime occupancy = transferTime(flight.size, link.bandwidth);
    freeAt[id.index()] = start + occupancy;
    flight.contention += start - now;
    LinkUse &u = use[id.index()];
    u.bytes += flight.size;
    u.busy += occupancy;
    return {start, occupancy, link.propagation + plan.machine.nodes()[link.to.index()].overhead};
  }

  bool isLast(const Flight &flight) const {
    const BoundConnection &connection = plan.bound[flight.connection];
    return connection.routeBegin + flight.hop == connection.routeEnd;
  }

private:
  std::vector<SimTime> freeAt; ///< by link
};

class CutThroughNetwork : public QueueingNetwork {
public:
  explicit CutThroughNetwork(const BoundPlan &plan) : QueueingNetwork(plan) {}
  StringRef name() const override { return "cut-through"; }

  SimTime advance(Flight &flight, SimTime now) override {
    Crossing crossing = cross(flight, now);
    SimTime head = crossing.start + crossing.headBehind;
    if (!isLast(flight))
      return head;
    flight.arrived = true;
    return head + transferTime(flight.size, plan.bound[flight.connection].bottleneck);
  }
};

class FifoNetwork : public QueueingNetwork {
public:
  explicit FifoNetwork(const BoundPlan &plan) : QueueingNetwork(plan) {}
  StringRef name() const override { return "fifo"; }

  SimTime advance(Flight &flight, SimTime now) override {
    Crossing crossing = cross(flight, now);
    flight.arrived = isLast(flight);
    return crossing.start + crossing.occupancy + crossing.headBehind;
  }
};
} // namespace

std::unique_ptr<NetworkModel> cclc::createNetwork(StringRef name, const BoundPlan &plan) {
  if (name == "ideal")
    return std::make_unique<IdealNetwork>(plan);
  if (name == "cut-through")
    return std::make_unique<CutThroughNetwork>(plan);
  if (name == "fifo")
    return std::make_unique<FifoNetwork>(plan);
  return nullptr;
}

StringRef cclc::networkNames() { return "cut-through, fifo, ideal"; }
