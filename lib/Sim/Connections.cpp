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
    : state(state), switches(switches), reads(reads), fifos(state.placed.placedConnections.size()),
      writesTakeTime(!state.share.queueUses.receives.empty() ||
                     state.machine.queue.write.duration(Bytes(1 << 10)) > SimTime()) {
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

Ending Connections::slotFreed(const ThreadblockState &self) const {
  std::optional<Ending> last;
  for (ConnectionId connection : self.sends) {
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
  uint32_t c = switches.connectionOf(f);
  if (fifos[c].isRead || !writesTakeTime)
    return deliver(f, c);
  uint32_t receiver = state.placed.placedConnections[c].receiverTb;
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
    deliver(f, c);
}

void Connections::deliver(uint32_t f, uint32_t c) {
  const Flight &flight = state.network.flight(f);
  // The way of data that are read begins with the request.
  Arrival arrival{fifos[c].isRead ? reads.requested(c) : flight.injected, flight.contention,
                  flight.sender};
  if (switches.isCrossing(f))
    switches.addCrossing(f, arrival);
  uint32_t receiver = state.placed.placedConnections[c].receiverTb;
  for (ConnectionId connection : state.threads[receiver].receives) {
    fifos[connection.index()].arrived.push(arrival);
    notify(state.listeners, &SimListener::messageArrives, connection, state.now);
  }
  if (std::exchange(fifos[c].receiverWaits, false))
    state.woken.push_back(receiver);
  state.network.release(f);
}

void Connections::deliverSignal(uint32_t c) {
  reads.receiveSignal(c);
  uint32_t receiver = state.placed.placedConnections[c].receiverTb;
  if (!state.threads[receiver].awaitsData && std::exchange(fifos[c].receiverWaits, false))
    state.woken.push_back(receiver);
}
