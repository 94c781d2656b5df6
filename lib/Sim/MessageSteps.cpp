//===- MessageSteps.cpp - Steps without a protocol ------------------------===//
//
// If the machine has no protocols, a step begins when all its waits are satisfied, uses the engines
// of its PE sequentially, and sends and receives whole messages. If its chunks do not fit into a
// slot, each of its transmissions is executed like a step: it waits for its own message and slot,
// and is a separate execution on the critical path. Sizes without such steps, for which a step has
// one number and no parts, have an instance of the engine of their own, because it is faster.
//
// Implements rules 7, 11 to 15, 18, 19 and 48.
//
//===----------------------------------------------------------------------===//

#include "Engines.h"

#include <algorithm>

using namespace cclc;

namespace {
/// \p split: whether a step may have several transmissions.
template <bool split> class MessageSteps final : public EngineCore {
public:
  MessageSteps(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
               const SimOptions &options, MachineShare share)
      : EngineCore(bound, sizing, network, options, std::move(share)) {
    if (split) {
      firstPart = {0};
      for (const Step &step : plan.steps())
        firstPart.push_back(firstPart.back() + sizing.parts(nullptr, step));
    }
    prepare(options);
  }

private:
  uint64_t executionsPerTrip() const override {
    return split ? firstPart.back() : plan.steps().size();
  }
  uint64_t execution(const ThreadblockState &thread) const override {
    if (split)
      return thread.trip * firstPart.back() + firstPart[thread.next] + thread.part;
    return thread.trip * plan.steps().size() + thread.next;
  }
  uint32_t stepOf(uint64_t execution) const override {
    if (split)
      return std::upper_bound(firstPart.begin(), firstPart.end(), execution) - firstPart.begin() -
             1;
    return execution;
  }
  SimTime completeAt(Fifo &) override { return SimTime(); }

  bool isFirst(const ThreadblockState &self) const { return !split || self.part == 0; }
  bool isLast(const ThreadblockState &self) const {
    return !split || firstPart[self.next] + self.part + 1 == firstPart[self.next + 1];
  }
  /// The size of the current transmission, or of a local step.
  Bytes sizeOfPart(const ThreadblockState &self, const Step &step, const OpTraits &op) const {
    if (split && op.communicates())
      return pieceSize(self) * sizing.chunksOf(self.part, step.count);
    return sizeOfStep(self, step);
  }

  void endPart(uint32_t t) override {
    ThreadblockState &self = states[t];
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
      if (isFirst(self) && !dependenceIsMet(t, step)) {
        waitingFor(t, Cause::Dependence);
        return;
      }
      if (op.receives && !messageIsThere(self)) {
        waitingFor(t, Cause::Link);
        return;
      }
      if (gates.hasGates() && !gateIsOpen(t))
        return;
      if (op.sends && !slotIsFree(t)) {
        waitingFor(t, Cause::Slot);
        return;
      }
      if (recorder)
        record(t, step);
      chargeWait(t);
      SimTime end = execute(t, step, op) + randomDelay();
      charge(t, Cause::Engine, end - now);
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

  /// Executes a step, or one transmission of it, whose waits are satisfied, and returns its end.
  SimTime execute(uint32_t t, const Step &step, const OpTraits &op) {
    ThreadblockState &self = states[t];
    Pe &pe = pes[self.pe];
    if (isFirst(self))
      for (SimListener *listener : listeners)
        listener->stepBegins(current(t), now);
    Bytes size = sizeOfPart(self, step, op);
    SimTime at = now;
    SimTime *stream = nullptr;
    if (!pe.streams.empty()) {
      stream = &*std::min_element(pe.streams.begin(), pe.streams.end());
      at = std::max(at, *stream);
    }
    if (isFirst(self))
      at += pe.skewed(machine.pe.dispatchOf(op.communicates()));
    if (op.receives) {
      recvFifo(self).arrived.pop();
      for (SimListener *listener : listeners)
        listener->messageTaken(*self.recv, StepId(self.next), now);
      at += pe.skewed(machine.queue.receiveOverhead);
      at =
          throughQueue(bound.bound[(*self.recv).index()].receiverQueue, receiveQueues, at,
                       pe.skewed(machine.directionQueues.switchTime), [&](SimTime from) {
                         return occupy(pe.read, from, pe.skewed(machine.queue.read.duration(size)));
                       });
      at = returnCredit(self, at);
    }
    // Local operands must be loaded from here on.
    if (SimTime loaded = memory.loaded(self.rank, self.next, self.piece); loaded > SimTime())
      at = std::max(at, memories[self.rank].loading + pe.skewed(loaded));
    if (op.reduces())
      at = occupy(pe.math, at, pe.skewed(machine.pe.math.duration(size)));
    if (step.op == OpKind::Copy)
      at = occupy(pe.copy, at, pe.skewed(machine.pe.copy.duration(size)));
    if (op.sends)
      at = inject(self, pe, at, size);
    if (stream)
      *stream = at;
    return at;
  }

  /// Sends a message at \p at. Returns the time when the threadblock continues.
  SimTime inject(const ThreadblockState &self, Pe &pe, SimTime at, Bytes size) {
    takeSlot(self);
    at = throughQueue(bound.bound[(*self.send).index()].senderQueue, sendQueues, at,
                      pe.skewed(machine.directionQueues.switchTime),
                      [](SimTime from) { return from; });
    // Other threadblocks may send while the message is in transit to the DMA engine.
    SimTime overhead = pe.skewed(machine.queue.sendOverhead);
    SimTime start = std::max(at + overhead, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + pe.skewed(transferTime(size, machine.pe.dmaRate));
    for (SimListener *listener : listeners)
      listener->messageSent(*self.send, StepId(self.next), size, start);
    uint32_t f =
        network.create(share.firstConnection + (*self.send).index(), size, start, execution(self));
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
    uint32_t c = connectionOf(flight);
    // A slow threadblock delays the end of the message.
    if (!machine.pe.threadblockRate.isUnlimited())
      at = std::max(at, flight.injected + bound.routes[c].latency + flight.contention +
                            pes[states[bound.bound[c].senderTb].pe].skewed(
                                transferTime(flight.size, machine.pe.threadblockRate)));
    Fifo &fifo = fifos[c];
    fifo.lastArrival = std::max(at, fifo.lastArrival);
    queue.push(fifo.lastArrival, {Event::Kind::Arrive, f});
  }

  /// By step: the number of its first transmission; the last entry is the number of all. Empty if
  /// no step is split.
  std::vector<uint64_t> firstPart;
};
} // namespace

std::unique_ptr<EngineCore> cclc::createMessageEngine(const BoundPlan &plan, const Sizing &sizing,
                                                      NetworkModel &network,
                                                      const SimOptions &options,
                                                      MachineShare share) {
  if (sizing.transmissions(plan.maxCount) > 1)
    return std::make_unique<MessageSteps<true>>(plan, sizing, network, options, std::move(share));
  return std::make_unique<MessageSteps<false>>(plan, sizing, network, options, std::move(share));
}
