#include "cclc/Sim/Engine.h"

#include "EventQueue.h"
#include "GateKeeper.h"
#include "LocalMemory.h"
#include "Ring.h"

#include <bit>
#include <random>

using namespace cclc;

namespace {

constexpr uint32_t none = ~uint32_t(0);
constexpr uint64_t eventsBetweenReports = uint64_t(1) << 20;

struct Event {
  enum class Kind : uint8_t {
    Continue, ///< a threadblock may go on (or look again)
    StepDone, ///< the current step of a threadblock is complete
    PartDone, ///< the same for a part of it: its preparation, or a slice
    Inject,   ///< a message enters the network
    Network,  ///< for the network model
    Arrive,   ///< the last byte of a message is at its receiver
    Deliver,  ///< a message has been written to its slot
  } kind;
  uint32_t index; ///< of the threadblock or the flight; what the network model gave
};

/// A message in its slot.
struct Arrival {
  SimTime injected, contention;
  uint64_t sender; ///< execution
  /// When all of it is there, which a receive that streams does not wait for.
  SimTime complete;
};

/// Who has emptied a slot, and when.
struct Reader {
  uint64_t execution;
  SimTime at;
};

class Simulation final : NetworkHost {
public:
  Simulation(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
             const SimOptions &options)
      : bound(bound), plan(bound.plan), machine(bound.machine), protocol(bound.protocol),
        sizing(sizing), network(network), memory(bound, sizing), gates(plan),
        listeners(options.listeners), onProgress(options.onProgress),
        launch(protocol ? protocol->launch : machine.launch),
        trips(uint64_t(sizing.pieces) * options.repeat) {
    network.attach(*this, !listeners.empty());
    if (options.randomSchedule)
      random.emplace(*options.randomSchedule);
    if (protocol)
      prepareParts();
    if (options.criticalPath) {
      recorder.emplace(trips * executionsPerTrip());
      latest.resize(plan.steps().size());
    }
    lastPiece = sizing.pieceBytes(sizing.pieces - 1);
    fullPiece = sizing.pieceBytes(0);
    prepare(options.skew);
  }

  SimResult run() {
    // The calls are issued first, in the order of the program.
    result.closedGate = findClosedGate(plan.info());
    if (result.closedGate)
      return std::move(result);
    for (uint32_t t = 0; t < threads.size(); ++t) {
      SimTime start = startOf(pes[threads[t].pe]);
      charge(t, Cause::Launch, start);
      threads[t].since = threads[t].ended = start;
      queue.push(start, {Event::Kind::Continue, t});
    }
    uint64_t handled = 0;
    while (!queue.empty()) {
      auto entry = queue.pop();
      now = entry.time;
      handle(entry.event);
      if (onProgress && ++handled % eventsBetweenReports == 0)
        onProgress(result.steps);
    }
    return finish();
  }

private:
  struct Thread {
    uint32_t next, begin, end; ///< steps
    uint64_t trip = 0;         ///< pieces done, over all repetitions
    uint32_t piece = 0;        ///< the current one
    uint32_t send = none, recv = none;
    uint32_t pe;
    SimTime since;                        ///< when the time that is not charged yet began
    SimTime ended;                        ///< when its last step ended
    SimTime announced;                    ///< up to when listeners know what it did
    uint32_t waiters = none, link = none; ///< list of those that wait for a step of this one
    bool done = false;
    /// With a protocol, where in its step the threadblock is: 0 before anything
    /// moves, then 1 + the number of slices that have.
    uint32_t part = 0;
    uint32_t transmission = 0, slice = 0;
    SimTime worked;        ///< when its own part in the current slice is done
    uint64_t previous = 0; ///< execution
  };
  /// With a protocol its messages are slices, and what takes a slot are
  /// transmissions.
  struct Fifo {
    uint64_t sent = 0, received = 0;
    Ring<SimTime> complete; ///< of slices whose head is still to come
    SimTime lastHead;
    Ring<Arrival> arrived;
    std::vector<SimTime> credits; ///< when a slot is free again, by message modulo a power of two
    std::vector<Reader> readers;  ///< the same way, if the critical path is recorded
    SimTime lastArrival;
    bool senderWaits = false, receiverWaits = false;
  };
  struct Pe {
    std::vector<SimTime> streams; ///< when each is free; empty: no limit
    SimTime math, copy, dma, read, write;
    SimTime stored; ///< when the last result is in memory
    Skew skew;
  };

