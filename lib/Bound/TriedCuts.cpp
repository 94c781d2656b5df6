//===- TriedCuts.cpp - A selection of cuts and local search ---------------===//
//
// A cut is given by the ranks on its sides; the minimum cut between these places the switches. The
// cuts around single ranks need no flow. The best set is improved by moving one rank at a time to
// the other side, as in the heuristic of Kernighan and Lin (Bell Syst. Tech. J. 49, 1970) without
// its swaps.
//
//===----------------------------------------------------------------------===//

#include "TriedCuts.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

/// Each rank outside needs the sum of the ranks inside before it, which is another sum if one of
/// them follows the last rank outside.
static uint64_t prefixesOut(const RankSet &inside) {
  uint64_t count = 0;
  for (size_t r = 1; r < inside.size(); ++r)
    count += inside[r - 1] && !inside[r];
  return count;
}

uint64_t cclc::chunksOut(const Collective &collective, const RankSet &inside) {
  if (isScan(collective.kind()))
    return prefixesOut(inside) * collective.chunks();
  uint64_t inputs = collective.inputChunks(), count = 0;
  std::vector<bool> leaves(collective.ranks() * inputs), sums(inputs);
  bool list = false;
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    if (inside[r])
      continue;
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      Expectation expected = collective.expected(RankId(r), c);
      switch (expected.kind) {
      case Expectation::Kind::Anything:
        break;
      case Expectation::Kind::Chunk:
        if (inside[expected.rank.index()])
          leaves[expected.rank.index() * inputs + expected.index] = true;
        break;
      case Expectation::Kind::Sum:
        sums[expected.index] = true;
        break;
      case Expectation::Kind::SumList:
        list |= llvm::any_of(expected.list,
                             [&](const Contribution &one) { return inside[one.rank.index()]; });
      }
    }
  }
  for (bool chunk : leaves)
    count += chunk;
  for (bool sum : sums)
    count += sum && llvm::is_contained(inside, true);
  // A sum of some contributions may be known from other data that leave.
  return std::max<uint64_t>(count, list);
}

/// The ranks whose endpoints are inside; unset if these are all or none.
template <typename IsInside>
static std::optional<RankSet> ranksOf(ArrayRef<EndpointId> endpoints, IsInside isInside) {
  RankSet set;
  for (EndpointId endpoint : endpoints)
    set.push_back(isInside(endpoint.index()));
  if (!llvm::is_contained(set, true) || !llvm::is_contained(set, false))
    return std::nullopt;
  return set;
}

std::vector<RankSet> cclc::halvesOf(const Machine &machine, ArrayRef<EndpointId> endpoints) {
  std::vector<RankSet> sets;
  auto add = [&](auto isInside) {
    if (std::optional<RankSet> set = ranksOf(endpoints, isInside))
      sets.push_back(std::move(*set));
  };
  uint64_t below = machine.numEndpoints();
  add([&](uint64_t endpoint) { return endpoint < (below + 1) / 2; });
  for (const GridLevel &level : machine.geometry().levels) {
    below /= level.size();
    auto member = [&](uint64_t endpoint) { return endpoint / below % level.size(); };
    add([&](uint64_t endpoint) { return member(endpoint) % level.width < level.width / 2; });
    add([&](uint64_t endpoint) { return member(endpoint) / level.width < level.height / 2; });
  }
  return sets;
}

std::set<RankSet> cclc::groupsOf(const Machine &machine, ArrayRef<EndpointId> endpoints) {
  std::set<RankSet> sets;
  auto add = [&](auto isInside) {
    if (std::optional<RankSet> set = ranksOf(endpoints, isInside))
      sets.insert(std::move(*set));
  };
  uint64_t below = machine.numEndpoints(), above = 1;
  for (const GridLevel &level : machine.geometry().levels) {
    below /= level.size();
    above *= level.size();
    auto member = [&](uint64_t endpoint) { return endpoint / below % level.size(); };
    // Single endpoints are considered without a flow.
    for (uint64_t group = 0; below > 1 && group < above; ++group)
      add([&](uint64_t endpoint) { return endpoint / below == group; });
    auto addHalves = [&](auto place, uint32_t size) {
      for (uint32_t split = 1; split < size; ++split) {
        add([&](uint64_t endpoint) { return place(endpoint) < split; });
        // The same split in one group of the level above.
        for (uint64_t group = 0; above > level.size() && group < above / level.size(); ++group)
          add([&](uint64_t endpoint) {
            return endpoint / below / level.size() == group && place(endpoint) < split;
          });
      }
    };
    addHalves([&](uint64_t endpoint) { return member(endpoint) % level.width; }, level.width);
    if (level.height > 1)
      addHalves([&](uint64_t endpoint) { return member(endpoint) / level.width; }, level.height);
  }
  return sets;
}

