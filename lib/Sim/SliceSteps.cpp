//===- SliceSteps.cpp - Steps with a GPU protocol -------------------------===//
//
// A protocol divides a step into transmissions, each of which takes a slot, and these into slices,
// which enter the network one by one. A step consists of parts: its preparation, then its slices;
// each is a separate execution on the critical path.
//
// Implements rules P1 to P9, in the place of rules 13 to 15, 18 and 19.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "cclc/IR/MergedReductions.h"

#include <algorithm>

using namespace cclc;

namespace {
class SliceSteps final : public StepModel {
public:
  explicit SliceSteps(Stages &stages)
      : stages(stages), protocol(*state.placed.protocol),
        heads(state.placed.placedConnections.size()) {
    mergeReductions();
  }

private:
  void mergeReductions() {
    ArrayRef<Step> steps = state.plan.steps();
    reductions.resize(steps.size(), 1);
    for (const Threadblock &tb : state.plan.threadblocks()) {
      MergedReductions merged;
      for (uint32_t s = tb.firstStep, first = s; s < tb.firstStep + tb.numSteps; ++s)
        if (merged.add(steps[s])) {
          ++reductions[first];
          reductions[s] = 0;
        } else {
          first = s;
        }
    }
  }

  /// Runs until a part of a step takes time or has to wait.
  void advance(uint32_t t) override {
    ThreadblockState &self = state.threads[t];
    while (!self.idle) {
      const Step &step = state.plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (self.part == 0
              ? !threadblocks.dependenceIsMet(t, step) || !threadblocks.operandsAreLoaded(t)
              : !threadblocks.canTransfer(t, op.receives, op.sends && self.slice == 0))
        return;
      // For listeners, a step begins when its waits are satisfied.
      stages.beginExecution(t, step, self.part == (op.communicates() ? 1 : 0));
      if (self.part == 0) {
        self.worked = state.now + state.pes[self.pe].skewed(preparation(self, step, op));
      } else {
        moveSlice(t, step, op);
        if (op.sends)
          return; // until the slice has left
      }
      if (threadblocks.worksUntil(t, self.worked))
        return;
      endPart(t);
    }
  }

  /// The time of a step before its first transmission, or of a whole local step.
  SimTime preparation(const ThreadblockState &self, const Step &step, const OpTraits &op) const {
    SimTime time = state.machine.pe.dispatchOf(op.communicates());
    if (step.waits())
      time += step.op == OpKind::Nop ? state.machine.pe.nop : state.machine.pe.wait;
    if (op.communicates())
      return time + protocol.stepLatency;
    if (step.op == OpKind::Reduce && reductions[self.next]) {
      uint64_t operands = reductions[self.next] + 1;
      time += state.machine.pe.math.duration(state.sizeOfStep(self, step)) *
              int64_t(ceilDiv(operands, state.machine.pe.mathOperands));
    }
    if (step.op == OpKind::Copy)
      time += protocol.trip.duration(state.sizeOfStep(self, step));
    return time;
  }

  struct Slice {
    Bytes size;
    bool last; ///< whether it is the last slice of its transmission
  };
  Slice currentSlice(const ThreadblockState &self, const Step &step) const {
    uint64_t bytes =
        state.pieceSize(self).count() * state.sizing.chunksOf(self.transmission, step.count);
    uint64_t size = std::max(ceilDiv(bytes, protocol.slices), protocol.minSlice.count());
    uint64_t begin = self.slice * size;
    return {Bytes(std::min(size, bytes - begin)), begin + size >= bytes};
  }

