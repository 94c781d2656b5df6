//===- PlacementCost.cpp - Estimating the cost of a placement -------------===//
//
// Programs have many equal rounds, such as those of a ring, which are evaluated once. A message has
// the size of a chunk of the largest buffer of the program, but at most that of a slot, because
// larger messages are sent in pieces.
//
// Of a round, the loads of the links and the latencies of the messages are kept, so that an
// exchange of two places changes only those of their messages, and is undone if it is not accepted.
//
// A rank needs a direction queue for every peer, and further ones if the program fixes several
// channels for it. The queues that ranks lack are counted before the time.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Placement/RankPlacement.h"

#include "cclc/Limits/PlanQueues.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

using namespace cclc;

namespace {
/// The chunks that one rank sends to another in a round.
struct Traffic {
  uint32_t src, dst;
  uint32_t count; ///< chunks
  friend auto operator<=>(const Traffic &, const Traffic &) = default;
};
using Round = std::vector<Traffic>; ///< sorted, each pair once

/// A message by its round and its index there.
struct MessageId {
  uint32_t round, index;
  friend auto operator<=>(const MessageId &, const MessageId &) = default;
};

struct Route {
  uint32_t begin, end; ///< in the table of places of links
  SimTime latency;
};

/// The size of a message if neither buffer nor slot limits it.
constexpr uint64_t largestMessage = 1 << 20;
/// Longer than any route, so that placements with routes for all messages are preferred.
constexpr SimTime noRoute = SimTime::nanoseconds(1'000'000'000);
} // namespace

struct PlacementCost::Impl {
  Impl(const InstrProgram &program, const Machine &machine, std::optional<uint64_t> buffer)
      : machine(machine), groups(program.info(), machine), numbers(machine.numEndpoints()) {
    findClasses();
    readRounds(program);
    choosePiece(program.info(), buffer.value_or(program.info().maxBytes.value_or(anyBuffer)));
    if (limitsQueues(machine))
      readPeers(program);
  }

  /// The peers of every rank, with the least number of queues for each.
  void readPeers(const InstrProgram &program) {
    using Pair = std::pair<RankId, RankId>;
    std::map<Pair, std::set<uint32_t>>
        channels; // those that the program fixes, by sender, receiver
    for (const Instr &instr : program.instrs()) {
      if (!instr.from)
        continue;
      const Directive &directive = program.info().directives[instr.directive];
      std::set<uint32_t> &of = channels[{program[*instr.from].rank, instr.rank}];
      channels.try_emplace({instr.rank, program[*instr.from].rank});
      if (directive.channel)
        of.insert(*directive.channel);
    }
    for (const auto &[pair, there] : channels) {
      size_t back = channels[{pair.second, pair.first}].size();
      peers.push_back(
          {pair.first, pair.second, uint32_t(std::max({there.size(), back, size_t(1)}))});
    }
  }

  /// The queues that ranks lack at \p endpoints. The peers of a rank follow each other.
  uint64_t lackingQueues(ArrayRef<uint32_t> endpoints) const {
    uint64_t lacking = 0;
    std::array<uint32_t, numQueueGroups> needed{};
    for (size_t i = 0; i < peers.size(); ++i) {
      auto [rank, peer, queues] = peers[i];
      needed[size_t(groups.of(rank, peer, EndpointId(endpoints[rank.index()]),
                              EndpointId(endpoints[peer.index()])))] += queues;
      if (i + 1 < peers.size() && peers[i + 1].rank == rank)
        continue;
      for (size_t g = 0; g < numQueueGroups; ++g) {
        uint32_t most = machine.directionQueues.number[g].value_or(needed[g]);
        lacking += needed[g] - std::min(needed[g], most);
      }
      needed = {};
    }
    return lacking;
  }

