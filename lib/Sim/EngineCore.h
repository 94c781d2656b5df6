//===- EngineCore.h - What all executions of a plan share --------*- C++ -*-===//
//
// The event loop, threadblocks and what they wait for, connections with their slots and
// credits, and repetitions. How a step moves its data is left to two strategies:
// MessageSteps, where a step is one message, and SliceSteps, where a protocol divides it
// into transmissions and slices.
//
// Rules are those of docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_ENGINECORE_H
#define CCL_LIB_SIM_ENGINECORE_H

#include "EngineState.h"
#include "EventQueue.h"
#include "GateKeeper.h"
#include "LocalMemory.h"
#include "RunKeeper.h"

#include <random>

namespace cclc {

class EngineCore : NetworkHost {
public:
  virtual ~EngineCore() = default;
  SimResult run();

protected:
  EngineCore(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
             const SimOptions &options);
  /// Called by the strategy once it is able to number executions.
  void prepare(const SimOptions &options);

  // --- What the strategies add ---

  /// Begins steps of \p t until one takes time or has to wait.
  virtual void advance(uint32_t t) = 0;
  /// A part of the current step of \p t is done: its preparation, or a slice.
  virtual void endPart(uint32_t t) = 0;
  /// The network knows that the last byte of flight \p f is at its receiver \p at.
  virtual void messageArrives(uint32_t f, SimTime at) = 0;
  /// When all of the message is there that the receiver may take now.
  virtual SimTime completeAt(Fifo &fifo) = 0;
  /// The critical path consists of executions, of steps or of their parts. They are numbered
  /// trip by trip, and in a trip by step.
  virtual uint64_t executionsPerTrip() const = 0;
  virtual uint64_t execution(const ThreadblockState &thread) const = 0;
  /// Of the number of an execution in its trip.
  virtual uint32_t stepOf(uint64_t execution) const = 0;

  // --- Threadblocks (rules 8, 10, 11, 26, 27) ---

  Bytes pieceSize(const ThreadblockState &thread) const {
    return thread.piece + 1 == sizing.pieces ? lastPiece : fullPiece;
  }
  Bytes sizeOfStep(const ThreadblockState &thread, const Step &step) const {
    return pieceSize(thread) * step.count;
  }

  void charge(uint32_t t, Cause cause, SimTime time) {
    result.causes[t][static_cast<size_t>(cause)] += time;
    if (!listeners.empty() && time > SimTime())
      announce(t, cause, time);
  }
  /// \p t stands still for \p cause from now on; what it stood still for before is charged.
  void waitingFor(uint32_t t, Cause cause) {
    chargeWait(t);
    waits[t] = cause;
  }
  void chargeWait(uint32_t t) {
    if (states[t].since != now)
      chargeLongWait(t);
  }
  /// Whether \p t has what its step waits for; if not, it will be woken.
  bool dependenceIsMet(uint32_t t, const Step &step) {
    return !step.waits() || stepIsDone(t, step);
  }
  /// A message that is of another generation stays where it is.
  bool messageIsThere(const ThreadblockState &self) {
    Fifo &fifo = fifos[self.recv];
    if (fifo.arrived.empty()) {
      fifo.receiverWaits = true;
      return false;
    }
    return !gates.hasGates() || generationMatches(self, fifo.arrived.front());
  }
  bool gateIsOpen(uint32_t t);
  /// The current step of \p t is complete.
  void complete(uint32_t t);

  // --- Time (rules 9, 10) ---

  SimTime startOf(const Pe &pe) const { return launch + pe.skew.start; }
  SimTime beginOfRun(uint32_t rank) const {
    return runs.run(rank) == 0 ? startOf(pes[rank]) : runs.began(rank);
  }
  SimTime randomDelay();

  // --- Connections (rules 16 to 18) ---

  bool slotIsFree(uint32_t t);
  /// For a message, with a protocol for a transmission.
  void takeSlot(const ThreadblockState &self);
  /// The first message is taken out of its slot at \p at. Returns when the receive goes on.
  SimTime returnCredit(const ThreadblockState &self, SimTime at);

  // --- The critical path (rule 29) ---

  /// Notes what \p t waited for before its current execution, which begins now.
  void record(uint32_t t, const Step &step);

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  NetworkModel &network;
  LocalMemory memory;
  GateKeeper gates;
  RunKeeper runs;
  ArrayRef<SimListener *> listeners;

  SimTime now;
  EventQueue<Event> queue;
  std::vector<ThreadblockState> states;
  std::vector<Fifo> fifos; ///< by connection
  std::vector<Pe> pes;     ///< by rank
  std::optional<PathRecorder> recorder;
  SimResult result;

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
  void beginRun(uint32_t rank);
  void storeResults(uint32_t t);
  void store(uint32_t f);
  void deliver(uint32_t f);
  SimResult finish();
  void traceBack(uint64_t last, SimTime done);

  void schedule(SimTime at, uint32_t token) override;
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;
  void arrives(uint32_t f, SimTime at) override;

  const std::function<void(uint64_t)> &onProgress;
  SimTime launch;
  uint64_t trips; ///< of the step list
  Bytes fullPiece, lastPiece;
  std::vector<Cause> waits; ///< by threadblock: what it stands still for
  std::vector<uint32_t> woken;
  std::vector<uint64_t> latest; ///< execution, by step, if recorded
  std::optional<std::mt19937_64> random;
};

/// A step is one message.
SimResult simulateMessages(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                           const SimOptions &options);
/// The protocol of \p plan divides a step into transmissions and slices.
SimResult simulateSlices(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options);

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINECORE_H
