//===- Network.cpp - The models without flows and flits ------------------===//
//
// Ideal messages do not affect each other. In the queueing models they pass link after link, each
// of which serves them in the order of their arrival: cut-through forwards the head as soon as it
// has crossed the link, fifo forwards whole messages.
//
// Implements rules 20 to 23, 45 and 46.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Network/Network.h"

#include "MaxMin.h"
#include "PerFlit.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cclc;

void NetworkModel::useRoute(const Flight &flight) {
  const Route &route = routes[flight.route];
  for (uint32_t i = route.begin; i < route.end; ++i) {
    LinkUse &u = use[routes.hop(i).index()];
    u.bytes += flight.size;
    u.busy += transferTime(flight.size, routes.machine.link(routes.hop(i)).bandwidth);
  }
}

void NetworkModel::reportRoute(const Flight &flight, SimTime begin, SimTime end) {
  const Route &route = routes[flight.route];
  for (uint32_t i = route.begin; i < route.end; ++i)
    host->linkBusy(routes.hop(i), flight.size, begin, end);
}

void NetworkModel::chooseRoute(uint32_t f, SimTime now) {
  Flight &flight = flights[f];
  RouteTable::Choice choice = routes.choice(flight.connection);
  if (numbers.size() < flights.size())
    numbers.resize(flights.size());
  uint32_t number = numbers[f] = sequences[flight.connection].started++;
  if (choice.count == 0)
    return;
  flight.route = choice.first + number % choice.count;
  adapt(f, now);
}

void NetworkModel::selectFastest(uint32_t f, SimTime now) {
  Flight &flight = flights[f];
  RouteTable::Choice choice = routes.choice(flight.connection);
  if (choice.count == 0)
    return;
  ArrayRef<LinkId> passed = routes.linksOf(routes[flight.route]).take_front(flight.hop);
  SimTime earliest = SimTime::max();
  // Begin at the route that `spray` would use, so that messages that see the same queues spread.
  uint32_t begin = flight.route - choice.first;
  for (uint32_t i = 0; i < choice.count; ++i) {
    uint32_t route = choice.first + (begin + i) % choice.count;
    ArrayRef<LinkId> links = routes.linksOf(routes[route]);
    if (links.take_front(flight.hop) != passed)
      continue;
    SimTime arrival = estimate(links.drop_front(flight.hop), flight.size, now);
    if (arrival < earliest) {
      earliest = arrival;
      flight.route = route;
    }
  }
}

void NetworkModel::arrivesInSequence(uint32_t f, SimTime at) {
  Sequence &sequence = sequences[flights[f].connection];
  sequence.early.try_emplace(numbers[f], f, at);
  while (!sequence.early.empty() && sequence.early.begin()->first == sequence.arrived) {
    auto [flight, time] = sequence.early.begin()->second;
    sequence.early.erase(sequence.early.begin());
    ++sequence.arrived;
    sequence.lastArrival = std::max(sequence.lastArrival, time);
    host->arrives(flight, sequence.lastArrival);
  }
}

SimTime NetworkModel::arrivalOf(ArrayRef<LinkId> links, Bytes size, SimTime now,
                                llvm::function_ref<SimTime(LinkId)> freeAt) const {
  Bandwidth bottleneck;
  for (LinkId id : links) {
    const Link &link = routes.machine.link(id);
    now = std::max(now, freeAt(id)) + routes.machine.latency(link);
    bottleneck = Bandwidth::slower(bottleneck, link.bandwidth);
  }
  return now + transferTime(size, bottleneck);
}

namespace {
class IdealNetwork final : public NetworkModel {
public:
  explicit IdealNetwork(const RouteTable &routes) : NetworkModel(routes) {}

  void inject(uint32_t f, SimTime now) override {
    const Flight &flight = flights[f];
    const Route &route = routes[flight.route];
    useRoute(flight);
    SimTime duration = transferTime(flight.size, route.bottleneck);
    if (observed)
      reportRoute(flight, now, now + duration);
    arrives(f, now + route.latency + duration);
  }
  void event(uint32_t, SimTime) override {}
};

/// The base of the two models in which messages queue for links.
class QueueingNetwork : public NetworkModel {
public:
  void inject(uint32_t f, SimTime now) override { event(f, now); }

  std::vector<LinkUse> linkUse() const override {
    std::vector<LinkUse> uses;
    uses.reserve(numberOf.size());
    for (uint32_t number : numberOf)
      uses.push_back(links[number].use);
    return uses;
  }

protected:
  explicit QueueingNetwork(const RouteTable &routes)
      : NetworkModel(routes), numberOf(routes.machine.links().size()) {
    use = {}; // `links` has it
    uint32_t used = 0;
    hops.reserve(routes.hops().size());
    for (LinkId id : routes.hops()) {
      if (numberOf[id.index()] == 0)
        numberOf[id.index()] = ++used;
      hops.push_back({numberOf[id.index()], 0});
    }
    for (const Route &route : routes)
      if (route.length() > 0)
        hops[route.end - 1].last = 1;
    links.resize(used + 1);
    for (LinkId id : routes.hops()) {
      LinkState &link = links[numberOf[id.index()]];
      link.latency = routes.machine.latency(routes.machine.link(id));
      link.rate = routes.machine.link(id).bandwidth;
    }
  }

  SimTime estimate(ArrayRef<LinkId> way, Bytes size, SimTime now) const override {
    return arrivalOf(way, size, now, [&](LinkId id) { return links[numberOf[id.index()]].freeAt; });
  }

  struct Crossing {
    SimTime start;      ///< when the link was free
    SimTime occupancy;  ///< time for which the link is occupied
    SimTime headBehind; ///< propagation plus the overhead of the next node
    bool last;          ///< the last link of the route
  };