  void prepare(ArrayRef<Skew> skew) {
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      Pe pe;
      if (machine.pe.streams && *machine.pe.streams < plan.numThreadblocks(RankId(r)))
        pe.streams.resize(*machine.pe.streams);
      if (!skew.empty())
        pe.skew = skew[r];
      pes.push_back(std::move(pe));
    }
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      Thread thread{};
      thread.next = thread.begin = tb.firstStep;
      thread.end = tb.firstStep + tb.numSteps;
      thread.pe = tb.rank.index();
      if (OptionalId<ConnectionId> send = bound.connections.sendOf(t))
        thread.send = (*send).index();
      if (OptionalId<ConnectionId> recv = bound.connections.recvOf(t))
        thread.recv = (*recv).index();
      thread.done = tb.numSteps == 0;
      threads.push_back(thread);
    }
    fifos.resize(bound.bound.size());
    if (!bound.slots.isUnlimited())
      for (uint32_t c = 0; c < fifos.size(); ++c) {
        uint64_t most = bound.bound[c].messages * trips * sizing.transmissions(bound.maxCount);
        fifos[c].credits.resize(
            std::bit_ceil(std::min<uint64_t>(bound.slots.limit(), std::max<uint64_t>(most, 1))));
        if (recorder)
          fifos[c].readers.resize(fifos[c].credits.size());
      }
    result.causes.resize(threads.size());
    result.finished.resize(threads.size());
  }

  void handle(Event event) {
    switch (event.kind) {
    case Event::Kind::Continue:
      advance(event.index);
      break;
    case Event::Kind::StepDone:
      complete(event.index);
      advance(event.index);
      break;
    case Event::Kind::PartDone:
      endPart(event.index);
      advance(event.index);
      break;
    case Event::Kind::Inject:
      network.start(event.index, now);
      break;
    case Event::Kind::Network:
      network.event(event.index, now);
      break;
    case Event::Kind::Arrive:
      store(event.index);
      break;
    case Event::Kind::Deliver:
      deliver(event.index);
      break;
    }
    // Those that were woken meanwhile, in order.
    for (size_t i = 0; i < woken.size(); ++i)
      advance(woken[i]);
    woken.clear();
  }

  // --- Threadblocks --------------------------------------------------------------------

  Bytes pieceSize(const Thread &thread) const {
    return thread.piece + 1 == sizing.pieces ? lastPiece : fullPiece;
  }
  Bytes sizeOfStep(const Thread &thread, const Step &step) const {
    return pieceSize(thread) * step.count;
  }

  void charge(uint32_t t, Cause cause, SimTime time) {
    result.causes[t][static_cast<size_t>(cause)] += time;
    if (!listeners.empty() && time > SimTime())
      announce(t, cause, time);
  }
  void announce(uint32_t t, Cause cause, SimTime time) {
    Thread &self = threads[t];
    SimTime begin = std::exchange(self.announced, self.announced + time);
    for (SimListener *listener : listeners)
      listener->spent(t, self.next, self.piece, cause, begin, self.announced);
  }
  /// Everything since the last charge was \p cause.
  void chargeUntilNow(uint32_t t, Cause cause) {
    charge(t, cause, now - threads[t].since);
    threads[t].since = now;
  }

  /// The threadblock that \p step of \p t waits for.
  Thread &ownerOf(uint32_t t, const Step &step) {
    return threads[plan.firstThreadblock(plan.threadblocks()[t].rank) + step.wait()->tb.index()];
  }

  /// Whether \p t has what its step waits for; if not, it will be woken.
  bool dependenceIsMet(uint32_t t, const Step &step) {
    if (!step.waits())
      return true;
    Thread &self = threads[t];
    Thread &other = ownerOf(t, step);
    uint32_t target = (*bound.publishers[other.begin + step.wait()->step.index()]).index();
    if (other.trip > self.trip || (other.trip == self.trip && other.next > target))
      return true;
    if (&other != &self) {
      self.link = other.waiters;
      other.waiters = t;
    }
    return false;
  }

  /// Begins steps of \p t until one takes time or has to wait.
  void advance(uint32_t t) {
    if (protocol)
      return advanceInParts(t);
    Thread &self = threads[t];
    while (!self.done) {
      const Step &step = plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (!dependenceIsMet(t, step)) {
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
        queue.push(end, {Event::Kind::StepDone, t});
        return;
      }
      complete(t);
    }
  }

  /// \p t stands still for \p cause from now on; what it stood still for before is
  /// charged.
  void waitingFor(uint32_t t, Cause cause) {
    chargeWait(t);
    waits[t] = cause;
  }

  void chargeWait(uint32_t t) {
    Thread &self = threads[t];
    if (self.since == now)
      return;
    Cause cause = waits[t];
    // The message that ended the wait says when it was sent and what held it up.
    if (cause == Cause::Link && !fifos[self.recv].arrived.empty()) {
      const Arrival &arrival = fifos[self.recv].arrived.front();
      SimTime sent = std::clamp(arrival.injected, self.since, now);
      SimTime flight = now - sent;
      SimTime held = std::min(arrival.contention, flight);
      charge(t, Cause::Dependence, sent - self.since);
      charge(t, Cause::Contention, held);
      charge(t, Cause::Link, flight - held);
      self.since = now;
      return;
    }
    chargeUntilNow(t, cause);
  }

  /// The critical path consists of executions: of steps, with a protocol of their parts.
  uint64_t executionsPerTrip() const { return protocol ? firstPart.back() : plan.steps().size(); }
  uint64_t execution(const Thread &thread) const {
    return protocol ? thread.trip * firstPart.back() + firstPart[thread.next] + thread.part
                    : thread.trip * plan.steps().size() + thread.next;
  }

  /// Notes what \p t waited for before its current execution, which begins now.
  void record(uint32_t t, const Step &step) {
    Thread &self = threads[t];
    uint64_t me = execution(self);
    uint64_t previous = std::exchange(self.previous, me);
    latest[self.next] = me;
    recorder->begins(me, now);
    bool first = self.trip == 0 && self.next == self.begin && self.part == 0;
    if (self.ended == now) {
      if (!first)
        recorder->follows(me, previous);
      return;
    }
    switch (waits[t]) {
    case Cause::Link: {
      const Arrival &arrival = fifos[self.recv].arrived.front();
      recorder->waited(me, Cause::Link, arrival.sender, arrival.injected, arrival.contention);
      break;
    }
    case Cause::Slot: {
      const Fifo &fifo = fifos[self.send];
      const Reader &reader =
          fifo.readers[(fifo.sent - bound.slots.limit()) & (fifo.readers.size() - 1)];
      recorder->waited(me, Cause::Slot, reader.execution, reader.at);
      break;
    }
    default: {
      uint32_t target =
          (*bound.publishers[ownerOf(t, step).begin + step.wait()->step.index()]).index();
      recorder->waited(me, Cause::Dependence, latest[target], now);
    }
    }
  }

  /// A message that is of another generation stays where it is.
  bool messageIsThere(const Thread &self) {
    Fifo &fifo = fifos[self.recv];
    if (fifo.arrived.empty()) {
      fifo.receiverWaits = true;
      return false;
    }
    if (!gates.hasGates())
      return true;
    uint64_t sender = fifo.arrived.front().sender, perTrip = executionsPerTrip();
    uint64_t step = sender % perTrip;
    if (protocol)
      step = std::upper_bound(firstPart.begin(), firstPart.end(), step) - firstPart.begin() - 1;
    return gates.match(step, sender / perTrip, self.next, self.trip);
  }

  bool gateIsOpen(uint32_t t) {
    std::optional<ClosedGate> closed = gates.enter(t, threads[t].next, threads[t].trip);
    if (closed)
      result.closedGate = closed;
    return !closed;
  }

  bool slotIsFree(uint32_t t) {
    Fifo &fifo = fifos[threads[t].send];
    if (bound.slots.isUnlimited() || fifo.sent < bound.slots.limit())
      return true;
    uint64_t inFlight = fifo.sent - fifo.received;
    if (inFlight >= bound.slots.limit()) {
      fifo.senderWaits = true;
      return false;
    }
    SimTime freeAt = fifo.credits[(fifo.sent - bound.slots.limit()) & (fifo.credits.size() - 1)];
    if (freeAt <= now)
      return true;
    queue.push(freeAt, {Event::Kind::Continue, t});
    return false;
  }

  // --- Parts of steps (with a protocol) ------------------------------------------------

  void prepareParts() {
    ArrayRef<Step> steps = plan.steps();
    firstPart = {0};
    reductions.resize(steps.size(), 1);
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep, chain = s; s < tb.firstStep + tb.numSteps; ++s) {
        firstPart.push_back(firstPart.back() + sizing.parts(*protocol, steps[s]));
        bool continues = s > tb.firstStep && steps[s].op == OpKind::Reduce && !steps[s].waits() &&
                         steps[chain].op == OpKind::Reduce && steps[s].dst == steps[chain].dst &&
                         steps[s].src.buffer() == steps[chain].src.buffer() &&
                         steps[s].count == steps[chain].count;
        if (continues) {
          ++reductions[chain];
          reductions[s] = 0;
        } else {
          chain = s;
        }
      }
  }

  /// Goes on until a part of a step takes time or has to wait.
  void advanceInParts(uint32_t t) {
    Thread &self = threads[t];
    while (!self.done) {
      const Step &step = plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (self.part == 0) {
        if (!dependenceIsMet(t, step))
          return waitingFor(t, Cause::Dependence);
      } else {
        if (op.receives && !messageIsThere(self))
          return waitingFor(t, Cause::Link);
        if (gates.hasGates() && !gateIsOpen(t))
          return;
        if (op.sends && self.slice == 0 && !slotIsFree(t))
          return waitingFor(t, Cause::Slot);
      }
      if (recorder)
        record(t, step);
      chargeWait(t);
      // A step begins for others when what it needs is there.
      if (self.part == (op.sends || op.receives ? 1 : 0))
        for (SimListener *listener : listeners)
          listener->stepBegins(t, self.next, self.piece, now);
      if (self.part == 0) {
        self.worked = now + skewed(pes[self.pe], preparation(self, step, op));
      } else {
        moveSlice(t, step, op);
        if (op.sends)
          return; // until the slice has left
      }
      charge(t, Cause::Engine, self.worked - self.since);
      self.since = self.ended = self.worked;
      if (self.worked > now) {
        queue.push(self.worked, {Event::Kind::PartDone, t});
        return;
      }
      endPart(t);
    }
  }

  /// What a step takes before its first transmission; what a local one takes.
  SimTime preparation(const Thread &self, const Step &step, const OpTraits &op) const {
    SimTime time = machine.pe.dispatchOf(op.communicates());
    if (step.waits())
      time += step.op == OpKind::Nop ? machine.pe.nop : machine.pe.wait;
    if (op.sends || op.receives)
      return time + protocol->stepLatency;
    if (step.op == OpKind::Reduce && reductions[self.next]) {
      uint64_t operands = reductions[self.next] + 1;
      time += machine.pe.math.duration(sizeOfStep(self, step)) *
              int64_t(ceilDiv(operands, machine.pe.mathOperands));
    }
    if (step.op == OpKind::Copy)
      time += protocol->trip.duration(sizeOfStep(self, step));
    return time;
  }

  struct Slice {
    Bytes size;
    bool last; ///< of its transmission
  };
  Slice currentSlice(const Thread &self, const Step &step) const {
    uint64_t chunks =
        std::min<uint64_t>(sizing.chunksPerTransmission,
                           step.count - uint64_t(self.transmission) * sizing.chunksPerTransmission);
    uint64_t bytes = pieceSize(self).count() * chunks;
    uint64_t size = std::max(ceilDiv(bytes, protocol->slices), protocol->minSlice.count());
    uint64_t begin = self.slice * size;
    return {Bytes(std::min(size, bytes - begin)), begin + size >= bytes};
  }

  /// The message (if it receives) and the slot (if it sends) are there.
  void moveSlice(uint32_t t, const Step &step, const OpTraits &op) {
    Thread &self = threads[t];
    Pe &pe = pes[self.pe];
    auto [size, last] = currentSlice(self, step);
    SimTime own = skewed(pe, protocol->trip.duration(size));
    self.worked = now + own;
    if (op.receives) {
      Arrival arrival = fifos[self.recv].arrived.pop();
      // The last trip cannot begin before the last byte is there.
      SimTime least =
          std::max(arrival.complete, now) + skewed(pe, std::min(own, protocol->trip.cycle));
      if (least > self.worked) {
        if (recorder) {
          recorder->begins(self.previous, arrival.complete);
          recorder->waited(self.previous, Cause::Link, arrival.sender, arrival.injected,
                           arrival.contention);
        }
        charge(t, Cause::Link, least - self.worked);
        self.since += least - self.worked;
        self.worked = least;
      }
      for (SimListener *listener : listeners)
        listener->messageTaken(self.recv, self.next, now);
      if (last)
        self.worked = returnCredit(self, self.worked);
    }
    if (op.sends) {
      if (self.slice == 0)
        takeSlot(self);
      SimTime start = std::max(now, pe.dma);
      Bytes wire = protocol->onWire(size);
      if (!machine.pe.dmaRate.isUnlimited())
        pe.dma = start + skewed(pe, transferTime(wire, machine.pe.dmaRate));
      for (SimListener *listener : listeners)
        listener->messageSent(self.send, self.next, wire, start);
      queue.push(start,
                 {Event::Kind::Inject, network.create(self.send, wire, start, execution(self))});
    }
  }

  /// The network knows when slice \p f arrives. Its sender is done with it when the last
  /// byte has left.
  void sliceArrives(uint32_t f, SimTime at) {
    const Flight &flight = network.flight(f);
    const BoundConnection &connection = bound.bound[flight.connection];
    Thread &sender = threads[connection.senderTb];
    SimTime left = std::max({now, sender.worked, at - connection.latency});
    SimTime held = std::min(flight.contention, left - sender.worked);
    charge(connection.senderTb, Cause::Engine, sender.worked - sender.since);
    charge(connection.senderTb, Cause::Contention, held);
    charge(connection.senderTb, Cause::Link, left - sender.worked - held);
    if (recorder)
      recorder->worked(sender.previous, sender.worked);
    sender.since = sender.ended = left;
    queue.push(left, {Event::Kind::PartDone, connection.senderTb});

    Fifo &fifo = fifos[flight.connection];
    SimTime complete = std::max({at, sender.worked + connection.latency, fifo.lastArrival});
    SimTime head = complete;
    if (protocol->streaming)
      head = std::min(complete, std::max({now, fifo.lastHead,
                                          flight.injected + flight.contention + connection.latency +
                                              protocol->trip.cycle}));
    fifo.complete.push(complete);
    fifo.lastArrival = complete;
    fifo.lastHead = head;
    queue.push(head, {Event::Kind::Arrive, f});
  }

  /// A part of the current step of \p t is done.
  void endPart(uint32_t t) {
    Thread &self = threads[t];
    const Step &step = plan.steps()[self.next];
    const OpTraits &op = traits(step.op);
    if (self.part++ == 0) {
      if (op.sends || op.receives)
        return;
    } else if (!currentSlice(self, step).last) {
      ++self.slice;
      return;
    } else {
      self.slice = 0;
      if (++self.transmission < sizing.transmissions(step.count))
        return;
    }
    self.part = self.transmission = 0;
    complete(t);
  }

  // --- Steps without a protocol ----------------------------------------------------------

  /// Executes a step that has everything it needs, and returns when it ends.
  SimTime execute(uint32_t t, const Step &step, const OpTraits &op) {
    Thread &self = threads[t];
    Pe &pe = pes[self.pe];
    for (SimListener *listener : listeners)
      listener->stepBegins(t, self.next, self.piece, now);
    Bytes size = sizeOfStep(self, step);
    SimTime at = now;
    SimTime *stream = nullptr;
    if (!pe.streams.empty()) {
      stream = &*std::min_element(pe.streams.begin(), pe.streams.end());
      at = std::max(at, *stream);
    }
    at += skewed(pe, machine.pe.dispatchOf(op.communicates()));
    if (op.receives) {
      fifos[self.recv].arrived.pop();
      for (SimListener *listener : listeners)
        listener->messageTaken(self.recv, self.next, now);
      at += skewed(pe, machine.queue.receiveOverhead);
      at = occupy(pe.read, at, skewed(pe, machine.queue.read.duration(size)));
      at = returnCredit(self, at);
    }
    // Local operands are needed from here on.
    if (SimTime loaded = memory.loaded(self.pe, self.next, self.trip); loaded > SimTime())
      at = std::max(at, startOf(pe) + skewed(pe, loaded));
    if (op.reduces())
      at = occupy(pe.math, at, skewed(pe, machine.pe.math.duration(size)));
    if (step.op == OpKind::Copy)
      at = occupy(pe.copy, at, skewed(pe, machine.pe.copy.duration(size)));
    if (op.sends)
      at = inject(self, pe, at, size);
    if (stream)
      *stream = at;
    return at;
  }

  SimTime startOf(const Pe &pe) const { return launch + pe.skew.start; }

  /// What takes \p duration on other PEs.
  static SimTime skewed(const Pe &pe, SimTime duration) {
    if (pe.skew.permille == 1000)
      return duration;
    return SimTime::clamped((Wide(duration.picoseconds()) * pe.skew.permille + 999) / 1000);
  }

  SimTime randomDelay() {
    constexpr uint64_t mostPicoseconds = 1'000'000;
    return SimTime(random ? int64_t((*random)() % mostPicoseconds) : 0);
  }

  /// An engine that serves one request after the other: when it is done with one
  /// that comes at \p from.
  static SimTime occupy(SimTime &freeAt, SimTime from, SimTime duration) {
    if (duration == SimTime())
      return from;
    return freeAt = std::max(freeAt, from) + duration;
  }

  /// The current step of \p t is complete.
  void complete(uint32_t t) {
    Thread &self = threads[t];
    for (SimListener *listener : listeners)
      listener->stepEnds(t, self.next, self.piece, now);
    ++result.steps;
    storeResults(t);
    bool publishes = plan.steps()[self.next].publishes;
    if (++self.next == self.end) {
      self.next = self.begin;
      if (++self.piece == sizing.pieces)
        self.piece = 0;
      if (++self.trip == sizing.pieces)
        result.firstRun = std::max(result.firstRun, now);
      if (self.trip == trips) {
        self.done = true;
        result.finished[t] = now;
      }
    }
    if (!publishes)
      return;
    // Who has waited longest is at the end of the list, and goes first.
    size_t first = woken.size();
    while (self.waiters != none) {
      uint32_t waiter = self.waiters;
      self.waiters = threads[waiter].link;
      threads[waiter].link = none;
      woken.push_back(waiter);
    }
    std::reverse(woken.begin() + first, woken.end());
  }

  /// Hands what the current step of \p t has written for the last time to memory.
  void storeResults(uint32_t t) {
    const Thread &self = threads[t];
    SimTime time = memory.storeTime(self.pe, self.next, self.trip);
    if (time == SimTime())
      return;
    Pe &pe = pes[self.pe];
    pe.stored = std::max(pe.stored, now) + skewed(pe, time);
    if (pe.stored > stored) {
      stored = pe.stored;
      lastStore = execution(self);
    }
  }

  // --- Connections -----------------------------------------------------------------------

  /// The first message is taken out of its slot at \p at. Returns when the receive
  /// goes on.
  SimTime returnCredit(const Thread &self, SimTime at) {
    Fifo &fifo = fifos[self.recv];
    const BoundConnection &connection = bound.bound[self.recv];
    SimTime known = at + connection.creditLatency;
    if (!fifo.credits.empty())
      fifo.credits[fifo.received & (fifo.credits.size() - 1)] = known;
    if (!fifo.readers.empty())
      fifo.readers[fifo.received & (fifo.readers.size() - 1)] = {execution(self), at};
    ++fifo.received;
    for (SimListener *listener : listeners)
      listener->slotFreed(self.recv, known);
    if (fifo.senderWaits) {
      fifo.senderWaits = false;
      queue.push(known, {Event::Kind::Continue, connection.senderTb});
    }
    return machine.queue.creditBlocksReceiver ? known : at;
  }

  /// For a message, with a protocol for a transmission.
  void takeSlot(const Thread &self) {
    ++fifos[self.send].sent;
    ++result.messages;
    for (SimListener *listener : listeners)
      listener->slotTaken(self.send, now);
  }

  /// Sends from \p at on; returns when the threadblock goes on.
  SimTime inject(const Thread &self, Pe &pe, SimTime at, Bytes size) {
    takeSlot(self);
    // Others may send while the message is on its way to the DMA engine.
    SimTime overhead = skewed(pe, machine.queue.sendOverhead);
    SimTime start = std::max(at + overhead, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + skewed(pe, transferTime(size, machine.pe.dmaRate));
    for (SimListener *listener : listeners)
      listener->messageSent(self.send, self.next, size, start);
    uint32_t f = network.create(self.send, size, start, execution(self));
    // One event fewer for most messages.
    if (start == now)
      network.start(f, now);
    else
      queue.push(start, {Event::Kind::Inject, f});
    // A threadblock that moves its data itself is busy until the last byte is out.
    return start - overhead + skewed(pe, transferTime(size, machine.pe.threadblockRate));
  }

  void schedule(SimTime at, uint32_t token) override {
    queue.push(at, {Event::Kind::Network, token});
  }

  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override {
    for (SimListener *listener : listeners)
      listener->linkBusy(link, bytes, begin, end);
  }

  void arrives(uint32_t f, SimTime at) override {
    at += randomDelay();
    if (protocol)
      return sliceArrives(f, at);
    const Flight &flight = network.flight(f);
    const BoundConnection &connection = bound.bound[flight.connection];
    // A threadblock that feeds the message slowly delays its end.
    if (!machine.pe.threadblockRate.isUnlimited())
      at = std::max(at, flight.injected + connection.latency + flight.contention +
                            skewed(pes[threads[connection.senderTb].pe],
                                   transferTime(flight.size, machine.pe.threadblockRate)));
    Fifo &fifo = fifos[flight.connection];
    fifo.lastArrival = std::max(at, fifo.lastArrival);
    queue.push(fifo.lastArrival, {Event::Kind::Arrive, f});
  }

  /// The last byte of a message is there: into the slot.
  void store(uint32_t f) {
    const Flight &flight = network.flight(f);
    Pe &pe = pes[threads[bound.bound[flight.connection].receiverTb].pe];
    SimTime written = occupy(pe.write, now, machine.queue.write.duration(flight.size));
    if (written > now)
      queue.push(written, {Event::Kind::Deliver, f});
    else
      deliver(f);
  }

  void deliver(uint32_t f) {
    const Flight &flight = network.flight(f);
    Fifo &fifo = fifos[flight.connection];
    fifo.arrived.push({flight.injected, flight.contention, flight.sender,
                       protocol ? fifo.complete.pop() : SimTime()});
    for (SimListener *listener : listeners)
      listener->messageArrives(flight.connection, now);
    if (fifo.receiverWaits) {
      fifo.receiverWaits = false;
      woken.push_back(bound.bound[flight.connection].receiverTb);
    }
    network.release(f);
  }

  SimResult finish() {
    result.completed = true;
    uint32_t last = 0;
    for (uint32_t t = 0; t < threads.size(); ++t) {
      result.completed &= threads[t].done;
      if (result.finished[t] > result.finished[last])
        last = t;
    }
    SimTime done = launch;
    uint64_t lastExecution = 0;
    if (!threads.empty()) {
      done = std::max(done, result.finished[last]);
      lastExecution = threads[last].previous;
    }
    if (stored > done) {
      done = stored;
      lastExecution = lastStore;
    }
    result.time = done;
    if (result.completed)
      result.time = std::max(done, machine.launchInterval * int64_t(trips / sizing.pieces));
    if (recorder && result.completed && trips > 0)
      traceBack(lastExecution, done);
    result.events = queue.count();
    result.links = network.linkUse().vec();
    return std::move(result);
  }

  /// \p last is the execution that everything waited for, until \p done.
  void traceBack(uint64_t last, SimTime done) {
    if (result.steps == 0)
      return;
    std::vector<uint32_t> threadblockOf, stepOf;
    for (uint32_t t = 0; t < threads.size(); ++t)
      for (uint32_t s = threads[t].begin; s < threads[t].end; ++s) {
        stepOf.resize(protocol ? firstPart[s + 1] : s + 1, s);
        threadblockOf.resize(stepOf.size(), t);
      }
    result.criticalPath = recorder->path(last, done, threadblockOf);
    for (PathSegment &segment : result.criticalPath)
      segment.step = stepOf[segment.step];
    if (done < result.time) {
      PathSegment &final = result.criticalPath.emplace_back(result.criticalPath.back());
      final.cause = Cause::Launch;
      final.begin = done;
      final.end = result.time;
    }
  }

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Machine &machine;
  const ProtocolModel *protocol; ///< null: a step is one message
  const Sizing &sizing;
  NetworkModel &network;
  LocalMemory memory;
  GateKeeper gates;
  ArrayRef<SimListener *> listeners;
  const std::function<void(uint64_t)> &onProgress;
  SimTime launch;
  uint64_t trips; ///< of the step list
  Bytes fullPiece, lastPiece;

  SimTime now;
  SimTime stored;         ///< when all results are in memory
  uint64_t lastStore = 0; ///< the execution whose result is there last
  EventQueue<Event> queue;
  std::vector<Thread> threads;
  std::vector<Cause> waits = std::vector<Cause>(plan.threadblocks().size(), Cause::Dependence);
  std::vector<Fifo> fifos;
  std::vector<Pe> pes; ///< by rank
  std::vector<uint32_t> woken;
  /// With a protocol, by step: the number of its first part, at the end of all; how
  /// many reductions are done with this one, 0 if it is done with an earlier one.
  std::vector<uint64_t> firstPart;
  std::vector<uint32_t> reductions;
  std::optional<PathRecorder> recorder;
  std::optional<std::mt19937_64> random;
  std::vector<uint64_t> latest; ///< execution, by step, if recorded
  SimResult result;
};
} // namespace

SimResult cclc::simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options) {
  return Simulation(plan, sizing, network, options).run();
}
