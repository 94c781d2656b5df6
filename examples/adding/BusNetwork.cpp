//===- BusNetwork.cpp - One message at a time -----------------------------===//
//
// All links form one bus: a message waits until the previous one has arrived, and then takes its
// latency plus its size over the bandwidth of the slowest link.
//
//===----------------------------------------------------------------------===//

#include "Adding.h"

using namespace cclc;

namespace {
class BusNetwork final : public NetworkModel {
public:
  explicit BusNetwork(const RouteTable &routes) : NetworkModel(routes) {}

  void inject(uint32_t f, SimTime now) override {
    Flight &flight = flights[f];
    const Route &route = routes[flight.route];
    SimTime begin = std::max(now, freeAt);
    freeAt = begin + route.latency + transferTime(flight.size, route.bottleneck);
    flight.contention = begin - now; // the critical path attributes this time to contention
    useRoute(flight);
    if (observed)
      reportRoute(flight, begin, freeAt);
    arrives(f, freeAt);
  }
  void event(uint32_t, SimTime) override {} // never scheduled

private:
  SimTime freeAt;
};
} // namespace

std::unique_ptr<NetworkModel> cclc::createBusNetwork(const RouteTable &routes) {
  return std::make_unique<BusNetwork>(routes);
}