  void readRounds(const InstrProgram &program) {
    std::vector<uint32_t> depth = program.depths();
    std::vector<Round> byDepth;
    for (uint32_t id = 0; id < program.size(); ++id) {
      const Instr &instr = program.instrs()[id];
      if (!instr.from)
        continue;
      if (byDepth.size() <= depth[id])
        byDepth.resize(depth[id] + 1);
      byDepth[depth[id]].push_back(
          {program[*instr.from].rank.index(), instr.rank.index(), instr.count});
      maxCount = std::max(maxCount, instr.count);
    }
    std::map<Round, uint64_t> times;
    for (Round &round : byDepth) {
      if (round.empty())
        continue;
      mergePairs(round);
      ++times[std::move(round)];
    }
    messagesOf.resize(program.info().ranks());
    for (auto &[round, n] : times) {
      for (uint32_t i = 0; i < round.size(); ++i)
        for (uint32_t rank : {round[i].src, round[i].dst})
          messagesOf[rank].push_back({uint32_t(rounds.size()), i});
      firstLatency.push_back(
          firstLatency.empty() ? 0 : firstLatency.back() + rounds.back().first.size());
      rounds.emplace_back(round, n);
    }
  }

  static void mergePairs(Round &round) {
    std::sort(round.begin(), round.end());
    size_t kept = 0;
    for (size_t i = 1; i < round.size(); ++i)
      if (round[i].src == round[kept].src && round[i].dst == round[kept].dst)
        round[kept].count += round[i].count;
      else
        round[++kept] = round[i];
    round.resize(kept + 1);
  }

  void choosePiece(const ProgramInfo &info, uint64_t buffer) {
    uint64_t chunks =
        std::max({info.collective.inputChunks(), info.collective.outputChunks(), uint32_t(1)});
    uint64_t chunk = buffer == anyBuffer ? largestMessage : ceilDiv(buffer, chunks);
    uint64_t slot = machine.slotSizeFor(info).count();
    piece = Bytes(slot ? std::min(chunk, std::max<uint64_t>(slot / maxCount, 1)) : chunk);
  }

  /// Links of one rate are a class: the busiest one of a class has the most chunks. The links of a
  /// class have successive places.
  void findClasses() {
    std::map<uint64_t, std::vector<uint32_t>> classes;
    for (uint32_t l = 0; l < machine.links().size(); ++l)
      classes[machine.links()[l].bandwidth.bytesPerSecond()].push_back(l);
    placeOf.resize(machine.links().size());
    uint32_t place = 0;
    for (const auto &[rate, links] : classes) {
      rates.push_back(machine.links()[links.front()].bandwidth);
      for (uint32_t link : links)
        placeOf[link] = place++;
      ends.push_back(place);
    }
  }

  const Route &route(EndpointId src, EndpointId dst) {
    std::vector<uint32_t> &row = numbers[src.index()];
    if (row.empty())
      row.resize(machine.numEndpoints());
    uint32_t &number = row[dst.index()];
    if (number)
      return routes[number - 1];
    Route route;
    route.begin = routeLinks.size();
    route.latency = walk(src, dst, &routeLinks);
    route.end = routeLinks.size();
    longestRoute = std::max(longestRoute, route.end - route.begin);
    if (machine.queue.creditBlocksReceiver)
      route.latency += walk(dst, src, nullptr);
    routes.push_back(route);
    number = routes.size();
    return routes.back();
  }

  SimTime walk(EndpointId src, EndpointId dst, std::vector<uint32_t> *keep) {
    SmallVector<LinkId, 64> links;
    machine.route(src, dst, links);
    SimTime latency;
    for (LinkId link : links)
      latency += machine.latency(machine.link(link));
    if (links.empty() && src != dst)
      latency = noRoute;
    if (keep)
      for (LinkId link : links)
        keep->push_back(placeOf[link.index()]);
    return latency;
  }

  /// The time of a round and the latencies of its routes.
  struct RoundCost {
    SimTime time, routes;
  };

  uint32_t *loadsOf(uint32_t round) { return loads.data() + round * placeOf.size(); }
  SimTime *latenciesOf(uint32_t round) { return latencies.data() + firstLatency[round]; }

