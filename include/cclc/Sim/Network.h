//===- Network.h - Models of link contention --------------------*- C++ -*-===//
//
// How messages share links. The engine hands a message over when its sender puts
// it into the network; the model schedules whatever events it needs and says when
// the last byte is at the receiver.
//
//   ideal        every message has its route for itself: latency plus size over
//                the slowest link (alpha-beta)
//   cut-through  a message waits for each link to be free and occupies it for its
//                size over the link's bandwidth; the head goes on at once, and the
//                tail follows after its size over the slowest link
//   fifo         store and forward: each link carries the whole message before the
//                next one begins
//   maxmin       a message is a flow over all of its route at once, and flows divide
//                the bandwidth of links by weighted max-min fairness (fluid model)
//   per-flit     a message is cut into flits, which links pass on one by one
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
  uint32_t hop; ///< links passed
  Bytes size;
  SimTime injected;
  SimTime contention; ///< time by which other messages have held it up
  uint64_t sender;    ///< for the engine: which execution of a step has sent it
};

/// What a link was used for.
struct LinkUse {
  Bytes bytes;
  SimTime busy;
  /// The longest time that a message had to wait until the link was free; flows do not wait.
  SimTime longestWait;
};

/// What a network model asks of the simulation.
class NetworkHost {
public:
  /// Calls event(\p token, \p at) of the model when \p at, not in the past, is now.
  virtual void schedule(SimTime at, uint32_t token) = 0;
  /// The last byte of \p flight reaches its receiver \p at, now or later. Called for the flights
  /// of a connection in the order of their starts.
  virtual void arrives(uint32_t flight, SimTime at) = 0;
  /// Of an observed model: \p bytes pass over \p link between \p begin and \p end.
  virtual void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
    (void)link, (void)bytes, (void)begin, (void)end;
  }

protected:
  ~NetworkHost() = default;
};

class NetworkModel {
public:
  virtual ~NetworkModel() = default;
  virtual StringRef name() const = 0;

  /// Before the first message; \p host has to live as long as messages fly. Only an observed
  /// model tells it what each link carries.
  void attach(NetworkHost &newHost, bool isObserved = false) {
    host = &newHost;
    observed = isObserved;
  }
  /// A new flight, which start() brings on its way.
  uint32_t create(uint32_t connection, Bytes size, SimTime injected, uint64_t sender);
  virtual void start(uint32_t flight, SimTime now) = 0;
  virtual void event(uint32_t token, SimTime now) = 0;
  const Flight &flight(uint32_t f) const { return flights[f]; }
  /// The engine has no more use for a flight that has arrived.
  void release(uint32_t f) { freeFlights.push_back(f); }

  ArrayRef<LinkUse> linkUse() const { return use; }

protected:
  explicit NetworkModel(const BoundPlan &plan) : plan(plan), use(plan.machine.links().size()) {}

  /// Books \p flight on every link of its route, where links do not queue.
  void useRoute(const Flight &flight);
  /// The same for the host, once it is known when its bytes move.
  void reportRoute(const Flight &flight, SimTime begin, SimTime end);

  const BoundPlan &plan;
  NetworkHost *host = nullptr;
  bool observed = false;
  std::vector<Flight> flights;
  std::vector<LinkUse> use; ///< by link

private:
  std::vector<uint32_t> freeFlights;
};

/// Reports where no model is called \p name.
LogicalResult checkNetwork(StringRef name, DiagnosticEngine &diags);
/// The model called \p name, or null.
std::unique_ptr<NetworkModel> createNetwork(StringRef name, const BoundPlan &plan);
/// "cut-through, fifo, ideal, maxmin, per-flit".
StringRef networkNames();

} // namespace cclc

#endif // CCL_SIM_NETWORK_H
