//===- FlowNetwork.h - Messages as flows ------------------------*- C++ -*-===//
//
// What a model needs apart from the rates in which a message is delayed by the latency of its route
// and is then a flow, until all of it has been served: the lists of flows and the events at which
// flows begin and end.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_NETWORK_FLOWNETWORK_H
#define CCL_LIB_NETWORK_FLOWNETWORK_H

#include "FlowLists.h"

#include "cclc/Network/Network.h"

namespace cclc {

class FlowNetwork : public NetworkModel {
public:
  /// As if every link were divided equally between the routes with flows.
  SimTime estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const override;
  void inject(uint32_t f, SimTime now) override;
  void event(uint32_t token, SimTime now) override;

protected:
  using NetworkModel::NetworkModel;

  /// The number of routes with flows on a link.
  virtual uint32_t active(LinkId link) const = 0;
  /// Adds \p f to the flows of its route.
  virtual void beginFlow(uint32_t f, SimTime now) = 0;
  /// Computes the rates after flows have begun or ended.
  virtual void settleRates(SimTime now) = 0;
  /// When the next flow ends; max() if there is none.
  virtual SimTime nextEnd() const = 0;
  /// Ends the flows of the route with the next end. Returns the lists of the route.
  virtual FlowsOfRoute &endFlows(SimTime now) = 0;

  FlowLists flows;

private:
  static constexpr uint32_t settleToken = ~uint32_t(0), endToken = settleToken - 1;

  void begin(uint32_t f, SimTime now);
  void settleSoon(SimTime now);
  void settle(SimTime now);
  void scheduleEnd();
  void endDue(SimTime now);
  void arriveAtOnce(uint32_t f, SimTime now);
  void arrive(FlowsOfRoute &route, SimTime now);

  std::optional<SimTime> scheduled; ///< the earliest event that calls endDue()
  bool settles = false;             ///< an event to settle the rates is scheduled
};

} // namespace cclc

#endif // CCL_LIB_NETWORK_FLOWNETWORK_H