  /// The time of a round with its loads and latencies.
  SimTime timeOf(uint32_t round) {
    const SimTime *latency = latenciesOf(round);
    SimTime busiest, longest = *std::max_element(latency, latency + rounds[round].first.size());
    const uint32_t *load = loadsOf(round);
    for (size_t c = 0, begin = 0; c < rates.size(); begin = ends[c++]) {
      uint32_t most = 0;
      for (size_t place = begin; place < ends[c]; ++place)
        most = std::max(most, load[place]);
      busiest = std::max(busiest, transferTime(piece * most, rates[c]));
    }
    return longest + busiest;
  }

  Value evaluate(ArrayRef<uint32_t> endpoints) {
    total = {lackingQueues(endpoints), {}, {}};
    costs.clear();
    undo.clear();
    current = endpoints.vec();
    loads.assign(rounds.size() * placeOf.size(), 0);
    latencies.assign(rounds.empty() ? 0 : firstLatency.back() + rounds.back().first.size(), {});
    for (uint32_t r = 0; r < rounds.size(); ++r) {
      const auto &[round, times] = rounds[r];
      RoundCost cost;
      for (uint32_t i = 0; i < round.size(); ++i) {
        const Route &at =
            route(EndpointId(endpoints[round[i].src]), EndpointId(endpoints[round[i].dst]));
        latenciesOf(r)[i] = at.latency;
        cost.routes += at.latency;
        for (uint32_t l = at.begin; l < at.end; ++l)
          loadsOf(r)[routeLinks[l]] += round[i].count;
      }
      cost.time = timeOf(r);
      costs.push_back(cost);
      total.time += cost.time * int64_t(times);
      total.routes += cost.routes * int64_t(times);
    }
    return total;
  }

  /// A message before an exchange.
  struct Moved {
    MessageId message;
    uint32_t before, after; ///< the numbers of its routes
  };

  void move(const Moved &moved, bool forth) {
    const auto [round, index] = moved.message;
    const Route &from = routes[forth ? moved.before : moved.after],
                &to = routes[forth ? moved.after : moved.before];
    const uint32_t count = rounds[round].first[index].count;
    uint32_t *load = loadsOf(round);
    for (uint32_t l = from.begin; l < from.end; ++l)
      load[routeLinks[l]] -= count;
    for (uint32_t l = to.begin; l < to.end; ++l)
      load[routeLinks[l]] += count;
    latenciesOf(round)[index] = to.latency;
  }

  void undoExchange() {
    for (const Moved &moved : undo)
      move(moved, /*forth=*/false);
    undo.clear();
  }

  uint32_t routeNumber(uint32_t src, uint32_t dst) {
    return &route(EndpointId(src), EndpointId(dst)) - routes.data();
  }

  /// The cost after two places were exchanged.
  Value exchange(ArrayRef<uint32_t> endpoints, uint32_t a, uint32_t b) {
    undoExchange();
    next = total;
    next.lackingQueues = lackingQueues(endpoints);
    const ArrayRef<MessageId> ofA = messagesOf[a];
    const ArrayRef<MessageId> ofB =
        b < messagesOf.size() ? ArrayRef(messagesOf[b]) : ArrayRef<MessageId>();
    affected.clear();
    std::set_union(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(), std::back_inserter(affected));
    changed.clear();
    exchangedRanks = {a, b};
    exchangedTo = {endpoints[a], b < current.size() ? endpoints[b] : 0};
    for (size_t m = 0; m < affected.size();) {
      const uint32_t r = affected[m].round;
      const auto &[round, times] = rounds[r];
      RoundCost cost = costs[r];
      for (; m < affected.size() && affected[m].round == r; ++m) {
        const Traffic &traffic = round[affected[m].index];
        const uint32_t from = routeNumber(current[traffic.src], current[traffic.dst]),
                       to = routeNumber(endpoints[traffic.src], endpoints[traffic.dst]);
        cost.routes += routes[to].latency - routes[from].latency;
        undo.push_back({affected[m], from, to});
        move(undo.back(), /*forth=*/true);
      }
      cost.time = timeOf(r);
      next.time += (cost.time - costs[r].time) * int64_t(times);
      next.routes += (cost.routes - costs[r].routes) * int64_t(times);
      changed.emplace_back(r, cost);
    }
    return next;
  }

