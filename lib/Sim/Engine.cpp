#include "cclc/Sim/Engine.h"

#include "EventQueue.h"

using namespace cclc;

StringRef cclc::causeName(Cause cause) {
  constexpr std::array<StringRef, numCauses> names = {"launch",     "engine", "link",
                                                      "contention", "slot",   "dependence"};
  return names[static_cast<size_t>(cause)];
}

namespace {

constexpr uint32_t none = ~uint32_t(0);

struct Event {
  enum class Kind : uint8_t {
    Continue, ///< a threadblock may go on (or look again)
    StepDone, ///< the current step of a threadblock is complete
    Flight,   ///< a message has reached its next link, or its receiver
    Deliver,  ///< a message has been written to its slot
  } kind;
  uint32_t index; ///< of the threadblock or the flight
};

/// A message in its slot.
struct Arrival {
  SimTime injected, contention;
};

/// A queue that keeps its storage.
template <class T> class Ring {
public:
  bool empty() const { return head == tail; }
  void push(T value) {
    if (tail - head == data.size())
      grow();
    data[tail++ & (data.size() - 1)] = value;
  }
  T pop() { return data[head++ & (data.size() - 1)]; }
  const T &front() const { return data[head & (data.size() - 1)]; }

private:
  void grow() {
    std::vector<T> larger(std::max<size_t>(2 * data.size(), 2));
    for (size_t i = head; i != tail; ++i)
      larger[i - head] = data[i & (data.size() - 1)];
    tail -= head;
    head = 0;
    data = std::move(larger);
  }
  std::vector<T> data; ///< a power of two
  size_t head = 0, tail = 0;
};

class Simulation {
public:
  Simulation(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
             ArrayRef<SimListener *> listeners, uint32_t repeat)
      : bound(bound), plan(bound.plan), machine(bound.machine), sizing(sizing), network(network),
        listeners(listeners), trips(uint64_t(sizing.pieces) * repeat) {
    if (sizing.pieces > 1)
      lastPiece = sizing.pieceBytes(sizing.pieces - 1);
    fullPiece = sizing.pieceBytes(0);
    prepare();
  }

  SimResult run() {
    for (uint32_t t = 0; t < threads.size(); ++t) {
      charge(t, Cause::Launch, machine.launch);
      threads[t].since = machine.launch;
      queue.push(machine.launch, {Event::Kind::Continue, t});
    }
    while (!queue.empty()) {
      auto entry = queue.pop();
      now = entry.time;
      handle(entry.event);
    }
    return finish();
  }

private:
  struct Thread {
    uint32_t next, begin, end; ///< steps
    uint64_t trip = 0;         ///< pieces done, over all repetitions
    uint32_t send = none, recv = none;
    uint32_t pe;
    SimTime since;                        ///< when the time that is not charged yet began
    uint32_t waiters = none, link = none; ///< list of those that wait for a step of this one
    bool done = false;
  };
  struct Fifo {
    uint64_t sent = 0, received = 0;
    Ring<Arrival> arrived;
    std::vector<SimTime> credits; ///< when slot i is free again, by message modulo slots
    SimTime lastArrival;
    bool senderWaits = false, receiverWaits = false;
  };
  struct Pe {
    std::vector<SimTime> streams; ///< when each is free; empty: no limit
    SimTime math, copy, dma, read, write;
  };

