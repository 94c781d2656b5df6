//===- MessageSteps.cpp - Steps without a protocol ------------------------===//
//
// If the machine has no protocols, a step begins when all its waits are satisfied, uses the engines
// of its PE sequentially, and sends and receives whole messages. If its chunks do not fit into a
// slot, each of its transmissions is executed like a step: it waits for its own message and slot,
// and is a separate execution on the critical path. A receive that fetches its messages has two
// parts for each transmission: the request, and the rest as soon as the data have arrived. Plans
// and sizes without such steps, for which a step has one number and no parts, have an instance of
// the model of their own, because it is faster; so have machines whose engines take no time.
//
// Implements rules 7, 11 to 15, 18, 19, 48, 56 and 59, and with Reads.cpp rules 53 and 54.
//
//===----------------------------------------------------------------------===//

#include "ProcessorCosts.h"
#include "Stages.h"

#include <algorithm>
#include <cassert>

using namespace cclc;

namespace {
/// \p split: whether a step may have several parts: transmissions, or requests and data.
/// \p timed: whether a step may take time; if not, it ends when it begins.
template <bool split, bool timed> class MessageSteps final : public StepModel {
public:
  explicit MessageSteps(Stages &stages) : stages(stages) {
    if (state.machine.processors)
      processorCosts.emplace(state.placed, state.sizing);
  }

private:
  bool isFirst(const ThreadblockState &self) const { return !split || self.part == 0; }
  bool isLast(const ThreadblockState &self) const {
    return !split || self.part + 1 == state.executions.parts(self.next);
  }
  /// Whether the current step fetches its messages; then its parts are alternately requests and
  /// the rest of a transmission.
  bool fetches(const ThreadblockState &self) const {
    return split && traits(state.plan.steps()[self.next].op).receives &&
           connections.recvFifo(self).isRead;
  }
  bool isRequest(const ThreadblockState &self) const { return fetches(self) && !self.awaitsData; }
  /// The size of the current transmission, or of a local step.
  Bytes sizeOfPart(const ThreadblockState &self, const Step &step, const OpTraits &op) const {
    if (!split || !op.communicates())
      return state.sizeOfStep(self, step);
    uint32_t transmission = self.part / (fetches(self) ? partsOfRead : 1);
    return state.pieceSize(self) * state.sizing.chunksOf(transmission, step.count);
  }

  void endPart(uint32_t t) override {
    ThreadblockState &self = state.threads[t];
    if (isRequest(self)) {
      const Step &step = state.plan.steps()[self.next];
      stages.reads.request(self, sizeOfPart(self, step, traits(step.op)));
    } else {
      self.awaitsData = false;
    }
    if (!isLast(self)) {
      ++self.part;
      return;
    }
    threadblocks.complete(t);
    self.part = 0;
  }

  void advance(uint32_t t) override {
    ThreadblockState &self = state.threads[t];
    while (!self.idle) {
      const Step &step = state.plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (!self.queued && !self.loading) {
        if (isFirst(self) && !threadblocks.dependenceIsMet(t, step))
          return;
        if (!threadblocks.canTransfer(t, op.receives, op.sends))
          return;
        stages.beginExecution(t, step, isFirst(self));
      }
      if (timed && !hasStream(t))
        return;
      SimTime *stream = timed ? freeStream(state.pes[self.pe]) : nullptr;
      SimTime at = stream ? std::max(state.now, *stream) : state.now;
      if (!self.loading) {
        at = begin(t, step, op, at);
        // Other steps use the stream until the operands are loaded.
        if (timed && !isRequest(self) && !stages.memory.operandsAreLoaded(t)) {
          self.loading = true;
          self.worked = at;
          occupyStream(t, stream, at);
          return;
        }
      }
      if (std::exchange(self.loading, false))
        at = std::max(at, self.worked);
      if (!isRequest(self))
        at = finish(t, step, op, at);
      occupyStream(t, stream, at);
      if (threadblocks.worksUntil(t, timed ? at + state.stepDelay(self) : at))
        return;
      endPart(t);
    }
  }

  /// The processor of \p pe, or its stream that becomes free first; null if streams are unlimited.
  static SimTime *freeStream(Pe &pe) {
    if (pe.processor)
      return pe.processor;
    return pe.streams.empty() ? nullptr : &*std::min_element(pe.streams.begin(), pe.streams.end());
  }

  /// Whether the step of \p t may use a stream now; if not, \p t waits for its turn. A step that
  /// waits has not issued its accesses to ports yet, so that other accesses are served before.
  bool hasStream(uint32_t t) {
    ThreadblockState &self = state.threads[t];
    Pe &pe = state.pes[self.pe];
    if (pe.processor || pe.streams.empty())
      return true;
    if (self.queued) {
      assert(pe.turns.front().state == &state && pe.turns.front().threadblock == t);
      pe.turns.pop();
      self.queued = false;
      return true;
    }
    SimTime free = *freeStream(pe);
    if (free <= state.now && pe.turns.empty())
      return true;
    pe.turns.push({&state, t});
    self.queued = true;
    if (pe.turns.size() == 1)
      state.schedule(free, Event::Kind::Continue, t);
    return false;
  }
  /// The step of \p t uses \p stream until \p end.
  void occupyStream(uint32_t t, SimTime *stream, SimTime end) {
    if (!stream)
      return;
    *stream = end;
    Pe &pe = state.peOfThread(t);
    if (!pe.turns.empty())
      pe.turns.front().state->schedule(*freeStream(pe), Event::Kind::Continue,
                                       pe.turns.front().threadblock);
  }

  /// Begins a step, or one part of it: dispatches it, and requests or receives its message. Returns
  /// the time from which on it needs its local operands.
  SimTime begin(uint32_t t, const Step &step, const OpTraits &op, SimTime at) {
    ThreadblockState &self = state.threads[t];
    Pe &pe = state.pes[self.pe];
    if (timed && isFirst(self))
      at += pe.skewed(state.machine.pe.dispatchOf(op.communicates()));
    if (isRequest(self))
      return at + pe.skewed(state.machine.queue.receiveOverhead);
    return op.receives ? receive(self, step, at, sizeOfPart(self, step, op)) : at;
  }

  /// Executes the rest of the step from \p at on, when its operands are available. Returns its end.
  SimTime finish(uint32_t t, const Step &step, const OpTraits &op, SimTime at) {
    ThreadblockState &self = state.threads[t];
    Pe &pe = state.pes[self.pe];
    Bytes size = sizeOfPart(self, step, op);
    auto inMemory = [&](SimTime time) {
      return pe.skewed(processorCosts ? processorCosts->inMemory(self.rank, time) : time);
    };
    if (timed && op.reduces())
      at = occupy(pe.math, at, inMemory(state.machine.pe.math.duration(size)));
    if (timed && step.op == OpKind::Copy)
      at = occupy(pe.copy, at, inMemory(state.machine.pe.copy.duration(size)));
    return op.sends ? send(self, step, at, size) : at;
  }

  /// Whether the peer of a connection is executed by another processor.
  bool isRemote(const PlacedConnection &connection) const {
    return state.peOfThread(connection.senderTb).processor !=
           state.peOfThread(connection.receiverTb).processor;
  }

  /// Takes the first message from \p at on. Returns the time when the threadblock continues.
  SimTime receive(const ThreadblockState &self, const Step &step, SimTime at, Bytes size) {
    Pe &pe = state.pes[self.pe];
    const PlacedConnection &connection =
        state.placed.placedConnections[self.receives.front().index()];
    connections.takeMessages(self);
    // Data that were read are in their destination.
    if (timed && !fetches(self)) {
      at += pe.skewed(state.machine.queue.receiveOverhead);
      if (processorCosts)
        at += pe.skewed(processorCosts->receive(self.rank, step.op, size, isRemote(connection)));
      at = throughQueue(state.share.queueOfReceives(connection.receiverTb), at,
                        pe.skewed(state.machine.directionQueues.switchTime), [&](SimTime from) {
                          return occupy(pe.memory.reading(state.machine.memory.slots), from,
                                        pe.skewed(state.machine.queue.read.duration(size)));
                        });
    }
    return connections.returnCredit(self, at);
  }

  /// Writes a message at \p at to its slot at the sender, from where it is read, and signals it.
  SimTime publish(const ThreadblockState &self, Pe &pe, SimTime at, Bytes size) {
    at = occupy(pe.memory.writing(state.machine.memory.slots), at,
                pe.skewed(state.machine.queue.write.duration(size)));
    SimTime start = at + pe.skewed(state.machine.queue.sendOverhead);
    connections.announceSent(self, size, start);
    stages.reads.sendSignal(self, start);
    return at;
  }

  /// Sends a message at \p at. Returns the time when the threadblock continues.
  SimTime send(const ThreadblockState &self, const Step &step, SimTime at, Bytes size) {
    Pe &pe = state.pes[self.pe];
    const PlacedConnection &connection = state.placed.placedConnections[self.sends.front().index()];
    connections.takeSlot(self);
    if (split && connections.sendFifo(self).isRead)
      return publish(self, pe, at, size);
    if (!timed) {
      inject(self, size, at);
      return at;
    }
    at = throughQueue(state.share.queueOfSends(connection.senderTb), at,
                      pe.skewed(state.machine.directionQueues.switchTime),
                      [](SimTime from) { return from; });
    // Other threadblocks may send while the message is in transit to the DMA engine.
    SimTime overhead = pe.skewed(state.machine.queue.sendOverhead);
    if (processorCosts) {
      bool remote = isRemote(connection);
      at += pe.skewed(processorCosts->send(self.rank, step.op, size, remote));
      if (remote)
        overhead += processorCosts->latency();
    }
    SimTime start = state.throughDma(pe, at + overhead, size);
    inject(self, size, start);
    // A threadblock that moves its data itself is busy until the last byte has left.
    return start - overhead + pe.skewed(transferTime(size, state.machine.pe.threadblockRate));
  }

  /// A message enters the network at \p start.
  void inject(const ThreadblockState &self, Bytes size, SimTime start) {
    connections.announceSent(self, size, start);
    state.inject(stages.switches.createFlight(self, size, start), start);
  }

  void messageArrives(uint32_t f, SimTime at) override {
    const Flight &flight = state.network.flight(f);
    uint32_t c = stages.switches.connectionOf(f);
    // A slow threadblock delays the end of the message. It takes no part in a read.
    if (timed && !state.machine.pe.threadblockRate.isUnlimited() && !connections[c].isRead)
      at = std::max(at,
                    flight.injected + state.placed.routes[c].latency + flight.contention +
                        state.peOfThread(state.placed.placedConnections[c].senderTb)
                            .skewed(transferTime(flight.size, state.machine.pe.threadblockRate)));
    Fifo &fifo = connections[c];
    fifo.lastArrival = std::max(at, fifo.lastArrival);
    state.schedule(fifo.lastArrival, Event::Kind::Arrive, f);
  }

  static constexpr uint32_t partsOfRead = 2;

  Stages &stages;
  PlanState &state = stages.state;
  Connections &connections = stages.connections;
  Threadblocks &threadblocks = stages.threadblocks;
  std::optional<ProcessorCosts> processorCosts;
};
} // namespace

std::unique_ptr<StepModel> cclc::createMessageSteps(Stages &stages) {
  const PlanState &state = stages.state;
  if (state.executions.haveParts())
    return std::make_unique<MessageSteps<true, true>>(stages);
  if (enginesTakeTime(state.placed) || state.machine.queue.creditBlocksReceiver ||
      state.options.randomSchedule)
    return std::make_unique<MessageSteps<false, true>>(stages);
  return std::make_unique<MessageSteps<false, false>>(stages);
}