  void accept() {
    undo.clear();
    for (size_t i = 0; i < exchangedRanks.size(); ++i)
      if (exchangedRanks[i] < current.size())
        current[exchangedRanks[i]] = exchangedTo[i];
    total = next;
    for (const auto &[r, cost] : changed)
      costs[r] = cost;
  }

  struct Peer {
    RankId rank, peer;
    uint32_t queues;
  };

  const Machine &machine;
  QueueGroups groups;
  std::vector<Peer> peers;                        ///< by rank; of machines with direction queues
  std::vector<std::pair<Round, uint64_t>> rounds; ///< with their multiplicities
  std::vector<std::vector<MessageId>> messagesOf; ///< by rank, ascending
  std::vector<uint32_t> firstLatency;             ///< by round
  uint32_t maxCount = 1;
  Bytes piece;
  std::vector<uint32_t> current; ///< the current placement
  Value total;                   ///< of it
  std::vector<RoundCost> costs;  ///< of its rounds
  Value next;                    ///< of the last exchange
  std::array<uint32_t, 2> exchangedRanks{}, exchangedTo{};
  std::vector<MessageId> affected;
  std::vector<std::pair<uint32_t, RoundCost>> changed;
  std::vector<Moved> undo;        ///< of the last exchange, unless it was accepted
  std::vector<uint32_t> loads;    ///< chunks by round and place of a link
  std::vector<SimTime> latencies; ///< by message
  /// By source and destination, from 1; 0: not computed yet. Empty: none of the source is.
  std::vector<std::vector<uint32_t>> numbers;
  std::vector<Route> routes;
  std::vector<uint32_t> routeLinks;
  uint32_t longestRoute = 1;
  std::vector<uint32_t> placeOf; ///< by link
  std::vector<Bandwidth> rates;  ///< of the classes
  std::vector<uint32_t> ends;    ///< of the classes, in places
};

PlacementCost::PlacementCost(const InstrProgram &program, const Machine &machine,
                             std::optional<uint64_t> buffer)
    : impl(std::make_unique<Impl>(program, machine, buffer)) {}
PlacementCost::~PlacementCost() = default;

PlacementCost::Value PlacementCost::operator()(ArrayRef<uint32_t> endpoints) const {
  return impl->evaluate(endpoints);
}

PlacementCost::Value PlacementCost::exchanged(ArrayRef<uint32_t> endpoints, uint32_t a,
                                              uint32_t b) const {
  return impl->exchange(endpoints, a, b);
}

void PlacementCost::accept() const { impl->accept(); }

uint64_t PlacementCost::work() const {
  uint64_t traffic = 1;
  for (const auto &[round, times] : impl->rounds)
    traffic += round.size();
  return traffic * impl->longestRoute + impl->peers.size();
}

std::string PlacementCost::traffic(ArrayRef<uint32_t> places) const {
  std::vector<uint64_t> numbers = {impl->piece.count(), impl->rounds.size(), impl->peers.size()};
  for (const auto &[round, times] : impl->rounds) {
    numbers.insert(numbers.end(), {times, round.size()});
    for (const Traffic &each : round)
      numbers.insert(numbers.end(), {each.src, each.dst, each.count});
  }
  for (const auto &[rank, peer, queues] : impl->peers)
    numbers.insert(numbers.end(), {rank.index(), peer.index(), queues});
  numbers.insert(numbers.end(), places.begin(), places.end());
  const auto *bytes = reinterpret_cast<const uint8_t *>(numbers.data());
  const llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(ArrayRef(bytes, numbers.size() * sizeof(uint64_t)));
  return llvm::utohexstr(hash.high64) + "." + llvm::utohexstr(hash.low64);
}
