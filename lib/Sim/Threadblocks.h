//===- Threadblocks.h - Waits and times of threadblocks ---------*- C++ -*-===//
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_THREADBLOCKS_H
#define CCL_LIB_SIM_THREADBLOCKS_H

#include "Connections.h"
#include "GateKeeper.h"
#include "Runs.h"

namespace cclc {

class Threadblocks final {
public:
  Threadblocks(PlanState &state, Connections &connections, LoadsAndStores &memory, Runs &runs)
      : state(state), connections(connections), memory(memory), runs(runs), gates(state.plan),
        waits(state.threads.size(), Cause::Dependence) {}

  /// Charges the time until the start of \p t.
  void launch(uint32_t t);
  void charge(uint32_t t, Cause cause, SimTime time) {
    if (time == SimTime())
      return;
    state.result.causes[t][static_cast<size_t>(cause)] += time;
    if (!state.listeners.empty() && time > SimTime())
      announce(t, cause, time);
  }
  /// Charges the time since the last charge.
  void chargeWait(uint32_t t) {
    if (state.threads[t].since != state.now)
      chargeLongWait(t);
  }
  /// \p t works until \p end, at which the current part of its step ends. Returns whether this is
  /// later than now, and then schedules it.
  bool worksUntil(uint32_t t, SimTime end) {
    ThreadblockState &self = state.threads[t];
    charge(t, Cause::Engine, end - self.since);
    self.since = self.ended = end;
    if (end > state.now)
      state.schedule(end, Event::Kind::PartDone, t);
    return end > state.now;
  }
  Cause waitOf(uint32_t t) const { return waits[t]; }

  // Whether a condition of the current step of a threadblock holds; if not, the threadblock waits
  // for it from now on, and will be woken (rule 11).

  bool dependenceIsMet(uint32_t t, const Step &step) {
    return !step.waits() || stepIsDone(t, step) || waitFor(t, Cause::Dependence);
  }
  bool operandsAreLoaded(uint32_t t) {
    return memory.operandsAreLoaded(t) || waitFor(t, Cause::Engine);
  }
  /// Whether there is a message if the step \p receives, then whether its gate is open, and whether
  /// there is a slot if it \p sends. Inlined, because every step asks this.
  [[gnu::always_inline]] bool canTransfer(uint32_t t, bool receives, bool sends) {
    if (receives && !messageIsThere(state.threads[t]))
      return waitFor(t, Cause::Link);
    if (gates.hasGates() && !enterGate(t))
      return false;
    return !sends || connections.slotIsFree(t) || waitFor(t, Cause::Slot);
  }

  /// Completes the current step of \p t.
  void complete(uint32_t t);
  /// The step that \p step of \p self waits for.
  uint32_t targetOf(const ThreadblockState &self, const Step &step) const {
    return (*state.placed.publishers[ownerOf(self, step).begin + step.wait()->step.index()])
        .index();
  }

private:
  /// The threadblock that \p step of \p self waits for.
  ThreadblockState &ownerOf(const ThreadblockState &self, const Step &step) const {
    return state.threads[state.plan.firstThreadblock(RankId(self.rank)) + step.wait()->tb.index()];
  }
  /// Charges the previous cause of \p t. Returns false.
  bool waitFor(uint32_t t, Cause cause) {
    chargeWait(t);
    waits[t] = cause;
    return false;
  }
  /// A message of another generation stays in its slot.
  bool messageIsThere(const ThreadblockState &self) {
    const Ring<Arrival> &incoming = connections.incoming(self);
    if (!incoming.empty())
      return !gates.hasGates() || generationMatches(self, incoming.front());
    connections.recvFifo(self).receiverWaits = true;
    return false;
  }
  void announce(uint32_t t, Cause cause, SimTime time);
  void chargeLongWait(uint32_t t);
  bool stepIsDone(uint32_t t, const Step &step);
  bool generationMatches(const ThreadblockState &self, const Arrival &arrival) const;
  bool enterGate(uint32_t t);

  PlanState &state;
  Connections &connections;
  LoadsAndStores &memory;
  Runs &runs;
  GateKeeper gates;
  std::vector<Cause> waits; ///< by threadblock: the cause of its current wait
};

} // namespace cclc

#endif // CCL_LIB_SIM_THREADBLOCKS_H
