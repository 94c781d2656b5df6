//===- Network.h - Models of link contention --------------------*- C++ -*-===//
//
// How messages share links. A model moves one message from event to event; the
// engine keeps time.
//
//   ideal        every message has its route for itself: latency plus size over
//                the slowest link (alpha-beta)
//   cut-through  a message waits for each link to be free and occupies it for its
//                size over the link's bandwidth; the head goes on at once, and the
//                tail follows after its size over the slowest link
//   fifo         store and forward: each link carries the whole message before the
//                next one begins
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_H
#define CCL_SIM_NETWORK_H

#include "cclc/Sim/BoundPlan.h"

#include <memory>

namespace cclc {

/// A message on its way.
struct Flight {
  uint32_t connection;
  Bytes size;
  SimTime injected;
  SimTime contention; ///< time spent waiting for links
  uint32_t hop = 0;   ///< links passed
  bool arrived = false;
};

/// What a link was used for.
struct LinkUse {
  Bytes bytes;
  SimTime busy;
};

class NetworkModel {
public:
  virtual ~NetworkModel() = default;
  virtual StringRef name() const = 0;
  /// Takes \p flight on from \p now and returns when it is to be asked again, or,
  /// with flight.arrived set, when its last byte arrives.
  virtual SimTime advance(Flight &flight, SimTime now) = 0;
  ArrayRef<LinkUse> linkUse() const { return use; }

protected:
  explicit NetworkModel(const BoundPlan &plan) : plan(plan), use(plan.machine.links().size()) {}

  const BoundPlan &plan;
  std::vector<LinkUse> use;
};

/// The model called \p name, or null.
std::unique_ptr<NetworkModel> createNetwork(StringRef name, const BoundPlan &plan);
/// "cut-through, fifo, ideal".
StringRef networkNames();

} // namespace cclc

#endif // CCL_SIM_NETWORK_H
