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

#include "cclc/Limits/PlanReads.h"

using namespace cclc;

Reads::Reads(PlanState &state) : state(state) {
  if (hasReads(state.plan, state.machine.queue.reads))
    fifos.resize(state.placed.placedConnections.size());
}

void Reads::sendSignal(const ThreadblockState &self, SimTime at) {
  uint32_t c = self.sends.front().index();
  ReadFifo &fifo = fifos[c];
  const uint64_t sender = state.execution(self);
  fifo.sentSignals.push({at, SimTime(), sender});
  fifo.lastSignal = std::max(fifo.lastSignal, at + state.placed.placedConnections[c].creditLatency +
                                                  state.messageDelay(sender));
  state.schedule(fifo.lastSignal, Event::Kind::Signal, c);
}

void Reads::request(ThreadblockState &self, Bytes size) {
  uint32_t c = self.receives.front().index();
  ReadFifo &fifo = fifos[c];
  fifo.signals.pop();
  fifo.requested = state.now;
  fifo.size = size;
  fifo.execution = state.execution(self);
  self.awaitsData = true;
  state.schedule(state.now + state.placed.placedConnections[c].creditLatency, Event::Kind::Request,
                 c);
}

/// The DMA engine of the sender executes the read.
void Reads::serve(uint32_t c) {
  const ReadFifo &fifo = fifos[c];
  Pe &pe = state.peOfThread(state.placed.placedConnections[c].senderTb);
  SimTime start = state.throughDma(pe, state.now, fifo.size);
  state.inject(
      state.network.create(state.share.firstConnection + c, fifo.size, start, fifo.execution),
      start);
}
