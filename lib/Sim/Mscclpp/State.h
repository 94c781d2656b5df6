//===- State.h - The state of an executing MSCCL++ plan ---------*- C++ -*-===//

#ifndef CCL_LIB_SIM_MSCCLPP_STATE_H
#define CCL_LIB_SIM_MSCCLPP_STATE_H

#include "Arrivals.h"

#include "cclc/Mscclpp/Proof/Groups.h"

#include <deque>

namespace cclc::mscclpp {

struct Event {
  enum class Kind : uint8_t {
    Continue, ///< a threadblock may continue, or must check again
    Network,  ///< for the network model
    Inject,   ///< a flight enters the network
    Arrive,   ///< the last byte of a flight is at its end
    Signal,   ///< a signal is at its receiver
    Transfer, ///< the proxy of a rank has prepared its next transfer
    Packets,  ///< the threadblocks of a rank that waited for packets check again
  } kind;
  uint32_t index; ///< of the threadblock, the flight, the signal or the rank, or a token
};

/// The progress of a threadblock within its operation.
enum class Stage : uint8_t {
  Begin,   ///< waits for signals or for other threadblocks
  Publish, ///< a signal waits until earlier writes are visible
  Prepare, ///< the threads are dispatched
  Slice,   ///< waits for the packets of a slice
  Load,    ///< waits for data of other ranks
  Store,   ///< waits until the data of the previous slice have left
  Process, ///< loads and stores the slice
  Flush,   ///< waits for the proxy
};

/// A counter of signals or releases.
struct CounterState {
  uint32_t value = 0;
  std::deque<Origin> origins; ///< of those that are not consumed, after the initial value
  std::vector<uint32_t> waiters;
};

struct SignalState {
  uint32_t counter;
  Origin origin;
};

struct BarrierState {
  uint32_t arrivals = 0;
  Origin last;
  std::vector<uint32_t> waiters;
};

/// The purpose of a flight.
struct Cargo {
  enum class Role : uint8_t {
    Read,      ///< data for the load of a threadblock
    Addend,    ///< a member's data on the way to the switch
    Write,     ///< data of a threadblock
    Multicast, ///< data of a threadblock on the way to the switch
    Copy,      ///< a copy of these on the way to a member
    ByProxy,   ///< a transfer by a proxy
  } role;
  bool packets = false, flushes = false;
  uint32_t threadblock = 0, launch = 0;
  RankId to = RankId(0);
  ArrayRef<Groups::Member> group = {}; ///< of a multicast
  Extent extent = {};
  uint64_t execution = 0;
  SimTime complete = {}; ///< the end of the loads that it depends on
  uint32_t channel = 0;  ///< of a proxy: its number among the port channels of all ranks
};

struct Worker {
  uint32_t next = 0, begin = 0, end = 0; ///< operations
  uint32_t rank = 0;
  Stage stage = Stage::Begin;
  uint32_t slice = 0;
  uint32_t launch = 0;
  uint32_t pending = 0;   ///< flights that the stage waits for
  uint32_t leaving = 0;   ///< writes that have not left
  uint32_t unsettled = 0; ///< writes whose arrival is not determined
  /// The arrivals that end the wait at the current barrier; 0 if it has not arrived there.
  uint32_t arrivalsNeeded = 0;
  SimTime since;                   ///< the beginning of the time that is not charged yet
  SimTime busy;                    ///< does not continue before
  SimTime worked;                  ///< the end of the loads and stores of the current slice
  SimTime left;                    ///< the end of its current writes at the sender
  SimTime contention;              ///< of these
  SimTime visible;                 ///< the arrival of its last write
  uint64_t previous = 0;           ///< the previous execution
  std::optional<Cargo> ownPackets; ///< of the current slice, for this rank
  /// The first byte that it waits for, of the current launch; unset when it has arrived.
  std::optional<uint64_t> missing;
  bool multicasts = false; ///< whether it has written through a switch since its last signal
  bool idle = false;       ///< has ended the current launch

  /// The part of the operation: 0 before its first slice.
  uint32_t part() const { return stage < Stage::Slice ? 0 : 1 + slice; }
};

/// A transfer that a proxy was told.
struct Trigger {
  uint32_t threadblock, launch;
  const Operation *op;
  uint32_t number; ///< of the channel, and of the places, in the operation
  uint64_t execution;
};

struct ProxyState {
  SimTime free;
  std::deque<Trigger> triggers;
};

/// The data and signals of a port channel arrive in order.
struct PortState {
  struct Waiting {
    uint32_t after; ///< the number of transfers before it
    SignalState signal;
    SimTime earliest;
  };
  uint32_t started = 0, arrived = 0;
  std::deque<Waiting> signals;
};

struct RankState {
  uint32_t running = 0; ///< threadblocks
  uint32_t launch = 0;
  uint64_t last = 0;                       ///< the execution that ended the last launch
  std::map<uint32_t, Arrivals> packets;    ///< by launch
  std::vector<uint32_t> waiters;           ///< threadblocks that wait for packets
  std::deque<std::vector<uint32_t>> woken; ///< those that check again, by event
  ProxyState proxy;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_SIM_MSCCLPP_STATE_H
