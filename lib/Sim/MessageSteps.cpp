//===- MessageSteps.cpp - Steps without a protocol ------------------------===//
//
// If the machine has no protocols, a step begins when all its waits are satisfied, uses the engines
// of its PE sequentially, and sends and receives whole messages. If its chunks do not fit into a
// slot, each of its transmissions is executed like a step: it waits for its own message and slot,
// and is a separate execution on the critical path. A receive that fetches its messages has two
// parts for each transmission: the request, and the rest as soon as the data have arrived. Plans
// and sizes without such steps, for which a step has one number and no parts, have an instance of
// the engine of their own, because it is faster.
//
// Implements rules 7, 11 to 15, 18, 19, 48, 56 and 59, and with Reads.cpp rules 53 and 54.
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "ProcessorCosts.h"
#include "Reads.h"

#include <algorithm>
#include <cassert>

using namespace cclc;

namespace {
/// \p split: whether a step may have several parts: transmissions, or requests and data.
template <bool split> class MessageSteps final : public ReadingEngine {
public:
  MessageSteps(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
               const SimOptions &options, MachineShare share)
      : ReadingEngine(bound, sizing, network, options, std::move(share)) {
    if (machine.processors)
      processorCosts.emplace(bound, sizing);
  }

private:
  bool isFirst(const ThreadblockState &self) const { return !split || self.part == 0; }
  bool isLast(const ThreadblockState &self) const {
    return !split || self.part + 1 == executions.parts(self.next);
  }
  /// Whether the current step fetches its messages; then its parts are alternately requests and
  /// the rest of a transmission.
  bool fetches(const ThreadblockState &self) const {
    return split && traits(plan.steps()[self.next].op).receives &&
           fifos[(*self.recv).index()].isRead;
  }
  bool isRequest(const ThreadblockState &self) const { return fetches(self) && !self.awaitsData; }
  /// The size of the current transmission, or of a local step.
  Bytes sizeOfPart(const ThreadblockState &self, const Step &step, const OpTraits &op) const {
    if (!split || !op.communicates())
      return sizeOfStep(self, step);
    uint32_t transmission = self.part / (fetches(self) ? partsOfRead : 1);
    return pieceSize(self) * sizing.chunksOf(transmission, step.count);
  }

  void endPart(uint32_t t) override {
    ThreadblockState &self = states[t];
    if (isRequest(self)) {
      const Step &step = plan.steps()[self.next];
      requestRead(self, sizeOfPart(self, step, traits(step.op)));
    } else {
      self.awaitsData = false;
    }
    if (!isLast(self)) {
      ++self.part;
      return;
    }
    complete(t);
    self.part = 0;
  }

  void advance(uint32_t t) override {
    ThreadblockState &self = states[t];
    while (!self.idle) {
      const Step &step = plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (!self.queued) {
        if (!self.loading && !conditionsHold(t, step, op))
          return;
        if (!self.loading) {
          if (recorder)
            record(t, step);
          chargeWait(t);
          if (isFirst(self))
            for (SimListener *listener : listeners)
              listener->stepBegins(current(t), now);
        }
      }
      if (!hasStream(t))
        return;
      SimTime *stream = freeStream(pes[self.pe]);
      SimTime at = stream ? std::max(now, *stream) : now;
      if (!self.loading) {
        at = begin(t, step, op, at);
        // Other steps use the stream until the operands are loaded.
        if (!isRequest(self) && !operandsAreLoaded(t)) {
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
      SimTime end = at + stepDelay(self);
      charge(t, Cause::Engine, end - self.since);
      self.since = self.ended = end;
      if (end > now) {
        queue.push(end, {split ? Event::Kind::PartDone : Event::Kind::StepDone, t});
        return;
      }
      if (split)
        endPart(t);
      else
        complete(t);
    }
  }

  /// Whether the current step of \p t can begin; if not, \p t waits for the first condition of rule
  /// 11 that does not hold.
  bool conditionsHold(uint32_t t, const Step &step, const OpTraits &op) {
    ThreadblockState &self = states[t];
    if (isFirst(self) && !dependenceIsMet(t, step)) {
      waitingFor(t, Cause::Dependence);
      return false;
    }
    if (op.receives && !messageIsThere(self)) {
      waitingFor(t, Cause::Link);
      return false;
    }
    if (gates.hasGates() && !gateIsOpen(t))
      return false;
    if (op.sends && !slotIsFree(t)) {
      waitingFor(t, Cause::Slot);
      return false;
    }
    return true;
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
    ThreadblockState &self = states[t];
    Pe &pe = pes[self.pe];
    if (pe.processor || pe.streams.empty())
      return true;
    if (self.queued) {
      assert(pe.turns.front().engine == this && pe.turns.front().threadblock == t);
      pe.turns.pop();
      self.queued = false;
      return true;
    }
    SimTime free = *freeStream(pe);
    if (free <= now && pe.turns.empty())
      return true;
    pe.turns.push({this, t});
    self.queued = true;
    if (pe.turns.size() == 1)
      continueAt(t, free);
    return false;
  }
  /// The step of \p t uses \p stream until \p end.
  void occupyStream(uint32_t t, SimTime *stream, SimTime end) {
    if (!stream)
      return;
    *stream = end;
    Pe &pe = pes[states[t].pe];
    if (!pe.turns.empty())
      pe.turns.front().engine->continueAt(pe.turns.front().threadblock, *freeStream(pe));
  }

  /// Begins a step, or one part of it: dispatches it, and requests or receives its message. Returns
  /// the time from which on it needs its local operands.
  SimTime begin(uint32_t t, const Step &step, const OpTraits &op, SimTime at) {
    ThreadblockState &self = states[t];
    Pe &pe = pes[self.pe];
    if (isFirst(self))
      at += pe.skewed(machine.pe.dispatchOf(op.communicates()));
    if (isRequest(self))
      return at + pe.skewed(machine.queue.receiveOverhead);
    return op.receives ? receive(self, step, at, sizeOfPart(self, step, op)) : at;
  }

  /// Executes the rest of the step from \p at on, when its operands are available. Returns its end.
  SimTime finish(uint32_t t, const Step &step, const OpTraits &op, SimTime at) {
    ThreadblockState &self = states[t];
    Pe &pe = pes[self.pe];
    Bytes size = sizeOfPart(self, step, op);
    auto inMemory = [&](SimTime time) {
      return pe.skewed(processorCosts ? processorCosts->inMemory(self.rank, time) : time);
    };
    if (op.reduces())
      at = occupy(pe.math, at, inMemory(machine.pe.math.duration(size)));
    if (step.op == OpKind::Copy)
      at = occupy(pe.copy, at, inMemory(machine.pe.copy.duration(size)));
    return op.sends ? inject(self, step, at, size) : at;
  }

  /// Whether the peer of a connection is executed by another processor.
  bool isRemote(const BoundConnection &connection) const {
    return pes[states[connection.senderTb].pe].processor !=
           pes[states[connection.receiverTb].pe].processor;
  }

  /// Takes the first message from \p at on. Returns the time when the threadblock continues.
  SimTime receive(const ThreadblockState &self, const Step &step, SimTime at, Bytes size) {
    Pe &pe = pes[self.pe];
    const BoundConnection &connection = bound.bound[(*self.recv).index()];
    takeMessages(self);
    // Data that were read are in their destination.
    if (!fetches(self)) {
      at += pe.skewed(machine.queue.receiveOverhead);
      if (processorCosts)
        at += pe.skewed(processorCosts->receive(self.rank, step.op, size, isRemote(connection)));
      at = throughQueue(share.queueOfReceives(connection.receiverTb), at,
                        pe.skewed(machine.directionQueues.switchTime), [&](SimTime from) {
                          return occupy(pe.memory.reading(machine.memory.slots), from,
                                        pe.skewed(machine.queue.read.duration(size)));
                        });
    }
    return returnCredit(self, at);
  }

  /// Writes a message at \p at to its slot at the sender, from where it is read, and signals it.
  SimTime publish(const ThreadblockState &self, Pe &pe, SimTime at, Bytes size) {
    at = occupy(pe.memory.writing(machine.memory.slots), at,
                pe.skewed(machine.queue.write.duration(size)));
    SimTime start = at + pe.skewed(machine.queue.sendOverhead);
    announceSent(self, size, start);
    sendSignal(self, start);
    return at;
  }

  /// Sends a message at \p at. Returns the time when the threadblock continues.
  SimTime inject(const ThreadblockState &self, const Step &step, SimTime at, Bytes size) {
    Pe &pe = pes[self.pe];
    const BoundConnection &connection = bound.bound[(*self.send).index()];
    takeSlot(self);
    if (split && sendFifo(self).isRead)
      return publish(self, pe, at, size);
    at = throughQueue(share.queueOfSends(connection.senderTb), at,
                      pe.skewed(machine.directionQueues.switchTime),
                      [](SimTime from) { return from; });
    // Other threadblocks may send while the message is in transit to the DMA engine.
    SimTime overhead = pe.skewed(machine.queue.sendOverhead);
    if (processorCosts) {
      bool remote = isRemote(connection);
      at += pe.skewed(processorCosts->send(self.rank, step.op, size, remote));
      if (remote)
        overhead += processorCosts->latency();
    }
    SimTime start = std::max(at + overhead, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + pe.skewed(transferTime(size, machine.pe.dmaRate));
    announceSent(self, size, start);
    uint32_t f = createFlight(numberOf(self), size, start);
    // Saves an event for most messages.
    if (start == now)
      network.start(f, now);
    else
      queue.push(start, {Event::Kind::Inject, f});
    // A threadblock that moves its data itself is busy until the last byte has left.
    return start - overhead + pe.skewed(transferTime(size, machine.pe.threadblockRate));
  }

  void messageArrives(uint32_t f, SimTime at) override {
    const Flight &flight = network.flight(f);
    uint32_t c = connectionOf(f);
    // A slow threadblock delays the end of the message. It takes no part in a read.
    if (!machine.pe.threadblockRate.isUnlimited() && !fifos[c].isRead)
      at = std::max(at, flight.injected + bound.routes[c].latency + flight.contention +
                            pes[states[bound.bound[c].senderTb].pe].skewed(
                                transferTime(flight.size, machine.pe.threadblockRate)));
    Fifo &fifo = fifos[c];
    fifo.lastArrival = std::max(at, fifo.lastArrival);
    queue.push(fifo.lastArrival, {Event::Kind::Arrive, f});
  }

  static constexpr uint32_t partsOfRead = 2;

  std::optional<ProcessorCosts> processorCosts;
};
} // namespace

std::unique_ptr<EngineCore> cclc::createMessageEngine(const BoundPlan &plan, const Sizing &sizing,
                                                      NetworkModel &network,
                                                      const SimOptions &options,
                                                      MachineShare share) {
  if (sizing.numberExecutions(plan).haveParts())
    return std::make_unique<MessageSteps<true>>(plan, sizing, network, options, std::move(share));
  return std::make_unique<MessageSteps<false>>(plan, sizing, network, options, std::move(share));
}
