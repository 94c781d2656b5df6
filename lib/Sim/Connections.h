//===- Connections.h - Messages, slots and credits --------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_CONNECTIONS_H
#define CCL_LIB_SIM_CONNECTIONS_H

#include "Reads.h"
#include "SwitchTraffic.h"

namespace cclc {

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

class Connections final {
public:
  Connections(PlanState &state, const SwitchTraffic &switches, Reads &reads);

  Fifo &operator[](uint32_t c) { return fifos[c]; }
  /// The connections of the current step.
  Fifo &sendFifo(const ThreadblockState &self) { return fifos[self.sends.front().index()]; }
  Fifo &recvFifo(const ThreadblockState &self) { return fifos[self.receives.front().index()]; }
  /// The messages, or the signals of messages that are read, that a receive waits for.
  Ring<Arrival> &incoming(const ThreadblockState &self) {
    Fifo &fifo = recvFifo(self);
    return fifo.isRead && !self.awaitsData ? reads.signals(self.receives.front().index())
                                           : fifo.arrived;
  }

  // Every step executes these, which are therefore inlined.

  /// Whether the current step of \p t has a slot to send to; if not, \p t will check again.
  bool slotIsFree(uint32_t t) {
    if (!state.placed.slots.isUnlimited())
      for (ConnectionId connection : state.threads[t].sends)
        if (!slotIsFree(t, fifos[connection.index()], state.placed.slots.limit()))
          return false;
    return true;
  }
  /// Takes a slot for a message or, with a protocol, a transmission.
  void takeSlot(const ThreadblockState &self) {
    for (ConnectionId connection : self.sends) {
      ++fifos[connection.index()].sent;
      ++state.result.messages;
      notify(state.listeners, &SimListener::slotTaken, connection, state.now);
    }
  }
  void announceSent(const ThreadblockState &self, Bytes size, SimTime at) {
    for (SimListener *listener : state.listeners)
      for (ConnectionId connection : self.sends)
        listener->messageSent(connection, StepId(self.next), size, at);
  }
  /// Takes the first message of every connection. Returns that of the first one, which has arrived
  /// last.
  Arrival takeMessages(const ThreadblockState &self) {
    for (SimListener *listener : state.listeners)
      for (ConnectionId connection : self.receives)
        listener->messageTaken(connection, StepId(self.next), state.now);
    for (ConnectionId connection : self.receives.drop_front())
      fifos[connection.index()].arrived.pop();
    return recvFifo(self).arrived.pop();
  }
  /// Removes the first message from its slot at \p at. Returns the time when the receive continues.
  SimTime returnCredit(const ThreadblockState &self, SimTime at) {
    SimTime last = at;
    for (ConnectionId connection : self.receives)
      last = std::max(last, returnCredit(self, connection, at));
    return last;
  }

  /// The end of the use of the slot that the current step of \p self waited for, the last of
  /// several. Recorded only for the critical path.
  Ending slotFreed(const ThreadblockState &self) const;

  /// Writes the message of flight \p f, whose last byte has arrived, to its slot.
  void store(uint32_t f);
  /// Makes the message of flight \p f available, and those of the other connections if it is a sum.
  void deliver(uint32_t f) { deliver(f, switches.connectionOf(f)); }
  void deliverSignal(uint32_t c);

private:
  void createCredits();
  bool slotIsFree(uint32_t t, Fifo &fifo, uint32_t slots) {
    if (fifo.sent < slots)
      return true;
    fifo.senderWaits = fifo.sent - fifo.received >= slots;
    if (fifo.senderWaits)
      return false;
    SimTime freeAt = credits[fifo.credit(fifo.sent - slots)];
    if (freeAt > state.now)
      state.schedule(freeAt, Event::Kind::Continue, t);
    return freeAt <= state.now;
  }
  SimTime returnCredit(const ThreadblockState &self, ConnectionId of, SimTime at) {
    Fifo &fifo = fifos[of.index()];
    const PlacedConnection &connection = state.placed.placedConnections[of.index()];
    SimTime known = at + connection.creditLatency;
    if (!credits.empty())
      credits[fifo.credit(fifo.received)] = known;
    if (!readers.empty())
      readers[fifo.credit(fifo.received)] = {at, state.execution(self)};
    ++fifo.received;
    notify(state.listeners, &SimListener::slotFreed, of, known);
    if (std::exchange(fifo.senderWaits, false))
      state.schedule(known, Event::Kind::Continue, connection.senderTb);
    return state.machine.queue.creditBlocksReceiver ? known : at;
  }
  void deliver(uint32_t f, uint32_t c);

  PlanState &state;
  const SwitchTraffic &switches;
  Reads &reads;
  std::vector<Fifo> fifos;   ///< by connection
  const bool writesTakeTime; ///< those of messages to their slots
  /// By connection, then by message modulo a power of two: when its slot becomes free. Empty if
  /// slots are unlimited.
  std::vector<SimTime> credits;
  std::vector<Ending> readers; ///< with the same index, if the critical path is recorded
};

} // namespace cclc

#endif // CCL_LIB_SIM_CONNECTIONS_H
