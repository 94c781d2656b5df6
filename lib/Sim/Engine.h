//===- Engine.h - The event loop of a plan ----------------------*- C++ -*-===//
//
// The engine of a plan is composed of stages (Stages.h) and of a step model, to which it passes the
// events.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_ENGINE_H
#define CCL_LIB_SIM_ENGINE_H

#include "Stages.h"

namespace cclc {

class Engine final : public NetworkHost {
public:
  /// The arguments must outlive it.
  Engine(const PlacedPlan &plan, const Sizing &sizing, NetworkModel &network,
         const SimOptions &options, MachineShare share);
  /// Simulates the plan, the only one on the network.
  SimResult run();

  // --- The interface for several plans ---

  /// Schedules the start of the ranks. Returns false if a gate is closed from the beginning.
  bool begin();
  /// The time of the next event; unset: there is none.
  std::optional<SimTime> next() const {
    return state.queue.empty() ? std::nullopt : std::optional(state.queue.nextTime());
  }
  /// Executes the next event, then the threadblocks that it has woken, in order.
  void step() {
    auto [time, event] = state.queue.pop();
    state.now = time;
    handle(event);
    for (size_t i = 0; i < state.woken.size(); ++i)
      steps->advance(state.woken[i]);
    state.woken.clear();
  }
  /// A flight arrives \p at by an event of another plan at \p present.
  void arrivesAt(uint32_t f, SimTime at, SimTime present) {
    state.now = present;
    arrives(f, at);
  }
  uint64_t executedSteps() const { return state.result.steps; }
  /// To be called once, after the last event. Times are relative to the launch of the plan.
  SimResult finish();

  void schedule(SimTime at, uint32_t token) override {
    state.schedule(at, Event::Kind::Network, token);
  }
  void arrives(uint32_t f, SimTime at) override;

private:
  void handle(Event event);
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;
  Ending findEnd() const;

  Stages stages;
  PlanState &state = stages.state;
  std::unique_ptr<StepModel> steps;
};

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINE_H
