//===- Network.h - Models of link contention --------------------*- C++ -*-===//
//
// How messages share links. The engine hands a message over when its sender puts
// it into the network; the model schedules whatever events it needs and says when
// the last byte is at the receiver. Network.cpp has the table of models.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_NETWORK_NETWORK_H
#define CCL_NETWORK_NETWORK_H

#include "cclc/Network/RouteTable.h"
#include "cclc/Support/Diagnostics.h"

#include <memory>
#include <string>

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
  explicit NetworkModel(const RouteTable &routes)
      : routes(routes), use(routes.machine.links().size()) {}

  /// Books \p flight on every link of its route, where links do not queue.
  void useRoute(const Flight &flight);
  /// The same for the host, once it is known when its bytes move.
  void reportRoute(const Flight &flight, SimTime begin, SimTime end);

  const RouteTable &routes;
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
std::unique_ptr<NetworkModel> createNetwork(StringRef name, const RouteTable &routes);
/// Joined by commas, for help texts and messages.
std::string networkNames();

} // namespace cclc

#endif // CCL_NETWORK_NETWORK_H