namespace {
class Trial {
public:
  Trial(const FlowGraph &graph, const std::function<uint64_t(const RankSet &)> &weightOf,
        uint64_t weightCost, uint64_t &budget, const Deadline &deadline)
      : graph(graph), weightOf(weightOf), weightCost(weightCost), budget(budget),
        deadline(deadline) {}

  RatioCut run(const std::set<RankSet> &candidates, ArrayRef<RankSet> halves) {
    best.exact = false;
    considerSingles();
    for (const RankSet &set : candidates)
      evaluate(set);
    for (const RankSet &set : halves)
      for (bool inside : {true, false})
        if (!deadline.hasPassed())
          tryFrom(inside ? set : others(set));
    while (moveOne()) {
    }
    return std::move(best);
  }

private:
  /// The ranks of one side, and the cut of its own links.
  void considerSingles() {
    std::vector<Wide> in(graph.numNodes()), out(graph.numNodes());
    std::vector<bool> freeIn(graph.numNodes()), freeOut(graph.numNodes());
    for (const FlowArc &arc : graph.arcs()) {
      in[arc.to] += arc.capacity.bytesPerSecond();
      out[arc.from] += arc.capacity.bytesPerSecond();
      freeIn[arc.to] = freeIn[arc.to] || arc.capacity.isUnlimited();
      freeOut[arc.from] = freeOut[arc.from] || arc.capacity.isUnlimited();
    }
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank)
      for (bool alone : {true, false}) {
        Wide sum = alone ? out[rank] : in[rank];
        if ((alone ? freeOut : freeIn)[rank] || sum >> 62)
          continue;
        if (!pay(weightCost))
          return;
        RankSet set(graph.numRanks(), !alone);
        set[rank] = alone;
        RatioCut cut;
        cut.weight = weightOf(set);
        cut.capacity = sum == 0 ? std::nullopt : std::optional(Bandwidth(uint64_t(sum)));
        cut.inside = llvm::BitVector(graph.numNodes(), !alone);
        cut.inside[rank] = alone;
        keep(std::move(cut), set);
      }
  }

  bool pay(uint64_t cost) {
    if (budget < cost || deadline.hasPassed())
      return false;
    budget -= cost;
    return true;
  }

  bool keep(RatioCut cut, const RankSet &set) {
    if (!cut.isTighterThan(best))
      return false;
    best = std::move(cut);
    best.exact = false;
    bestSet = set;
    return true;
  }

  /// Considers the cuts from \p set to the other ranks and back.
  bool evaluate(const RankSet &set) {
    bool found = false;
    for (bool inside : {true, false}) {
      if (!pay(weightCost + 64 * graph.arcs().size()))
        return found;
      found |= tryFrom(inside ? set : others(set));
    }
    return found;
  }

  static RankSet others(RankSet set) {
    set.flip();
    return set;
  }

  bool tryFrom(const RankSet &set) {
    uint64_t weight = weightOf(set);
    if (weight == 0)
      return false;
    RatioCut cut = findMinCut(graph, std::vector<std::optional<bool>>(set.begin(), set.end()));
    cut.weight = weight;
    return keep(std::move(cut), set);
  }

  /// Moves one rank to the other side of the best cut, if that is better.
  bool moveOne() {
    if (bestSet.empty() || !best.capacity)
      return false;
    RankSet set = bestSet;
    for (uint32_t rank = 0; rank < set.size(); ++rank) {
      set[rank] = !set[rank];
      if (llvm::is_contained(set, true) && llvm::is_contained(set, false) && evaluate(set))
        return true;
      set[rank] = !set[rank];
    }
    return false;
  }

  const FlowGraph &graph;
  const std::function<uint64_t(const RankSet &)> &weightOf;
  uint64_t weightCost;
  uint64_t &budget;
  const Deadline &deadline;
  RatioCut best;
  RankSet bestSet;
};
} // namespace

RatioCut cclc::tryCuts(const FlowGraph &graph, const std::set<RankSet> &candidates,
                       ArrayRef<RankSet> halves,
                       const std::function<uint64_t(const RankSet &)> &weightOf,
                       uint64_t weightCost, uint64_t &budget, const Deadline &deadline) {
  return Trial(graph, weightOf, weightCost, budget, deadline).run(candidates, halves);
}
