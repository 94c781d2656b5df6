//===- PlanState.h - The state of a running plan ----------------*- C++ -*-===//
//
// What the stages of an engine share: the inputs of the simulation, the clock and the events, the
// progress of the threadblocks, and the result so far. What one stage changes alone is part of that
// stage.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_PLANSTATE_H
#define CCL_LIB_SIM_PLANSTATE_H

#include "MachineShare.h"

#include "cclc/Sim/Network/EventQueue.h"

namespace cclc {

struct Event {
  enum class Kind : uint8_t {
    Continue,    ///< a threadblock may continue (or must check again)
    PartDone,    ///< the current step of a threadblock, or a part of it, is complete
    Inject,      ///< a message enters the network
    Network,     ///< for the network model
    Arrive,      ///< the last byte of a message is at its receiver
    Deliver,     ///< a message has been written to its slot
    BeginRun,    ///< a rank has ended a run and begins the next one
    Load,        ///< a rank may issue its first load of a run
    LoadArrives, ///< the data of the load of a rank are at its PE
    LoadDone,    ///< the load is complete
    Store,       ///< a rank issues its first store
    StoreDone,   ///< the store of a rank is complete
    Signal,      ///< the signal of a message that is to be read is at the receiver
    Request,     ///< the request of a read is at the sender
    Release,     ///< the end of a flight to a switch, or of one that nothing waits for
  } kind;
  uint32_t index; ///< of the threadblock, flight, rank or connection, or token of the network
};

/// The progress of a threadblock.
struct ThreadblockState {
  uint32_t next, begin, end;              ///< steps
  uint64_t trip = 0;                      ///< completed pieces over all runs
  uint32_t piece = 0;                     ///< the current piece
  ArrayRef<ConnectionId> sends, receives; ///< connections; several if a switch is used
  uint32_t rank, pe;
  SimTime since;               ///< the beginning of the time that is not charged yet
  SimTime ended;               ///< the end of its last step
  SimTime announced;           ///< the time up to which listeners were notified
  OptionalIndex waiters, link; ///< list of threadblocks that wait for a step of this one
  bool idle = false;           ///< has ended its last run, or the current run before its rank
  bool loading = false;        ///< has begun its step, which waits for its operands
  bool queued = false;         ///< waits for a stream of its PE
  /// With a protocol, the progress within the step: 0 during the preparation, then 1 + the number
  /// of completed slices.
  uint32_t part = 0;
  uint32_t transmission = 0, slice = 0;
  SimTime worked;          ///< the end of its own work on the current slice, or before a load
  uint64_t previous = 0;   ///< the previous execution
  bool awaitsData = false; ///< has requested a read, which is not completed

  /// Whether its next step is the first one of a run other than the first run (rule 9).
  bool beginsRun() const { return trip > 0 && piece == 0 && next == begin && part == 0; }
};

/// A message in its slot.
struct Arrival {
  SimTime injected, contention;
  uint64_t sender; ///< the sending execution
};

/// The time when something ended, and the execution that ended it.
struct Ending {
  SimTime at;
  uint64_t execution = 0;
};

struct PlanState {
  PlanState(const PlacedPlan &placed, const Sizing &sizing, NetworkModel &network,
            const SimOptions &options, MachineShare share);
  PlanState(const PlanState &) = delete;

  Bytes pieceSize(const ThreadblockState &thread) const {
    return thread.piece + 1 == sizing.pieces ? lastPiece : fullPiece;
  }
  Bytes sizeOfStep(const ThreadblockState &thread, const Step &step) const {
    return pieceSize(thread) * step.count;
  }
  /// The number of the current execution of \p thread.
  uint64_t execution(const ThreadblockState &thread) const {
    return executions.number(thread.trip, thread.next, thread.part);
  }
  /// The current step of \p t, for listeners.
  StepRun current(uint32_t t) const {
    return {PlanThreadblockId(t), StepId(threads[t].next), threads[t].piece};
  }
  uint32_t numberOf(const ThreadblockState &self) const { return &self - threads.data(); }
  Pe &peOf(uint32_t rank) const { return pes[share.peOf[rank]]; }
  /// The PE of threadblock \p t.
  Pe &peOfThread(uint32_t t) const { return pes[threads[t].pe]; }
  /// The start of a rank (rule 10).
  SimTime startOf(const Pe &pe) const { return launch + pe.skew.start; }

  void schedule(SimTime at, Event::Kind kind, uint32_t index) { queue.push(at, {kind, index}); }
  /// Sends \p size bytes by the DMA engine of \p pe, which gets them \p at. Returns the start.
  SimTime throughDma(Pe &pe, SimTime at, Bytes size) const {
    SimTime start = std::max(at, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + pe.skewed(transferTime(size, machine.pe.dmaRate));
    return start;
  }
  /// Injects flight \p f at \p start. If that is now, this saves an event.
  void inject(uint32_t f, SimTime start) {
    if (start == now)
      network.start(f, now);
    else
      schedule(start, Event::Kind::Inject, f);
  }

  /// The delays of an execution and of a message, with random schedules.
  SimTime stepDelay(const ThreadblockState &self) const {
    return options.randomSchedule ? randomDelay(2 * execution(self)) : SimTime();
  }
  SimTime messageDelay(uint64_t sender) const {
    return options.randomSchedule ? randomDelay(2 * sender + 1) : SimTime();
  }

  const PlacedPlan &placed;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  NetworkModel &network;
  const SimOptions &options;
  ArrayRef<SimListener *> listeners;
  const Executions executions;
  const MachineShare share;
  MutableArrayRef<Pe> pes; ///< of all plans
  const SimTime launch;    ///< when the ranks without a delay are ready
  const uint64_t trips;    ///< trips through the step list
  const Bytes fullPiece, lastPiece;

  SimTime now;
  EventQueue<Event> queue;
  std::vector<ThreadblockState> threads; ///< by threadblock
  std::vector<uint32_t> woken;           ///< threadblocks that run after the current event
  SimResult result;

private:
  SimTime randomDelay(uint64_t what) const;
};

} // namespace cclc

#endif // CCL_LIB_SIM_PLANSTATE_H
