#include "cclc/Sim/Engine.h"

#include "EventQueue.h"
#include "Ring.h"

#include <random>

using namespace cclc;

namespace {

constexpr uint32_t none = ~uint32_t(0);

struct Event {
  enum class Kind : uint8_t {
    Continue, ///< a threadblock may go on (or look again)
    StepDone, ///< the current step of a threadblock is complete
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
      : bound(bound), plan(bound.plan), machine(bound.machine), sizing(sizing), network(network),
        listeners(options.listeners), trips(uint64_t(sizing.pieces) * options.repeat) {
    network.attach(*this);
    if (options.randomSchedule)
      random.emplace(*options.randomSchedule);
    if (options.criticalPath)
      recorder.emplace(trips * plan.steps().size());
    if (sizing.pieces > 1)
      lastPiece = sizing.pieceBytes(sizing.pieces - 1);
    fullPiece = sizing.pieceBytes(0);
    prepare(options.skew);
  }

  SimResult run() {
    for (uint32_t t = 0; t < threads.size(); ++t) {
      SimTime start = machine.launch + pes[threads[t].pe].skew.start;
      charge(t, Cause::Launch, start);
      threads[t].since = threads[t].ended = start;
      queue.push(start, {Event::Kind::Continue, t});
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
    SimTime ended;                        ///< when its last step ended
    uint32_t waiters = none, link = none; ///< list of those that wait for a step of this one
    bool done = false;
  };
  struct Fifo {
    uint64_t sent = 0, received = 0;
    Ring<Arrival> arrived;
    std::vector<SimTime> credits; ///< when slot i is free again, by message modulo slots
    std::vector<Reader> readers;  ///< the same way, if the critical path is recorded
    SimTime lastArrival;
    bool senderWaits = false, receiverWaits = false;
  };
  struct Pe {
    std::vector<SimTime> streams; ///< when each is free; empty: no limit
    SimTime math, copy, dma, read, write;
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
        fifos[c].credits.resize(
            std::min<uint64_t>(bound.slots.limit(), bound.bound[c].messages * trips));
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

  uint64_t execution(const Thread &thread) const {
    return thread.trip * plan.steps().size() + thread.next;
  }

  /// Notes what \p t waited for before its current step, which begins now.
  void record(uint32_t t, const Step &step) {
    const Thread &self = threads[t];
    uint64_t me = execution(self);
    recorder->begins(me, now);
    bool first = self.trip == 0 && self.next == self.begin;
    if (self.ended == now) {
      if (!first)
        recorder->follows(me, self.next == self.begin
                                  ? (self.trip - 1) * plan.steps().size() + self.end - 1
                                  : me - 1);
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
      const Reader &reader = fifo.readers[fifo.sent % fifo.readers.size()];
      recorder->waited(me, Cause::Slot, reader.execution, reader.at);
      break;
    }
    default: {
      uint32_t target =
          (*bound.publishers[ownerOf(t, step).begin + step.wait()->step.index()]).index();
      recorder->waited(me, Cause::Dependence, self.trip * plan.steps().size() + target, now);
    }
    }
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
    at += skewed(pe, machine.pe.dispatch);
    if (op.receives) {
      at = occupy(pe.read, at, skewed(pe, machine.queue.read.duration(size)));
      at = returnCredit(self, at);
    }
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
      listener->stepEnds(t, self.next, pieceOf(self), now);
    ++result.steps;
    bool publishes = plan.steps()[self.next].publishes;
    if (++self.next == self.end) {
      self.next = self.begin;
      if (++self.trip == sizing.pieces)
        result.firstRun = std::max(result.firstRun, now);
      if (self.trip == trips) {
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
  SimTime returnCredit(const Thread &self, SimTime at) {
    Fifo &fifo = fifos[self.recv];
    const BoundConnection &connection = bound.bound[self.recv];
    fifo.arrived.pop();
    SimTime known = at + connection.creditLatency;
    if (!fifo.credits.empty())
      fifo.credits[fifo.received % fifo.credits.size()] = known;
    if (!fifo.readers.empty())
      fifo.readers[fifo.received % fifo.readers.size()] = {execution(self), at};
    ++fifo.received;
    if (fifo.senderWaits) {
      fifo.senderWaits = false;
      queue.push(known, {Event::Kind::Continue, connection.senderTb});
    }
    return machine.queue.creditBlocksReceiver ? known : at;
  }

  /// Sends from \p at on; returns when the threadblock goes on.
  SimTime inject(const Thread &self, Pe &pe, SimTime at, Bytes size) {
    ++fifos[self.send].sent;
    ++result.messages;
    SimTime start = std::max(at, pe.dma);
    if (!machine.pe.dmaRate.isUnlimited())
      pe.dma = start + skewed(pe, transferTime(size, machine.pe.dmaRate));
    uint32_t f = network.create(self.send, size, start, execution(self));
    queue.push(start, {Event::Kind::Inject, f});
    // A threadblock that moves its data itself is busy until the last byte is out.
    return start + skewed(pe, transferTime(size, machine.pe.threadblockRate));
  }

  void schedule(SimTime at, uint32_t token) override {
    queue.push(at, {Event::Kind::Network, token});
  }

  void arrives(uint32_t f, SimTime at) override {
    const Flight &flight = network.flight(f);
    const BoundConnection &connection = bound.bound[flight.connection];
    // A threadblock that feeds the message slowly delays its end.
    if (!machine.pe.threadblockRate.isUnlimited())
      at = std::max(at, flight.injected + connection.latency + flight.contention +
                            skewed(pes[threads[connection.senderTb].pe],
                                   transferTime(flight.size, machine.pe.threadblockRate)));
    Fifo &fifo = fifos[flight.connection];
    fifo.lastArrival = std::max(at + randomDelay(), fifo.lastArrival);
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
    fifo.arrived.push({flight.injected, flight.contention, flight.sender});
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
    result.time = machine.launch;
    if (!threads.empty())
      result.time = std::max(result.time, result.finished[last]);
    if (recorder && result.completed && trips > 0)
      traceBack(last);
    result.events = queue.count();
    result.links = network.linkUse().vec();
    return std::move(result);
  }

  /// \p last is the threadblock that was done last.
  void traceBack(uint32_t last) {
    if (threads.empty() || threads[last].begin == threads[last].end)
      return;
    std::vector<uint32_t> threadblockOf;
    for (uint32_t t = 0; t < threads.size(); ++t)
      threadblockOf.resize(threads[t].end, t);
    result.criticalPath = recorder->path((trips - 1) * plan.steps().size() + threads[last].end - 1,
                                         result.time, threadblockOf);
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
  std::vector<uint32_t> woken;
  std::optional<PathRecorder> recorder;
  std::optional<std::mt19937_64> random;
  SimResult result;
};
} // namespace

SimResult cclc::simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options) {
  return Simulation(plan, sizing, network, options).run();
}
