//===- EngineState.h - The state of a running plan --------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_ENGINESTATE_H
#define CCL_LIB_SIM_ENGINESTATE_H

#include "MemoryPorts.h"
#include "SharedQueue.h"

#include "cclc/Sim/Engine.h"
#include "cclc/Support/Ring.h"

namespace cclc {

struct Event {
  enum class Kind : uint8_t {
    Continue,    ///< a threadblock may continue (or must check again)
    StepDone,    ///< the current step of a threadblock is complete
    PartDone,    ///< the same for a part of it: its preparation, or a slice
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

/// A message in its slot.
struct Arrival {
  SimTime injected, contention;
  uint64_t sender; ///< the sending execution
};

/// The read of a message that its receiver has requested.
struct Read {
  SimTime posted;
  Bytes size;
  uint64_t execution = 0; ///< that has posted it
};

/// The execution that has emptied a slot, and the time.
struct Reader {
  uint64_t execution;
  SimTime at;
};

/// The progress of a threadblock.
struct ThreadblockState {
  uint32_t next, begin, end; ///< steps
  uint64_t trip = 0;         ///< completed pieces over all runs
  uint32_t piece = 0;        ///< the current piece
  OptionalId<ConnectionId> send, recv;
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
};

/// A connection. With a protocol its messages are slices, and each transmission takes a slot.
struct Fifo {
  uint64_t sent = 0, received = 0;
  Ring<Arrival> arrived;
  SimTime lastArrival;
  uint64_t firstCredit = 0; ///< of its range in the credits of all connections
  uint32_t creditMask = 0;  ///< its length, a power of two, minus one
  bool senderWaits = false, receiverWaits = false;
  bool isRead = false; ///< whether its messages are read

  /// The index of the credit of message number \p message.
  uint64_t credit(uint64_t message) const { return firstCredit + (message & creditMask); }
};

/// What a connection has in addition if its messages are read by the receiver: the signals on their
/// way, those that have arrived, and the read of the receiver, which has one at a time.
struct ReadFifo {
  Ring<Arrival> sentSignals, signals;
  Read read;
  SimTime lastSignal;
};

class EngineCore;

/// A threadblock that waits for a stream.
struct StreamWaiter {
  EngineCore *engine; ///< of its plan
  uint32_t threadblock;
};

/// The engines and ports of a PE, and when each is free. Several plans may use them.
struct Pe {
  std::vector<SimTime> streams; ///< empty if unlimited
  Ring<StreamWaiter> turns;     ///< the threadblocks whose steps wait for a stream
  /// When the processor that executes its steps, and possibly those of other PEs, is free; null if
  /// it executes them itself.
  SimTime *processor = nullptr;
  SimTime math, copy, dma;
  MemoryPorts memory;
  SimTime loading, storing; ///< the channels of the DMA engine to the memory of the PE
  Skew skew;

  /// The time on this PE of an operation that takes \p duration on others (rule 10).
  SimTime skewed(SimTime duration) const {
    if (skew.permille == 1000)
      return duration;
    return SimTime::clamped((Wide(duration.picoseconds()) * skew.permille + 999) / 1000);
  }
};

/// The loads and stores of a rank of one plan. It has one of each in progress.
struct RankMemory {
  struct Store {
    Bytes size;
    uint64_t execution; ///< that has written the result
  };
  struct Waiter {
    uint64_t load; ///< number of the load that must be complete
    uint32_t threadblock;
  };

  uint64_t loaded = 0; ///< number of completed loads of the current run
  std::vector<Waiter> waiters;
  Ring<Store> stores;     ///< those that are not complete
  SimTime stored;         ///< when the last result was in memory
  uint64_t lastStore = 0; ///< the execution of this result
};

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINESTATE_H
