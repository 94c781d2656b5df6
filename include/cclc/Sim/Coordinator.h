//===- Coordinator.h - Engines that share a network -------------*- C++ -*-===//
//
// Plans that share a network have engines of their own, each with a queue of events, which take
// turns in the order of their events. Events of the network are in the queue of the engine whose
// event caused them, so that a plan that shares nothing has the same events in the same order as
// alone (docs/machine-model.md, rules 49 and M11).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_COORDINATOR_H
#define CCL_SIM_COORDINATOR_H

#include "cclc/Sim/ConcurrentPlans.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>

namespace cclc {

/// An engine has begin(), next(), which is the time of its next event if there is one, step(),
/// schedule(), arrivesAt() and finish().
template <class PlanEngine> class Coordinator final : NetworkHost {
public:
  Coordinator(StringRef networkName, const RouteTable &routes)
      : network(createNetwork(networkName, routes)) {
    network->attach(*this);
  }
  NetworkModel &sharedNetwork() { return *network; }
  /// Adds the engine of a plan that starts at \p start. Its connections are numbered in the network
  /// from \p firstConnection on, after those of the plans before it.
  void add(std::unique_ptr<PlanEngine> engine, uint32_t firstConnection, SimTime start) {
    engines.push_back({std::move(engine), firstConnection, start});
  }

  ConcurrentResult run(llvm::function_ref<void()> onEvent) {
    for (Member &member : engines)
      member.engine->begin();
    for (; findNext(); onEvent())
      current->step();
    ConcurrentResult result;
    for (Member &member : engines) {
      result.plans.push_back(member.engine->finish());
      result.end = std::max(result.end, member.start + result.plans.back().time);
    }
    result.links = network->linkUse();
    return result;
  }

private:
  struct Member {
    std::unique_ptr<PlanEngine> engine;
    uint32_t firstConnection;
    SimTime start;
  };
  /// Finds the engine with the next event, of several the first one. Returns whether there is one.
  bool findNext() {
    current = nullptr;
    for (Member &member : engines)
      if (std::optional<SimTime> next = member.engine->next(); next && (!current || *next < now)) {
        current = member.engine.get();
        now = *next;
      }
    return current;
  }
  void schedule(SimTime at, uint32_t token) override { current->schedule(at, token); }
  void arrives(uint32_t flight, SimTime at) override {
    uint32_t connection = network->flight(flight).connection;
    auto isBefore = [](uint32_t number, const Member &member) {
      return number < member.firstConnection;
    };
    auto after = std::upper_bound(engines.begin(), engines.end(), connection, isBefore);
    std::prev(after)->engine->arrivesAt(flight, at, now);
  }

  std::unique_ptr<NetworkModel> network;
  std::vector<Member> engines;
  PlanEngine *current = nullptr; ///< whose event is executed
  SimTime now;
};

} // namespace cclc

#endif // CCL_SIM_COORDINATOR_H
