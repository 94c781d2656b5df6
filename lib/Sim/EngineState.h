//===- EngineState.h - What the engine keeps of a running plan --*- C++ -*-===//

#ifndef CCL_LIB_SIM_ENGINESTATE_H
#define CCL_LIB_SIM_ENGINESTATE_H

#include "cclc/Sim/Engine.h"
#include "cclc/Support/Ring.h"

namespace cclc {

struct Event {
  enum class Kind : uint8_t {
    Continue, ///< a threadblock may go on (or look again)
    StepDone, ///< the current step of a threadblock is complete
    PartDone, ///< the same for a part of it: its preparation, or a slice
    Inject,   ///< a message enters the network
    Network,  ///< for the network model
    Arrive,   ///< the last byte of a message is at its receiver
    Deliver,  ///< a message has been written to its slot
    BeginRun, ///< a rank has ended a run and begins the next one
  } kind;
  uint32_t index; ///< of the threadblock, the flight or the rank; what the network model gave
};

/// A message in its slot.
struct Arrival {
  SimTime injected, contention;
  uint64_t sender; ///< execution
  /// When all of it is there, which a receive that streams does not wait for.
  SimTime complete;
};

/// Who has emptied a slot, and when.
struct Reader {
  uint64_t execution;
  SimTime at;
};

/// The place of a threadblock in its steps.
struct ThreadblockState {
  static constexpr uint32_t none = ~uint32_t(0);

  uint32_t next, begin, end; ///< steps
  uint64_t trip = 0;         ///< pieces done, over all runs
  uint32_t piece = 0;        ///< the current one
  uint32_t send = none, recv = none;
  uint32_t pe;
  SimTime since;                        ///< when the time that is not charged yet began
  SimTime ended;                        ///< when its last step ended
  SimTime announced;                    ///< up to when listeners know what it did
  uint32_t waiters = none, link = none; ///< list of those that wait for a step of this one
  bool idle = false; ///< has ended its last run, or the current one before its rank has
  /// With a protocol, where in its step the threadblock is: 0 before anything
  /// moves, then 1 + the number of slices that have.
  uint32_t part = 0;
  uint32_t transmission = 0, slice = 0;
  SimTime worked;        ///< when its own part in the current slice is done
  uint64_t previous = 0; ///< execution
};

/// A connection. With a protocol its messages are slices, and what takes a slot are
/// transmissions.
struct Fifo {
  uint64_t sent = 0, received = 0;
  Ring<SimTime> complete; ///< of slices whose head is still to come
  SimTime lastHead;
  Ring<Arrival> arrived;
  std::vector<SimTime> credits; ///< when a slot is free again, by message modulo a power of two
  std::vector<Reader> readers;  ///< the same way, if the critical path is recorded
  SimTime lastArrival;
  bool senderWaits = false, receiverWaits = false;
};

struct Pe {
  std::vector<SimTime> streams; ///< when each is free; empty: no limit
  SimTime math, copy, dma, read, write;
  SimTime stored;         ///< when the last result is in memory
  uint64_t lastStore = 0; ///< the execution whose result that is
  Skew skew;

  /// What takes \p duration on other PEs (rule 10).
  SimTime skewed(SimTime duration) const {
    if (skew.permille == 1000)
      return duration;
    return SimTime::clamped((Wide(duration.picoseconds()) * skew.permille + 999) / 1000);
  }
};

/// An engine that serves one request after the other (rule 14): when it is done with one that
/// comes at \p from.
inline SimTime occupy(SimTime &freeAt, SimTime from, SimTime duration) {
  if (duration == SimTime())
    return from;
  return freeAt = std::max(freeAt, from) + duration;
}

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINESTATE_H
