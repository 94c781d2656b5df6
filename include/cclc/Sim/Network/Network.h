//===- Network.h - Models of link contention --------------------*- C++ -*-===//
//
// Models of messages that share links. The engine passes a message to the model when its sender
// injects it; the model schedules its own events and reports when the last byte reaches the
// receiver. Network.cpp has the table of models.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_NETWORK_H
#define CCL_SIM_NETWORK_NETWORK_H

#include "cclc/Sim/Network/RouteTable.h"
#include "cclc/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <string>

namespace cclc {

/// A message in flight.
struct Flight {
  uint32_t connection;
  uint32_t route; ///< in the route table
  uint32_t hop;   ///< number of links passed
  Bytes size;
  SimTime injected;
  SimTime contention; ///< delay by other messages
  uint64_t sender;    ///< for the engine: the execution of a step that sent it
};

/// The use of a link.
struct LinkUse {
  Bytes bytes;
  SimTime busy;
  /// The longest time that a message waited for the link; flows do not wait.
  SimTime longestWait;
};

/// The interface of the simulator to network models.
class NetworkHost {
public:
  /// Calls event(\p token, \p at) of the model at time \p at, which must not be in the past.
  virtual void schedule(SimTime at, uint32_t token) = 0;
  /// The last byte of \p flight reaches its receiver \p at, now or later. Called for the flights
  /// of a connection in the order of their starts.
  virtual void arrives(uint32_t flight, SimTime at) = 0;
  /// Called by an observed model: \p bytes pass over \p link between \p begin and \p end.
  virtual void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
    (void)link, (void)bytes, (void)begin, (void)end;
  }

protected:
  ~NetworkHost() = default;
};

class NetworkModel {
public:
  virtual ~NetworkModel() = default;

  /// Must be called before the first message; \p host must outlive all flights. Only an observed
  /// model calls linkBusy().
  void attach(NetworkHost &newHost, bool isObserved = false) {
    host = &newHost;
    observed = isObserved;
  }
  /// Creates a flight, which start() injects.
  uint32_t create(uint32_t connection, Bytes size, SimTime injected, uint64_t sender) {
    uint32_t f = flights.size();
    if (freeFlights.empty()) {
      flights.emplace_back();
    } else {
      f = freeFlights.back();
      freeFlights.pop_back();
    }
    // Assigned field by field: copying a whole struct would stall on store forwarding while the
    // store buffer is full.
    Flight &flight = flights[f];
    flight.connection = flight.route = connection;
    flight.hop = 0;
    flight.size = size;
    flight.injected = injected;
    flight.contention = SimTime();
    flight.sender = sender;
    return f;
  }
  void start(uint32_t flight, SimTime now) {
    if (routes.hasChoices())
      chooseRoute(flight, now);
    inject(flight, now);
  }
  virtual void event(uint32_t token, SimTime now) = 0;
  const Flight &flight(uint32_t f) const { return flights[f]; }
  /// Frees a flight that has arrived.
  void release(uint32_t f) { freeFlights.push_back(f); }

  virtual std::vector<LinkUse> linkUse() const { return use; }

protected:
  explicit NetworkModel(const RouteTable &routes)
      : routes(routes), use(routes.machine.links().size()),
        adaptive(routes.hasChoices() && routes.machine.routingRule() == RoutingRule::Adaptive),
        sequences(routes.choosingConnections()) {}

  /// Moves a flight onto its route.
  virtual void inject(uint32_t flight, SimTime now) = 0;
  /// The arrival of a message of \p size that is \p now at the beginning of \p links, the rest of a
  /// route, with the present queues. Ideal: there are none.
  virtual SimTime estimate(ArrayRef<LinkId> /*links*/, Bytes /*size*/, SimTime now) const {
    return now;
  }
  /// The same for links that serve messages in order, each of which is free at a given time.
  SimTime arrivalOf(ArrayRef<LinkId> links, Bytes size, SimTime now,
                    llvm::function_ref<SimTime(LinkId)> freeAt) const;
  /// With adaptive routing, selects the fastest of the routes that begin with the links that the
  /// flight has passed.
  void adapt(uint32_t flight, SimTime now) {
    if (adaptive)
      selectFastest(flight, now);
  }
  /// Reports the arrival of a flight, after those that its connection started before it.
  void arrives(uint32_t flight, SimTime at) {
    if (routes.hasChoices())
      arrivesInSequence(flight, at);
    else
      host->arrives(flight, at);
  }

  /// Counts \p flight on every link of its route, in models without queues.
  void useRoute(const Flight &flight);
  /// Reports the same to the host when the times of its bytes are known.
  void reportRoute(const Flight &flight, SimTime begin, SimTime end);

  const RouteTable &routes;
  NetworkHost *host = nullptr;
  bool observed = false;
  std::vector<Flight> flights;
  std::vector<LinkUse> use; ///< by link

private:
  /// The flights of a connection whose messages choose between routes.
  struct Sequence {
    uint32_t started = 0, arrived = 0; ///< numbers of flights
    SimTime lastArrival;
    std::map<uint32_t, std::pair<uint32_t, SimTime>> early; ///< by number: flight and its arrival
  };
  void chooseRoute(uint32_t flight, SimTime now);
  void selectFastest(uint32_t flight, SimTime now);
  void arrivesInSequence(uint32_t flight, SimTime at);

  bool adaptive;
  std::vector<uint32_t> freeFlights;
  std::vector<Sequence> sequences; ///< by connection
  std::vector<uint32_t> numbers;   ///< by flight: its number in its connection
};

/// Reports an error if there is no model \p name.
LogicalResult checkNetwork(StringRef name, DiagnosticEngine &diags);
/// Creates the model \p name; null if there is none.
std::unique_ptr<NetworkModel> createNetwork(StringRef name, const RouteTable &routes);
/// The names of the models separated by commas, for help texts and messages.
std::string networkNames();

} // namespace cclc

#endif // CCL_SIM_NETWORK_NETWORK_H
