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
  Fifo &sendFifo(const ThreadblockState &self) { return fifos[(*self.send).index()]; }
  Fifo &recvFifo(const ThreadblockState &self) { return fifos[(*self.recv).index()]; }
  /// The messages, or the signals of messages that are read, that a receive waits for.
  Ring<Arrival> &incoming(const ThreadblockState &self) {
    Fifo &fifo = recvFifo(self);
    return fifo.isRead && !self.awaitsData ? reads.signals((*self.recv).index()) : fifo.arrived;
  }

  /// Whether the current step of \p t has a slot to send to; if not, \p t will check again.
  bool slotIsFree(uint32_t t);
  /// Takes a slot for a message or, with a protocol, a transmission.
  void takeSlot(const ThreadblockState &self);
  void announceSent(const ThreadblockState &self, Bytes size, SimTime at);
  /// Takes the first message of every connection. Returns that of the first one, which has arrived
  /// last.
  Arrival takeMessages(const ThreadblockState &self);
  /// Removes the first message from its slot at \p at. Returns the time when the receive continues.
  SimTime returnCredit(const ThreadblockState &self, SimTime at);
  /// The end of the use of the slot that the current step of \p self waited for, the last of
  /// several. Recorded only for the critical path.
  Ending slotFreed(const ThreadblockState &self) const;

  /// Writes the message of flight \p f, whose last byte has arrived, to its slot.
  void store(uint32_t f);
  /// Makes the message of flight \p f available, and those of the other connections if it is a sum.
  void deliver(uint32_t f);
  void deliverSignal(uint32_t c);

private:
  void createCredits();
  SimTime returnCredit(const ThreadblockState &self, ConnectionId of, SimTime at);
  void wakeReceiver(uint32_t c);

  PlanState &state;
  const SwitchTraffic &switches;
  Reads &reads;
  std::vector<Fifo> fifos; ///< by connection
  /// By connection, then by message modulo a power of two: when its slot becomes free. Empty if
  /// slots are unlimited.
  std::vector<SimTime> credits;
  std::vector<Ending> readers; ///< with the same index, if the critical path is recorded
};

} // namespace cclc

#endif // CCL_LIB_SIM_CONNECTIONS_H