  void prepare() {
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      Pe pe;
      if (machine.pe.streams && *machine.pe.streams < plan.numThreadblocks(RankId(r)))
        pe.streams.resize(*machine.pe.streams);
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
      for (uint32_t c = 0; c < fifos.size(); ++c)
        fifos[c].credits.resize(
            std::min<uint64_t>(bound.slots.limit(), bound.bound[c].messages * trips));
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
    case Event::Kind::Flight:
      fly(event.index);
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

  uint32_t pieceOf(const Thread &thread) const { return thread.trip % sizing.pieces; }
  Bytes sizeOfStep(const Thread &thread, const Step &step) const {
    Bytes piece = pieceOf(thread) + 1 == sizing.pieces && sizing.pieces > 1 ? lastPiece : fullPiece;
    return piece * step.count;
  }

  void charge(uint32_t t, Cause cause, SimTime time) {
    result.causes[t][static_cast<size_t>(cause)] += time;
  }
  /// Everything since the last charge was \p cause.
  void chargeUntilNow(uint32_t t, Cause cause) {
    charge(t, cause, now - threads[t].since);
    threads[t].since = now;
  }

  /// Whether \p t has what its step waits for; if not, it will be woken.
  bool dependenceIsMet(uint32_t t, const Step &step) {
    if (!step.waits())
      return true;
    Thread &self = threads[t];
    uint32_t owner = plan.firstThreadblock(plan.threadblocks()[t].rank) + step.wait()->tb.index();
    Thread &other = threads[owner];
    uint32_t target = (*bound.publishers[other.begin + step.wait()->step.index()]).index();
    if (other.trip > self.trip || (other.trip == self.trip && other.next > target))
      return true;
    if (owner != t) {
      self.link = other.waiters;
      other.waiters = t;
    }
    return false;
  }

  /// Begins steps of \p t until one takes time or has to wait.
  void advance(uint32_t t) {
    Thread &self = threads[t];
    while (!self.done) {
      const Step &step = plan.steps()[self.next];
      const OpTraits &op = traits(step.op);
      if (!dependenceIsMet(t, step)) {
        waitingFor(t, Cause::Dependence);
        return;
      }
      if (op.receives && fifos[self.recv].arrived.empty()) {
        fifos[self.recv].receiverWaits = true;
        waitingFor(t, Cause::Link);
        return;
      }
      if (op.sends && !slotIsFree(t)) {
        waitingFor(t, Cause::Slot);
        return;
      }
      chargeWait(t);
      SimTime end = execute(t, step, op);
      charge(t, Cause::Engine, end - now);
      self.since = end;
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

  bool slotIsFree(uint32_t t) {
    Fifo &fifo = fifos[threads[t].send];
    if (bound.slots.isUnlimited() || fifo.sent < bound.slots.limit())
      return true;
    uint64_t inFlight = fifo.sent - fifo.received;
    if (inFlight >= bound.slots.limit()) {
      fifo.senderWaits = true;
      return false;
    }
    SimTime freeAt = fifo.credits[fifo.sent % bound.slots.limit()];
    if (freeAt <= now)
      return true;
    queue.push(freeAt, {Event::Kind::Continue, t});
    return false;
  }

  /// Executes a step that has everything it needs, and returns when it ends.
  SimTime execute(uint32_t t, const Step &step, const OpTraits &op) {
    Thread &self = threads[t];
    Pe &pe = pes[self.pe];
    for (SimListener *listener : listeners)
      listener->stepBegins(t, self.next, pieceOf(self), now);
    Bytes size = sizeOfStep(self, step);
    SimTime at = now;
    SimTime *stream = nullptr;
    if (!pe.streams.empty()) {
      stream = &*std::min_element(pe.streams.begin(), pe.streams.end());
      at = std::max(at, *stream);
    }
    at += machine.pe.dispatch;
    if (op.receives) {
      at = occupy(pe.read, at, machine.queue.read.duration(size));
      at = returnCredit(self.recv, at);
    }
    if (op.reduces())
      at = occupy(pe.math, at, machine.pe.math.duration(size));
    if (step.op == OpKind::Copy)
      at = occupy(pe.copy, at, machine.pe.copy.duration(size));
    if (op.sends)
      at = inject(self.send, pe, at, size);
    if (stream)
      *stream = at;
    return at;
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
      listener->stepEnds(t, self.next, pieceOf(self), now);
    ++result.steps;
    bool publishes = plan.steps()[self.next].publishes;
    if (++self.next == self.end) {
      self.next = self.begin;
      if (++self.trip == trips) {
        self.done = true;
        result.finished[t] = now;
      }
    }
    if (!publishes)
      return;
    while (self.waiters != none) {
      uint32_t waiter = self.waiters;
      self.waiters = threads[waiter].link;
      threads[waiter].link = none;
      woken.push_back(waiter);
    }
  }

  // --- Connections -----------------------------------------------------------------------

  /// The first message is taken out of its slot at \p at. Returns when the receive
  /// goes on.
  SimTime returnCredit(uint32_t c, SimTime at) {
    Fifo &fifo = fifos[c];
    const BoundConnection &connection = bound.bound[c];
    fifo.arrived.pop();
    SimTime known = at + connection.creditLatency;
    if (!fifo.credits.empty())
      fifo.credits[fifo.received % fifo.credits.size()] = known;
    ++fifo.received;
    if (fifo.senderWaits) {
      fifo.senderWaits = false;
      queue.push(known, {Event::Kind::Continue, connection.senderTb});
    }
    return machine.queue.creditBlocksReceiver ? known : at;
  }

  /// Sends from \p at on; returns when the threadblock goes on.
  SimTime inject(uint32_t c, Pe &pe, SimTime at, Bytes size) {
    Fifo &fifo = fifos[c];
    ++fifo.sent;
    ++result.messages;
    SimTime start = std::max(at, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + transferTime(size, machine.pe.dmaRate);
    uint32_t f;
    if (freeFlights.empty()) {
      f = flights.size();
      flights.emplace_back();
    } else {
      f = freeFlights.back();
      freeFlights.pop_back();
    }
    flights[f] = Flight{c, size, start, SimTime(), 0, false};
    queue.push(start, {Event::Kind::Flight, f});
    // A threadblock that moves its data itself is busy until the last byte is out.
    return start + transferTime(size, machine.pe.threadblockRate);
  }

  void fly(uint32_t f) {
    Flight &flight = flights[f];
    while (!flight.arrived) {
      SimTime next = network.advance(flight, now);
      if (flight.arrived) {
        // A threadblock that feeds the message slowly delays its end.
        SimTime fed = flight.injected + bound.bound[flight.connection].latency + flight.contention +
                      transferTime(flight.size, machine.pe.threadblockRate);
        Fifo &fifo = fifos[flight.connection];
        fifo.lastArrival = std::max({next, fed, fifo.lastArrival});
        queue.push(fifo.lastArrival, {Event::Kind::Flight, f});
        return;
      }
      if (queue.hasUntil(next)) {
        queue.push(next, {Event::Kind::Flight, f});
        return;
      }
      now = next; // nothing else happens before
    }
    // The last byte is there: into the slot.
    uint32_t receiver = bound.bound[flight.connection].receiverTb;
    SimTime written =
        occupy(pes[threads[receiver].pe].write, now, machine.queue.write.duration(flight.size));
    if (written > now)
      queue.push(written, {Event::Kind::Deliver, f});
    else
      deliver(f);
  }

  void deliver(uint32_t f) {
    const Flight &flight = flights[f];
    Fifo &fifo = fifos[flight.connection];
    fifo.arrived.push({flight.injected, flight.contention});
    freeFlights.push_back(f);
    if (fifo.receiverWaits) {
      fifo.receiverWaits = false;
      woken.push_back(bound.bound[flight.connection].receiverTb);
    }
  }

  SimResult finish() {
    result.completed = true;
    for (uint32_t t = 0; t < threads.size(); ++t) {
      result.completed &= threads[t].done;
      result.time = std::max(result.time, result.finished[t]);
    }
    result.time = std::max(result.time, machine.launch);
    result.events = queue.count();
    result.links = network.linkUse().vec();
    return std::move(result);
  }

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  NetworkModel &network;
  ArrayRef<SimListener *> listeners;
  uint64_t trips; ///< of the step list
  Bytes fullPiece, lastPiece;

  SimTime now;
  EventQueue<Event> queue;
  std::vector<Thread> threads;
  std::vector<Cause> waits = std::vector<Cause>(plan.threadblocks().size(), Cause::Dependence);
  std::vector<Fifo> fifos;
  std::vector<Pe> pes; ///< by rank
  std::vector<Flight> flights;
  std::vector<uint32_t> freeFlights;
  std::vector<uint32_t> woken;
  SimResult result;
};
} // namespace

SimResult cclc::simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         ArrayRef<SimListener *> listeners, uint32_t repeat) {
  return Simulation(plan, sizing, network, listeners, repeat).run();
}
