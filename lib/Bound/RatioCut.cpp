//===- RatioCut.cpp - Newton's method on minimum cuts ---------------------===//
//
// Let x be a rate. A source with an arc of capacity x * weight(u) to every rank u sends all of
// x * weight(all) to a sink t exactly if no set S without t has capacity(S) < x * weight(S). So if
// the maximum flow to t is smaller, its minimum cut is a set with a smaller ratio of capacity to
// weight, which is the next x: Newton's method, which Dinkelbach (Management Science 13(7), 1967)
// gave for ratios. ForestColl (arXiv 2402.06787) uses the same network with binary search.
//
// All sets without t are compared when t has been fed; the remaining sets contain t, and for them
// t and the source are one node. The rate only falls, so the ranks that were fed remain so: one
// flow for each sink and one more for each improvement are enough. Most sinks are fed over short
// paths from ranks that have become sources; these paths are searched first, and a flow is computed
// if they do not suffice.
//
// Flows are exact integers: rates are divided by their greatest common divisor, and with x = p/q
// all are multiplied by q. If products may exceed 62 bits, they are computed with 256.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/RatioCut.h"

#include "MaxFlow.h"

#include "cclc/Support/Grouped.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace cclc;

namespace {

/// The rates of a graph as integers without a common divisor.
template <class Flow> struct Rates {
  Flow unlimited = 0; ///< more than all finite rates times the weights
  uint64_t divisor = 0;
  std::vector<Flow> arcs;

  Rates(const FlowGraph &graph, uint64_t weight) {
    Flow sum = 0;
    for (const FlowArc &arc : graph.arcs())
      divisor = std::gcd(divisor, arc.capacity.bytesPerSecond());
    divisor = std::max<uint64_t>(divisor, 1);
    for (const FlowArc &arc : graph.arcs()) {
      arcs.push_back(Flow(arc.capacity.bytesPerSecond() / divisor));
      sum += arcs.back();
    }
    unlimited = (sum + 1) * Flow(weight + 1);
    for (size_t a = 0; a < arcs.size(); ++a)
      if (graph.arcs()[a].capacity.isUnlimited())
        arcs[a] = unlimited;
  }

  /// A sum of rates in bytes per second.
  std::optional<Bandwidth> bandwidth(const Flow &sum) const {
    if (sum == 0)
      return std::nullopt;
    Flow most = Flow(int64_t(~uint64_t(0) >> 2)) / Flow(divisor);
    if (sum >= unlimited || sum > most)
      return Bandwidth();
    return Bandwidth(static_cast<uint64_t>(sum) * divisor);
  }
};

/// Whether products of the rates of \p graph with \p weight fit into 62 bits.
bool isSmall(const FlowGraph &graph, uint64_t weight) {
  Rates<LargeFlow> rates(graph, weight);
  LargeFlow most = 0;
  for (const LargeFlow &rate : rates.arcs)
    most += rate;
  return (most + 1) * LargeFlow(weight + 1) < LargeFlow(int64_t(1) << 62);
}

/// The arcs of a graph in a flow network. Opposite arcs have residual arcs of their own: Boost
/// returns excess over arcs without capacity only.
template <class Flow> class Network : public MaxFlow<Flow> {
public:
  Network(const FlowGraph &graph, uint32_t nodes) : MaxFlow<Flow>(nodes) {
    for (const FlowArc &arc : graph.arcs())
      edges.push_back(this->add(arc.from, arc.to));
  }
  void setArc(size_t arc, const Flow &capacity) { this->setCapacity(edges[arc], capacity); }

private:
  std::vector<typename MaxFlow<Flow>::Edge> edges; ///< by arc
};

template <class Flow> class Search {
public:
  Search(const FlowGraph &graph, ArrayRef<uint64_t> weights, ArrayRef<uint32_t> sinks,
         uint64_t budget, const Deadline &deadline)
      : graph(graph), weights(weights), sinks(sinks), budget(budget), deadline(deadline),
        total(std::accumulate(weights.begin(), weights.end(), uint64_t(0))), rates(graph, total),
        source(graph.numNodes()), isSource(graph.numNodes()),
        arcsIn(graph.numNodes(), graph.arcs().size(),
               [&](uint32_t a) { return graph.arcs()[a].to; }),
        left(graph.arcs().size()), towards(graph.numNodes()) {
    // A rank that has all data is a source from the beginning.
    for (uint32_t rank = 0; rank < weights.size(); ++rank)
      if (total != 0 && weights[rank] == total)
        isSource.set(rank);
  }

  RatioCut run() {
    startWithSingles();
    for (uint32_t sink : sinks) {
      if (capacity == 0)
        break;
      if (budget < graph.arcs().size() || deadline.hasPassed()) {
        exact = false;
        break;
      }
      while (weight != 0 && !isFed(sink) && improve(sink) && capacity != 0) {
      }
      isSource.set(sink);
    }
    RatioCut cut;
    cut.weight = weight;
    cut.capacity = weight == 0 ? std::optional(Bandwidth()) : rates.bandwidth(capacity);
    cut.inside = std::move(inside);
    cut.exact = exact;
    return cut;
  }

private:
  /// Keeps the set \p node alone, or all others, if it is tighter.
  void consider(uint64_t newWeight, const Flow &newCapacity, uint32_t node, bool alone) {
    if (newWeight == 0)
      return;
    if (weight != 0 && Flow(newWeight) * capacity <= Flow(weight) * newCapacity)
      return;
    weight = newWeight;
    capacity = newCapacity;
    inside = llvm::BitVector(graph.numNodes(), !alone);
    inside[node] = alone;
  }

  void startWithSingles() {
    std::vector<Flow> in(graph.numNodes()), out(graph.numNodes());
    for (size_t a = 0; a < graph.arcs().size(); ++a) {
      in[graph.arcs()[a].to] += rates.arcs[a];
      out[graph.arcs()[a].from] += rates.arcs[a];
    }
    for (uint32_t sink : sinks)
      consider(total - weights[sink], in[sink], sink, /*alone=*/false);
    for (uint32_t rank = 0; rank < weights.size(); ++rank)
      if (llvm::any_of(sinks, [&](uint32_t sink) { return sink != rank; }))
        consider(weights[rank], out[rank], rank, /*alone=*/true);
  }

  /// Whether short paths from sources carry enough to \p sink. False if that is unknown.
  bool isFed(uint32_t sink) {
    Flow missing = capacity * Flow(total - weights[sink]);
    if (missing <= 0)
      return true;
    if (leftScale != weight) {
      leftScale = weight;
      for (size_t a = 0; a < left.size(); ++a)
        left[a] = rates.arcs[a] * Flow(weight);
    }
    uint64_t limit = 4 * graph.arcs().size() + 64;
    std::vector<uint32_t> used;
    while (missing > 0) {
      OptionalIndex found = findSource(sink, limit);
      Flow most = missing;
      auto along = [&](auto fn) {
        for (uint32_t node = *found; node != sink; node = graph.arcs()[*towards[node]].to)
          fn(*towards[node]);
      };
      if (found) {
        along([&](uint32_t arc) { most = std::min(most, left[arc]); });
        along([&](uint32_t arc) {
          left[arc] -= most;
          used.push_back(arc);
        });
        missing -= most;
      }
      for (uint32_t node : reached)
        towards[node] = OptionalIndex();
      if (!found)
        break;
    }
    for (uint32_t arc : used)
      left[arc] = rates.arcs[arc] * Flow(weight);
    return missing <= 0;
  }

  /// A breadth-first search backwards from \p sink for a source, over arcs with capacity left.
  OptionalIndex findSource(uint32_t sink, uint64_t &limit) {
    reached = {sink};
    for (size_t i = 0; i < reached.size(); ++i)
      for (uint32_t arc : arcsIn[reached[i]]) {
        if (limit == 0 || budget == 0)
          return {};
        --limit, --budget;
        uint32_t from = graph.arcs()[arc].from;
        if (left[arc] <= 0 || towards[from] || from == sink)
          continue;
        towards[from] = arc;
        reached.push_back(from);
        if (isSource.test(from))
          return from;
      }
    return {};
  }

  /// Computes the flow to \p sink. If it is too small, takes the minimum cut and returns true.
  bool improve(uint32_t sink) {
    if (!network) {
      network.emplace(graph, graph.numNodes() + 2);
      first = network->add(source + 1, source);
      for (uint32_t rank = 0; rank < weights.size(); ++rank)
        fromSource.push_back(network->add(source, rank));
    }
    budget -= std::min<uint64_t>(budget, 32 * graph.arcs().size());
    Flow needed = capacity * Flow(total);
    for (size_t a = 0; a < rates.arcs.size(); ++a)
      network->setArc(a, rates.arcs[a] * Flow(weight));
    for (uint32_t rank = 0; rank < weights.size(); ++rank)
      network->setCapacity(fromSource[rank],
                           isSource.test(rank) ? needed : capacity * Flow(weights[rank]));
    // Push-relabel saturates the arcs of the first node: one arc keeps the excess small.
    network->setCapacity(first, needed);
    if (network->flow(source + 1, sink) >= needed)
      return false;
    inside = network->sinkSide(sink);
    inside.flip();
    inside.resize(graph.numNodes());
    weight = 0;
    capacity = 0;
    for (uint32_t rank = 0; rank < weights.size(); ++rank)
      weight += inside.test(rank) ? weights[rank] : 0;
    for (size_t a = 0; a < rates.arcs.size(); ++a)
      if (inside.test(graph.arcs()[a].from) && !inside.test(graph.arcs()[a].to))
        capacity += rates.arcs[a];
    return true;
  }

  const FlowGraph &graph;
  ArrayRef<uint64_t> weights;
  ArrayRef<uint32_t> sinks;
  uint64_t budget;
  const Deadline &deadline;
  uint64_t total;
  Rates<Flow> rates;
  uint32_t source;
  llvm::BitVector isSource;           ///< the ranks that were fed
  Grouped arcsIn;                     ///< by node
  std::vector<Flow> left;             ///< by arc: the capacity that paths have not used
  uint64_t leftScale = 0;             ///< the weight by which it is multiplied
  std::vector<uint32_t> reached;      ///< by the last search, from its sink on
  std::vector<OptionalIndex> towards; ///< by node: the arc towards that sink
  std::optional<Network<Flow>> network;
  typename MaxFlow<Flow>::Edge first;
  std::vector<typename MaxFlow<Flow>::Edge> fromSource; ///< by rank

  // The tightest cut so far; the rate is capacity / weight.
  uint64_t weight = 0;
  Flow capacity = 1;
  llvm::BitVector inside;
  bool exact = true;
};

template <class Flow> RatioCut minCut(const FlowGraph &graph, ArrayRef<std::optional<bool>> sides) {
  Rates<Flow> rates(graph, 1);
  uint32_t source = graph.numNodes(), sink = source + 1;
  Network<Flow> network(graph, graph.numNodes() + 2);
  Flow all = 1;
  for (size_t a = 0; a < rates.arcs.size(); ++a) {
    network.setArc(a, rates.arcs[a]);
    all += rates.arcs[a];
  }
  for (uint32_t rank = 0; rank < sides.size(); ++rank)
    if (sides[rank])
      network.setCapacity(*sides[rank] ? network.add(source, rank) : network.add(rank, sink), all);
  RatioCut cut;
  cut.weight = 1;
  cut.capacity = rates.bandwidth(network.flow(source, sink));
  cut.inside = network.sinkSide(sink);
  cut.inside.flip();
  cut.inside.resize(graph.numNodes());
  return cut;
}
} // namespace