  /// Moves a slice whose message (if it receives) and slot (if it sends) are available.
  void moveSlice(uint32_t t, const Step &step, const OpTraits &op) {
    ThreadblockState &self = state.threads[t];
    Pe &pe = state.pes[self.pe];
    auto [size, last] = currentSlice(self, step);
    SimTime own = pe.skewed(protocol.sliceLatency + protocol.trip.duration(size));
    self.worked = state.now + own;
    if (op.receives) {
      Arrival arrival = connections.takeMessages(self);
      // The last trip cannot begin before the last byte has arrived.
      SimTime complete = heads[self.receives.front().index()].complete.pop();
      SimTime least = std::max(complete, state.now) + pe.skewed(std::min(own, protocol.trip.cycle));
      if (least > self.worked) {
        if (stages.recording)
          stages.recording->waitForRest(self, arrival, complete);
        threadblocks.charge(t, Cause::Link, least - self.worked);
        self.since += least - self.worked;
        self.worked = least;
      }
      if (last)
        self.worked = connections.returnCredit(self, self.worked);
    }
    if (op.sends) {
      if (self.slice == 0)
        connections.takeSlot(self);
      Bytes wire = protocol.onWire(size);
      SimTime start = state.throughDma(pe, state.now, wire);
      connections.announceSent(self, wire, start);
      state.schedule(start, Event::Kind::Inject, stages.switches.createFlight(self, wire, start));
    }
  }

  /// The sender of a slice continues when the last byte has left.
  void messageLeaves(uint32_t t, const Flight &flight, SimTime lastByte) override {
    ThreadblockState &sender = state.threads[t];
    SimTime left = std::max({state.now, sender.worked, lastByte});
    SimTime held = std::min(flight.contention, left - sender.worked);
    threadblocks.charge(t, Cause::Engine, sender.worked - sender.since);
    threadblocks.charge(t, Cause::Contention, held);
    threadblocks.charge(t, Cause::Link, left - sender.worked - held);
    if (stages.recording)
      stages.recording->endWork(sender);
    sender.since = sender.ended = left;
    state.schedule(left, Event::Kind::PartDone, t);
  }

  /// The network has determined the arrival of slice \p f.
  void messageArrives(uint32_t f, SimTime at) override {
    const Flight &flight = state.network.flight(f);
    uint32_t c = stages.switches.connectionOf(f);
    const PlacedConnection &connection = state.placed.placedConnections[c];
    SimTime latency = state.placed.routes[c].latency;
    SimTime worked = state.threads[connection.senderTb].worked;
    Fifo &fifo = connections[c];
    bool isCopy =
        stages.switches.isCrossing(f); // its sender has continued when it left for the switch
    SimTime complete = std::max(at, fifo.lastArrival);
    if (!isCopy) {
      messageLeaves(connection.senderTb, flight, at - latency);
      complete = std::max(complete, worked + latency);
    }
    SimTime head = complete;
    if (protocol.streaming && !isCopy)
      head = std::min(complete, std::max({state.now, heads[c].last,
                                          flight.injected + flight.contention + latency +
                                              protocol.sliceLatency + protocol.trip.cycle}));
    heads[c].complete.push(complete);
    fifo.lastArrival = complete;
    heads[c].last = head;
    state.schedule(head, Event::Kind::Arrive, f);
  }

  /// A part of the current step of \p t has ended.
  void endPart(uint32_t t) override {
    ThreadblockState &self = state.threads[t];
    const Step &step = state.plan.steps()[self.next];
    const OpTraits &op = traits(step.op);
    if (self.part++ == 0) {
      if (op.communicates())
        return;
    } else if (!currentSlice(self, step).last) {
      ++self.slice;
      return;
    } else {
      self.slice = 0;
      if (++self.transmission < state.sizing.transmissions(step.count))
        return;
    }
    self.part = self.transmission = 0;
    threadblocks.complete(t);
  }

  /// The slices of a connection whose head arrives before the rest.
  struct Heads {
    Ring<SimTime> complete; ///< of slices that are not received yet
    SimTime last;
  };

  Stages &stages;
  PlanState &state = stages.state;
  Connections &connections = stages.connections;
  Threadblocks &threadblocks = stages.threadblocks;
  const ProtocolModel &protocol;
  std::vector<Heads> heads; ///< by connection
  /// By step: the number of reductions that are merged into it; 0 if it is merged into an earlier
  /// one.
  std::vector<uint32_t> reductions;
};
} // namespace

std::unique_ptr<StepModel> cclc::createSliceSteps(Stages &stages) {
  return std::make_unique<SliceSteps>(stages);
}
