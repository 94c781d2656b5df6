//===- Reads.cpp - Signals, requests and data of reads --------------------===//
//
// Signals and requests are events after the time of a credit. A receiver has one read at a time on
// a connection, so data arrive in the order of the signals; the network delivers them like other
// messages.
//
// Implements rules 53 to 55.
//
//===----------------------------------------------------------------------===//

#include "Reads.h"

using namespace cclc;

void ReadingEngine::readEvent(const Event &event) {
  if (event.kind == Event::Kind::Signal)
    deliverSignal(event.index);
  else
    serveRead(event.index);
}

void ReadingEngine::sendSignal(const ThreadblockState &self, SimTime at) {
  uint32_t c = (*self.send).index();
  ReadFifo &fifo = reads[c];
  const uint64_t sender = execution(self);
  fifo.sentSignals.push({at, SimTime(), sender});
  fifo.lastSignal =
      std::max(fifo.lastSignal, at + bound.bound[c].creditLatency + messageDelay(sender));
  queue.push(fifo.lastSignal, {Event::Kind::Signal, c});
}

void ReadingEngine::deliverSignal(uint32_t c) {
  Fifo &fifo = fifos[c];
  reads[c].signals.push(reads[c].sentSignals.pop());
  uint32_t receiver = bound.bound[c].receiverTb;
  if (fifo.receiverWaits && !states[receiver].awaitsData) {
    fifo.receiverWaits = false;
    woken.push_back(receiver);
  }
}

void ReadingEngine::requestRead(ThreadblockState &self, Bytes size) {
  uint32_t c = (*self.recv).index();
  reads[c].signals.pop();
  reads[c].read = {now, size, execution(self)};
  self.awaitsData = true;
  queue.push(now + bound.bound[c].creditLatency, {Event::Kind::Request, c});
}

/// The DMA engine of the sender executes the read that has been requested.
void ReadingEngine::serveRead(uint32_t c) {
  const Read &read = reads[c].read;
  Pe &pe = pes[states[bound.bound[c].senderTb].pe];
  SimTime start = std::max(now, pe.dma);
  if (!machine.pe.dmaRate.isUnlimited())
    pe.dma = start + pe.skewed(transferTime(read.size, machine.pe.dmaRate));
  uint32_t f = network.create(share.firstConnection + c, read.size, start, read.execution);
  if (start == now)
    network.start(f, now);
  else
    queue.push(start, {Event::Kind::Inject, f});
}