  /// Takes the next link, for the time of the bytes on it or for \p whole.
  Crossing cross(uint32_t f, SimTime now, std::optional<SimTime> whole = std::nullopt) {
    adapt(f, now);
    Flight &flight = flights[f];
    const uint32_t at = routes[flight.route].begin + flight.hop++;
    const Hop hop = hops[at];
    LinkState &link = links[hop.link];
    SimTime start = std::max(now, link.freeAt);
    if (link.lastSize != flight.size) {
      link.lastSize = flight.size;
      link.lastTime = transferTime(flight.size, link.rate);
    }
    SimTime occupancy = whole ? *whole : link.lastTime;
    link.freeAt = start + occupancy;
    flight.contention += start - now;
    link.use.bytes += flight.size;
    link.use.busy += occupancy;
    link.use.longestWait = std::max(link.use.longestWait, start - now);
    if (observed)
      host->linkBusy(routes.hop(at), flight.size, start, start + occupancy);
    return {start, occupancy, link.latency, hop.last != 0};
  }

  /// transferTime with a cache, since most messages have the same size and bottleneck.
  SimTime timeOf(Bytes size, Bandwidth rate) {
    if (size != lastSize || rate != lastRate) {
      lastSize = size;
      lastRate = rate;
      lastTime = transferTime(size, rate);
    }
    return lastTime;
  }

private:
  /// All that a crossing reads and changes of a link, in one line of the cache.
  struct alignas(64) LinkState {
    SimTime freeAt;
    SimTime latency;
    Bandwidth rate;
    Bytes lastSize; ///< most messages have the size of the previous one
    SimTime lastTime;
    LinkUse use;
  };
  /// A hop of the routes: the number of its link, and whether it is the last one of its route.
  struct Hop {
    uint32_t link : 31;
    uint32_t last : 1;
  };

  std::vector<uint32_t> numberOf; ///< by link; 0: no route has it
  std::vector<Hop> hops;          ///< by hop of the route table
  std::vector<LinkState> links;   ///< by number; the first one is unused
  Bytes lastSize;
  Bandwidth lastRate;
  SimTime lastTime;
};

class CutThroughNetwork final : public QueueingNetwork {
public:
  explicit CutThroughNetwork(const RouteTable &routes) : QueueingNetwork(routes) {}

  void event(uint32_t f, SimTime now) override {
    Flight &flight = flights[f];
    Crossing crossing = cross(f, now);
    SimTime head = crossing.start + crossing.headBehind;
    if (crossing.last)
      arrives(f, head + timeOf(flight.size, routes[flight.route].bottleneck));
    else
      host->schedule(head, f);
  }
};

/// A message occupies every link for its whole time (rule 64).
class AlphaBetaNetwork final : public QueueingNetwork {
public:
  explicit AlphaBetaNetwork(const RouteTable &routes) : QueueingNetwork(routes) {}

  void event(uint32_t f, SimTime now) override {
    adapt(f, now); // selects the route
    const Flight &flight = flights[f];
    const Route &route = routes[flight.route];
    SimTime whole = route.latency + timeOf(flight.size, route.bottleneck);
    Crossing crossing = cross(f, now, whole);
    if (crossing.last)
      arrives(f, crossing.start + whole);
    else
      host->schedule(crossing.start, f);
  }
};

class FifoNetwork final : public QueueingNetwork {
public:
  explicit FifoNetwork(const RouteTable &routes) : QueueingNetwork(routes) {}

  void event(uint32_t f, SimTime now) override {
    Crossing crossing = cross(f, now);
    SimTime tail = crossing.start + crossing.occupancy + crossing.headBehind;
    if (crossing.last)
      arrives(f, tail);
    else
      host->schedule(tail, f);
  }
};
} // namespace

template <class Model> static std::unique_ptr<NetworkModel> create(const RouteTable &routes) {
  return std::make_unique<Model>(routes);
}

/// The models by name:
///
///   cut-through  a message waits for each link to be free and occupies it for its size over the
///                link's bandwidth; the head is forwarded immediately, and the tail follows after
///                its size over the slowest link
///   fifo         store and forward: each link transfers the whole message before the next one
///                begins
///   ideal        no contention: latency plus size over the slowest link; messages of a link
///                overlap
///   alpha-beta   as cut-through, but a message occupies every link for its latency as well
///   maxmin       a message is a flow that uses its whole route at the same time, and flows share
///                links by weighted max-min fairness (fluid model)
///   maxmin-fast  the same with rates that may differ by 0.1 %, in much less time if many flows
///                share links
///   per-flit     a message is divided into flits, which links forward one by one
static constexpr std::pair<StringRef, std::unique_ptr<NetworkModel> (*)(const RouteTable &)>
    models[] = {{"alpha-beta", create<AlphaBetaNetwork>},
                {"cut-through", create<CutThroughNetwork>},
                {"fifo", create<FifoNetwork>},
                {"ideal", create<IdealNetwork>},
                {"maxmin", createMaxMinNetwork},
                {"maxmin-fast", createMaxMinFastNetwork},
                {"per-flit", createPerFlitNetwork}};

LogicalResult cclc::checkNetwork(StringRef name, DiagnosticEngine &diags) {
  if (llvm::is_contained(llvm::make_first_range(models), name))
    return success();
  std::vector<std::string> known;
  for (const auto &[model, create] : models)
    known.emplace_back(model);
  return diags.error({}, unknownWord("network", name, known));
}

std::unique_ptr<NetworkModel> cclc::createNetwork(StringRef name, const RouteTable &routes) {
  for (auto [known, create] : models)
    if (name == known)
      return create(routes);
  return nullptr;
}

std::string cclc::networkNames() { return llvm::join(llvm::make_first_range(models), ", "); }
