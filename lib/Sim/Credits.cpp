//===- Credits.cpp - Messages, slots and credits of connections -----------===//
//
// The messages of a connection are limited by its slots. The sender counts the messages that it has
// sent, and the time of the credit of each message is stored by its number, modulo a power of two
// that is at least the number of slots.
//
// Implements rules 16 to 19 and 56, and 48 for arriving messages.
//
//===----------------------------------------------------------------------===//

#include "EngineCore.h"

#include "cclc/Limits/PlanReads.h"

#include <bit>

using namespace cclc;

void EngineCore::createFifos() {
  fifos.resize(bound.bound.size());
  for (uint32_t c = 0; c < fifos.size(); ++c)
    fifos[c].isRead =
        fetchesMessages(plan, plan.threadblocks()[bound.bound[c].receiverTb], machine.queue.reads);
  if (llvm::any_of(fifos, [](const Fifo &fifo) { return fifo.isRead; }))
    reads.resize(fifos.size());
  if (bound.slots.isUnlimited())
    return;
  uint64_t all = 0;
  for (uint32_t c = 0; c < fifos.size(); ++c) {
    uint64_t most = bound.bound[c].messages * trips * sizing.transmissions(bound.maxCount);
    uint64_t length =
        std::bit_ceil(std::min<uint64_t>(bound.slots.limit(), std::max<uint64_t>(most, 1)));
    fifos[c].firstCredit = all;
    fifos[c].creditMask = length - 1;
    all += length;
  }
  credits.resize(all);
  if (recorder)
    readers.resize(all);
}

bool EngineCore::slotIsFree(uint32_t t) {
  auto isFree = [&](ConnectionId connection) {
    Fifo &fifo = fifos[connection.index()];
    if (fifo.sent < bound.slots.limit())
      return true;
    uint64_t inFlight = fifo.sent - fifo.received;
    if (inFlight >= bound.slots.limit()) {
      fifo.senderWaits = true;
      return false;
    }
    SimTime freeAt = credits[fifo.credit(fifo.sent - bound.slots.limit())];
    if (freeAt <= now)
      return true;
    queue.push(freeAt, {Event::Kind::Continue, t});
    return false;
  };
  return bound.slots.isUnlimited() || llvm::all_of(sends(states[t]), isFree);
}

void EngineCore::takeSlot(const ThreadblockState &self) {
  for (ConnectionId connection : sends(self)) {
    ++fifos[connection.index()].sent;
    ++result.messages;
    for (SimListener *listener : listeners)
      listener->slotTaken(connection, now);
  }
}

SimTime EngineCore::returnCredit(const ThreadblockState &self, SimTime at) {
  SimTime last = at;
  for (ConnectionId connection : receives(self))
    last = std::max(last, returnCredit(self, connection, at));
  return last;
}

SimTime EngineCore::returnCredit(const ThreadblockState &self, ConnectionId of, SimTime at) {
  Fifo &fifo = fifos[of.index()];
  const BoundConnection &connection = bound.bound[of.index()];
  SimTime known = at + connection.creditLatency;
  if (!credits.empty())
    credits[fifo.credit(fifo.received)] = known;
  if (!readers.empty())
    readers[fifo.credit(fifo.received)] = {execution(self), at};
  ++fifo.received;
  for (SimListener *listener : listeners)
    listener->slotFreed(of, known);
  if (fifo.senderWaits) {
    fifo.senderWaits = false;
    queue.push(known, {Event::Kind::Continue, connection.senderTb});
  }
  return machine.queue.creditBlocksReceiver ? known : at;
}

void EngineCore::arrives(uint32_t f, SimTime at) {
  if (!isCrossing(f) || passesSwitch(f, at))
    messageArrives(f, at + messageDelay(network.flight(f).sender));
}

/// Writes a message, whose last byte has arrived, to its slot.
void EngineCore::store(uint32_t f) {
  const Flight &flight = network.flight(f);
  const BoundConnection &connection = bound.bound[connectionOf(f)];
  if (fifos[connectionOf(f)].isRead)
    return deliver(f);
  Pe &pe = pes[states[connection.receiverTb].pe];
  SimTime written = throughQueue(share.queueOfReceives(connection.receiverTb), now,
                                 machine.directionQueues.switchTime, [&](SimTime from) {
                                   return occupy(pe.memory.writing(machine.memory.slots), from,
                                                 machine.queue.write.duration(flight.size));
                                 });
  if (written > now)
    queue.push(written, {Event::Kind::Deliver, f});
  else
    deliver(f);
}

void EngineCore::deliver(uint32_t f) {
  const Flight &flight = network.flight(f);
  uint32_t c = connectionOf(f), receiver = bound.bound[c].receiverTb;
  Fifo &fifo = fifos[c];
  // The way of data that are read begins with the request.
  SimTime begin = fifo.isRead ? reads[c].read.posted : flight.injected;
  addArrival(f, {begin, flight.contention, flight.sender});
  if (fifo.receiverWaits) {
    fifo.receiverWaits = false;
    woken.push_back(receiver);
  }
  network.release(f);
}

void EngineCore::schedule(SimTime at, uint32_t token) {
  queue.push(at, {Event::Kind::Network, token});
}

void EngineCore::linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  for (SimListener *listener : listeners)
    listener->linkBusy(link, bytes, begin, end);
}
