//===- SwitchTraffic.h - Multicasts and reductions of switches --*- C++ -*-===//
//
// The flights of messages. Those of operations of a switch take a flight to the switch and another
// one from it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_SWITCHTRAFFIC_H
#define CCL_LIB_SIM_SWITCHTRAFFIC_H

#include "PlanState.h"
#include "StepModel.h"

#include <deque>

namespace cclc {

/// A flight between a rank and a switch.
struct Crossing {
  enum class Kind : uint8_t {
    None,
    ToSwitch,
    FromSwitch,
    Own, ///< of data to the switch that no step waits for
  } kind = Kind::None;
  uint32_t threadblock = 0; ///< to the switch: the sender
  /// From the switch: the connection of the message, or the first one of a sum; none if it is the
  /// sender's own copy of a multicast.
  OptionalId<ConnectionId> connection;
  SimTime sent, contention; ///< of the flight to the switch
  SimTime earliest;         ///< the earliest arrival
};

/// The messages that have reached a switch for one reduction.
struct Addends {
  uint32_t messages = 0;
  SimTime head, tail; ///< when the last head and the last tail are at the switch
  SimTime sent, contention;
  uint64_t sender = 0; ///< the sending execution of the last one
  Bytes size;
};

/// The reductions of a threadblock that are not complete, in their order.
struct Sums {
  std::deque<Addends> addends;
  uint64_t complete = 0;
};

class SwitchTraffic final {
public:
  explicit SwitchTraffic(PlanState &state);

  /// Creates the flight of a message of the current step of \p self.
  uint32_t createFlight(const ThreadblockState &self, Bytes size, SimTime start) {
    if (!crosses.empty() && crosses[state.numberOf(self)])
      return crossToSwitch(state.numberOf(self), size, start);
    uint32_t f = state.network.create(state.share.firstConnection + self.sends.front().index(),
                                      size, start, state.execution(self));
    if (isCrossing(f))
      crossings[f] = {};
    return f;
  }
  /// The number of the connection of flight \p f in this plan.
  uint32_t connectionOf(uint32_t f) const {
    if (isCrossing(f))
      return (*crossings[f].connection).index();
    return state.network.flight(f).connection - state.share.firstConnection;
  }
  bool isCrossing(uint32_t f) const {
    return !crossings.empty() && f < crossings.size() && crossings[f].kind != Crossing::Kind::None;
  }
  /// The network has determined that the last byte of crossing \p f arrives \p at. Returns whether
  /// it arrives at a receiver, and sets \p at to the time when it does. If it arrives at the switch
  /// instead, \p steps continues its sender.
  bool passesSwitch(uint32_t f, SimTime &at, StepModel &steps);
  /// Adds to the times of a message that crossing \p f has brought those of its flight to the
  /// switch.
  void addCrossing(uint32_t f, Arrival &arrival) const;

private:
  const Threadblock &receiverOf(ConnectionId connection) const;
  void noteCrossing(uint32_t flight, const Crossing &crossing);
  uint32_t crossToSwitch(uint32_t t, Bytes size, SimTime start);
  void enterSwitch(const Crossing &crossing, Flight flight, SimTime at, StepModel &steps);
  void contribute(ConnectionId connection, const Addends &one);
  void leaveSwitch(RankId to, OptionalId<ConnectionId> connection, const Addends &data);

  PlanState &state;
  std::vector<bool>
      crosses; ///< by threadblock: whether its messages are for operations of switches
  std::vector<Crossing> crossings;   ///< by flight; empty if the plan does not use switches
  std::vector<Sums> sums;            ///< by threadblock; the same
  std::vector<uint64_t> contributed; ///< by connection: messages that have reached the switch
};

} // namespace cclc

#endif // CCL_LIB_SIM_SWITCHTRAFFIC_H
