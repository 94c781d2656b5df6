//===- Connections.cpp - Messages, slots and credits of connections -------===//
//
// The messages of a connection are limited by its slots. The sender counts the messages that it has
// sent, and the time of the credit of each message is stored by its number, modulo a power of two
// that is at least the number of slots.
//
// Implements rules 16 to 19 and 56, and 48 for arriving messages.
//
//===----------------------------------------------------------------------===//

#include "Connections.h"

#include "cclc/Limits/PlanReads.h"

#include <bit>

using namespace cclc;

Connections::Connections(PlanState &state, const SwitchTraffic &switches, Reads &reads)
    : state(state), switches(switches), reads(reads), fifos(state.placed.placedConnections.size()) {
  for (uint32_t c = 0; c < fifos.size(); ++c)
    fifos[c].isRead = fetchesMessages(
        state.plan, state.plan.threadblocks()[state.placed.placedConnections[c].receiverTb],
        state.machine.queue.reads);
  if (!state.placed.slots.isUnlimited())
    createCredits();
}

void Connections::createCredits() {
  const PlacedPlan &placed = state.placed;
  uint64_t transmissions = state.trips * state.sizing.transmissions(placed.maxCount), all = 0;
  for (uint32_t c = 0; c < fifos.size(); ++c) {
    uint64_t most = std::max<uint64_t>(placed.placedConnections[c].messages * transmissions, 1);
    uint64_t length = std::bit_ceil(std::min<uint64_t>(placed.slots.limit(), most));
    fifos[c].firstCredit = all;
    fifos[c].creditMask = length - 1;
    all += length;
  }
  credits.resize(all);
  if (state.options.criticalPath)
    readers.resize(all);
}

bool Connections::slotIsFree(uint32_t t) {
  const Slots slots = state.placed.slots;
  auto isFree = [&](ConnectionId connection) {
    Fifo &fifo = fifos[connection.index()];
    if (fifo.sent < slots.limit())
      return true;
    uint64_t inFlight = fifo.sent - fifo.received;
    if (inFlight >= slots.limit()) {
      fifo.senderWaits = true;
      return false;
    }
    SimTime freeAt = credits[fifo.credit(fifo.sent - slots.limit())];
    if (freeAt <= state.now)
      return true;
    state.schedule(freeAt, Event::Kind::Continue, t);
    return false;
  };
  return slots.isUnlimited() || llvm::all_of(state.sends(state.threads[t]), isFree);
}

void Connections::takeSlot(const ThreadblockState &self) {
  for (ConnectionId connection : state.sends(self)) {
    ++fifos[connection.index()].sent;
    ++state.result.messages;
    notify(state.listeners, &SimListener::slotTaken, connection, state.now);
  }
}

void Connections::announceSent(const ThreadblockState &self, Bytes size, SimTime at) {
  for (SimListener *listener : state.listeners)
    for (ConnectionId connection : state.sends(self))
      listener->messageSent(connection, StepId(self.next), size, at);
}

Arrival Connections::takeMessages(const ThreadblockState &self) {
  for (SimListener *listener : state.listeners)
    for (ConnectionId connection : state.receives(self))
      listener->messageTaken(connection, StepId(self.next), state.now);
  for (ConnectionId connection : state.receives(self).drop_front())
    fifos[connection.index()].arrived.pop();
  return recvFifo(self).arrived.pop();
}

SimTime Connections::returnCredit(const ThreadblockState &self, SimTime at) {
  SimTime last = at;
  for (ConnectionId connection : state.receives(self))
    last = std::max(last, returnCredit(self, connection, at));
  return last;
}

SimTime Connections::returnCredit(const ThreadblockState &self, ConnectionId of, SimTime at) {
  Fifo &fifo = fifos[of.index()];
  const PlacedConnection &connection = state.placed.placedConnections[of.index()];
  SimTime known = at + connection.creditLatency;
  if (!credits.empty())
    credits[fifo.credit(fifo.received)] = known;
  if (!readers.empty())
    readers[fifo.credit(fifo.received)] = {at, state.execution(self)};
  ++fifo.received;
  notify(state.listeners, &SimListener::slotFreed, of, known);
  if (fifo.senderWaits) {
    fifo.senderWaits = false;
    state.schedule(known, Event::Kind::Continue, connection.senderTb);
  }
  return state.machine.queue.creditBlocksReceiver ? known : at;
}

Ending Connections::slotFreed(const ThreadblockState &self) const {
  std::optional<Ending> last;
  for (ConnectionId connection : state.sends(self)) {
    const Fifo &fifo = fifos[connection.index()];
    if (fifo.sent < state.placed.slots.limit())
      continue;
    const Ending &reader = readers[fifo.credit(fifo.sent - state.placed.slots.limit())];
    if (!last || reader.at > last->at)
      last = reader;
  }
  return *last;
}

void Connections::store(uint32_t f) {
  uint32_t c = switches.connectionOf(f), receiver = state.placed.placedConnections[c].receiverTb;
  if (fifos[c].isRead)
    return deliver(f);
  const QueueModel &queue = state.machine.queue;
  SimTime written = throughQueue(
      state.share.queueOfReceives(receiver), state.now, state.machine.directionQueues.switchTime,
      [&](SimTime from) {
        return occupy(state.peOfThread(receiver).memory.writing(state.machine.memory.slots), from,
                      queue.write.duration(state.network.flight(f).size));
      });
  if (written > state.now)
    state.schedule(written, Event::Kind::Deliver, f);
  else
    deliver(f);
}

void Connections::deliver(uint32_t f) {
  const Flight &flight = state.network.flight(f);
  uint32_t c = switches.connectionOf(f);
  // The way of data that are read begins with the request.
  Arrival arrival{fifos[c].isRead ? reads.requested(c) : flight.injected, flight.contention,
                  flight.sender};
  switches.addCrossing(f, arrival);
  for (ConnectionId connection :
       state.placed.connections.recvsOf(state.placed.placedConnections[c].receiverTb)) {
    fifos[connection.index()].arrived.push(arrival);
    notify(state.listeners, &SimListener::messageArrives, connection, state.now);
  }
  wakeReceiver(c);
  state.network.release(f);
}

void Connections::deliverSignal(uint32_t c) {
  reads.receiveSignal(c);
  if (!state.threads[state.placed.placedConnections[c].receiverTb].awaitsData)
    wakeReceiver(c);
}

void Connections::wakeReceiver(uint32_t c) {
  if (std::exchange(fifos[c].receiverWaits, false))
    state.woken.push_back(state.placed.placedConnections[c].receiverTb);
}
