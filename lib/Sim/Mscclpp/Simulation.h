//===- Simulation.h - The engine of MSCCL++ plans ---------------*- C++ -*-===//
//
// Simulation.cpp has the threadblocks and their waits, Movements.cpp the loads and stores of a
// slice, Proxies.cpp the transfers of port channels.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_MSCCLPP_SIMULATION_H
#define CCL_LIB_SIM_MSCCLPP_SIMULATION_H

#include "State.h"

#include "cclc/Mscclpp/Proof/Counters.h"
#include "cclc/Mscclpp/Proof/Groups.h"
#include "cclc/Sim/Mscclpp/Simulate.h"
#include "cclc/Sim/Network/EventQueue.h"

namespace cclc::mscclpp {

/// The part of a network that a plan has, which others may use at the same time.
struct NetworkShare {
  uint32_t firstRoute = 0; ///< of the plan, in the network
  SimTime start = {};      ///< of the launch, in the time of the network
};

/// Its times are relative to the launch.
class Simulation final : private NetworkHost {
public:
  Simulation(const PlacedPlan &placed, const SizedPlan &sized, NetworkModel &network,
             const RunOptions &options, NetworkShare share = {});
  /// Simulates this plan alone.
  SimResult run();

  // Of several plans, one after the other executes its next event; times are those of the network.
  void begin();
  std::optional<SimTime> next() const {
    return queue.empty() ? std::nullopt : std::optional(queue.nextTime() + share.start);
  }
  void step();
  SimResult finish();
  void schedule(SimTime at, uint32_t token) override {
    queue.push(at - share.start, {Event::Kind::Network, token});
  }
  void arrivesAt(uint32_t flight, SimTime at, SimTime present) {
    now = present - share.start;
    arrives(flight, at);
  }

private:
  void arrives(uint32_t flight, SimTime at) override;
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;

  // --- Threadblocks ---

  void handle(Event event);
  void advance(uint32_t t);
  bool begin(uint32_t t);
  bool takeSignals(uint32_t t);
  bool meet(uint32_t t);
  bool prepared(uint32_t t);
  void give(uint32_t t);
  void complete(uint32_t t);
  void endLaunch(uint32_t rank);
  SimTime costOf(const Operation &op) const;
  void wake(std::vector<uint32_t> &waiters);
  void continueAt(uint32_t t, SimTime at);
  /// Attributes the time until \p until to \p cause.
  void charge(uint32_t t, Cause cause, SimTime until);
  /// The time of a wait that \p origin has ended.
  void chargeWait(uint32_t t, Cause cause, const Origin *origin);
  /// Records an execution, which begins now.
  void record(uint32_t t, Cause cause, const Origin *origin);
  void addSignal(uint32_t counter, const Origin &origin, SimTime at);
  void deliver(uint32_t counter, const Origin &origin);
  uint64_t execution(const Worker &self) const {
    return executions.number(self.launch, self.next, self.part());
  }
  const Operation &current(const Worker &self) const { return plan.ops()[self.next]; }
  const Threadblock &threadblock(uint32_t t) const { return plan.threadblocks()[t]; }
  StepRun stepOf(uint32_t t) const;

  // --- Slices ---

  uint32_t slicesOf(const Operation &op) const;
  Extent sliceOf(const Worker &self, const Place &place) const;
  bool packetsAreThere(uint32_t t);
  bool beginSlice(uint32_t t);
  bool beginStores(uint32_t t);
  void endSlice(uint32_t t);
  void fly(uint32_t route, Bytes size, SimTime at, const Cargo &cargo);
  void store(uint32_t t, const Place &place, Access access);
  void land(uint32_t flight);
  void addPackets(const Cargo &cargo, const Origin &origin);
  void checkPackets(uint32_t rank);
  Bytes onWire(const Operation &op, Access access, uint64_t payload) const;

  // --- Proxies ---

  void tell(uint32_t t);
  void transfer(uint32_t rank);
  void endTransfer(const Cargo &cargo);
  void sendSignals(uint32_t channel);
  uint32_t portOf(const Threadblock &tb, const Operation &op, uint32_t number) const;

  const PlacedPlan &placed;
  const SizedPlan &sized;
  const Plan &plan;
  const MscclppModel &model;
  NetworkModel &network;
  const RunOptions &options;
  NetworkShare share;
  Counters counters;
  Groups groups;

  SimTime now;
  EventQueue<Event> queue;
  std::vector<Worker> workers; ///< by threadblock
  std::vector<RankState> ranks;
  std::vector<CounterState> counts;
  std::vector<BarrierState> barriers;
  std::vector<Cargo> cargoes; ///< by flight
  std::vector<PortState> ports;
  std::vector<uint32_t> firstPort; ///< by rank
  std::vector<SignalState> signals;
  std::vector<uint32_t> freeSignals;
  Executions executions; ///< of the preparation of each operation and of its slices
  std::optional<PathRecorder> recorder;
  SimResult result;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_SIM_MSCCLPP_SIMULATION_H
