//===- EngineCore.h - The common part of the engines ------------*- C++ -*-===//
//
// The event loop, threadblocks and their waits, connections with their slots and credits, and
// repetitions, on the data of EngineData with the memory requests of LoadsAndStores. Two strategies
// implement the transfer of data by a step: MessageSteps, where a step is one message, and
// SliceSteps, where a protocol divides it into transmissions and slices.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_ENGINECORE_H
#define CCL_LIB_SIM_ENGINECORE_H

#include "SwitchTraffic.h"

namespace cclc {

class EngineCore : public NetworkHost, protected SwitchTraffic {
public:
  virtual ~EngineCore() = default;
  /// Simulates the plan, the only one on the network.
  SimResult run();

  // --- The interface for several plans ---

  /// Schedules the start of the ranks. Returns false if a gate is closed from the beginning.
  bool begin();
  /// The time of the next event; unset: there is none.
  std::optional<SimTime> next() const {
    return queue.empty() ? std::nullopt : std::optional(queue.nextTime());
  }
  /// Executes the next event.
  void step() {
    auto entry = queue.pop();
    now = entry.time;
    handle(entry.event);
  }
  void continueAt(uint32_t t, SimTime at) { queue.push(at, {Event::Kind::Continue, t}); }
  /// Sets the clock, before an event of another plan has an effect on this one.
  void advanceClock(SimTime time) { now = time; }
  uint64_t executedSteps() const { return result.steps; }
  /// To be called once, after the last event. Times are relative to the launch of the plan.
  SimResult finish();

  void schedule(SimTime at, uint32_t token) override;
  void arrives(uint32_t f, SimTime at) override;

protected:
  EngineCore(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
             const SimOptions &options, MachineShare share);

  // --- The interface of the strategies ---

  /// Runs steps of \p t until one takes time or has to wait.
  virtual void advance(uint32_t t) = 0;
  /// A part of the current step of \p t has ended: its preparation, or a slice.
  virtual void endPart(uint32_t t) = 0;
  /// The network has determined that the last byte of flight \p f arrives \p at.
  virtual void messageArrives(uint32_t f, SimTime at) = 0;
  /// A signal or a request of a read has arrived (Reads.h).
  virtual void readEvent(const Event &) {}

  // --- Threadblocks (rules 8, 10, 11, 26, 27) ---

  void charge(uint32_t t, Cause cause, SimTime time) {
    result.causes[t][static_cast<size_t>(cause)] += time;
    if (!listeners.empty() && time > SimTime())
      announce(t, cause, time);
  }
  /// \p t waits for \p cause from now on; charges its previous cause.
  void waitingFor(uint32_t t, Cause cause) {
    chargeWait(t);
    waits[t] = cause;
  }
  void chargeWait(uint32_t t) {
    if (states[t].since != now)
      chargeLongWait(t);
  }
  /// Whether the wait of \p step is satisfied; if not, \p t will be woken.
  bool dependenceIsMet(uint32_t t, const Step &step) {
    return !step.waits() || stepIsDone(t, step);
  }
  /// Whether there is a message to receive. A message of another generation stays in its slot.
  bool messageIsThere(const ThreadblockState &self) {
    if (incoming(self).empty()) {
      recvFifo(self).receiverWaits = true;
      return false;
    }
    return !gates.hasGates() || generationMatches(self, incoming(self).front());
  }
  bool gateIsOpen(uint32_t t);
  /// Completes the current step of \p t.
  void complete(uint32_t t);

  /// The delays of an execution and of a message, with random schedules.
  SimTime stepDelay(const ThreadblockState &self) const;
  SimTime messageDelay(uint64_t sender) const;

  // --- Connections (rules 16 to 18) ---

  bool slotIsFree(uint32_t t);
  /// Takes a slot for a message or, with a protocol, a transmission.
  void takeSlot(const ThreadblockState &self);
  /// Removes the first message from its slot at \p at. Returns the time when the receive continues.
  SimTime returnCredit(const ThreadblockState &self, SimTime at);
  SimTime returnCredit(const ThreadblockState &self, ConnectionId of, SimTime at);

  // --- The critical path (rule 29) ---

  /// Records the wait of \p t before its current execution, which begins now.
  void record(uint32_t t, const Step &step);

private:
  void createThreads();
  void createFifos();
  void handle(Event event);
  void announce(uint32_t t, Cause cause, SimTime time);
  void chargeLongWait(uint32_t t);
  bool stepIsDone(uint32_t t, const Step &step);
  bool generationMatches(const ThreadblockState &self, const Arrival &arrival) const;
  ThreadblockState &ownerOf(uint32_t t, const Step &step);
  bool beginsRun(const ThreadblockState &self) const;
  void endRun(uint32_t t);
  void endRunOfRank(uint32_t rank, uint64_t lastExecution);
  void beginRun(uint32_t rank);
  void store(uint32_t f);
  void deliver(uint32_t f);
  void traceBack(uint64_t last, SimTime done);
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;

  const std::function<void(uint64_t)> &onProgress;
  const std::optional<SimTime> until;
  std::vector<Cause> waits;     ///< by threadblock: the cause of its current wait
  std::vector<uint64_t> latest; ///< by step: its latest execution, if recorded
  const std::optional<uint64_t> randomSchedule;
};

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINECORE_H