SimTime RatioCut::time(Wide bytes) const {
  if (bytes == 0)
    return SimTime();
  if (!capacity)
    return SimTime::max();
  if (capacity->isUnlimited())
    return SimTime();
  return SimTime::clamped(bytes * 1'000'000'000'000 / capacity->bytesPerSecond());
}

bool RatioCut::isTighterThan(const RatioCut &other) const {
  if (weight == 0 || (capacity && capacity->isUnlimited()))
    return false;
  if (other.weight == 0 || (other.capacity && other.capacity->isUnlimited()))
    return true;
  if (!capacity || !other.capacity)
    return !capacity && other.capacity;
  return Wide(weight) * other.capacity->bytesPerSecond() >
         Wide(other.weight) * capacity->bytesPerSecond();
}

std::vector<FlowArc> cclc::arcsOf(const FlowGraph &graph, const RatioCut &cut) {
  std::vector<FlowArc> arcs;
  for (const FlowArc &arc : graph.arcs())
    if (cut.inside.test(arc.from) && !cut.inside.test(arc.to))
      arcs.push_back(arc);
  return arcs;
}

RatioCut cclc::findRatioCut(const FlowGraph &graph, ArrayRef<uint64_t> weights,
                            ArrayRef<uint32_t> sinks, uint64_t budget, const Deadline &deadline) {
  assert(weights.size() == graph.numRanks() && "one weight for each rank");
  uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t(0));
  if (isSmall(graph, total))
    return Search<int64_t>(graph, weights, sinks, budget, deadline).run();
  return Search<LargeFlow>(graph, weights, sinks, budget, deadline).run();
}

RatioCut cclc::findMinCut(const FlowGraph &graph, ArrayRef<std::optional<bool>> sides) {
  return isSmall(graph, 1) ? minCut<int64_t>(graph, sides) : minCut<LargeFlow>(graph, sides);
}
