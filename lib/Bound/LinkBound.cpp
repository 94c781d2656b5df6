//===- LinkBound.cpp - Cuts and volume of each collective -----------------===//
//
// The weights and sinks of the ratio cut that each collective needs. Where data are reduced, the
// graph is reversed: a sum that is collected along a tree is a copy that is distributed along the
// reversed tree. An all-reduce must bring the whole buffer across every cut that separates two
// ranks, which is the smaller of the broadcast cuts from any one rank and to it. In addition, each
// element takes 2(R-1) messages, as in one-way gossip: R-1 until some rank has the sum, and one
// more for every other rank (VolumeBound.h), fewer if a switch multicasts or reduces. A scan brings
// the data of the first rank to all others, and those of all ranks to the last one. The chunks of
// an all-to-all and of other collectives without sums take a path each.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/LinkBound.h"

#include "TriedCuts.h"

#include <map>
#include <numeric>
#include <utility>

using namespace cclc;

namespace {
std::vector<uint32_t> allRanks(const FlowGraph &graph) {
  std::vector<uint32_t> ranks(graph.numRanks());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<uint64_t> onlyRank(const FlowGraph &graph, uint32_t rank) {
  std::vector<uint64_t> weights(graph.numRanks());
  weights[rank] = 1;
  return weights;
}

std::vector<uint64_t> allBut(const FlowGraph &graph, uint32_t rank) {
  std::vector<uint64_t> weights(graph.numRanks(), 1);
  weights[rank] = 0;
  return weights;
}

/// A cut of the reversed graph as one of the graph.
RatioCut turned(RatioCut cut) {
  cut.inside.flip();
  return cut;
}

/// The messages of an element; unset if not all groups need all elements.
std::optional<MessagesOfElement> messagesOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::Broadcast:
    return MessagesOfElement{.spreads = true};
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Reduce:
  case CollectiveKind::Scan:
  case CollectiveKind::Exscan:
    return MessagesOfElement{.sums = true};
  case CollectiveKind::AllReduce:
    return MessagesOfElement{.sums = true, .spreads = true};
  default:
    return std::nullopt;
  }
}

class Finder {
public:
  Finder(const FlowGraph &graph, const Collective &collective, const Machine *machine,
         ArrayRef<EndpointId> endpoints, LinkBudget budget)
      : graph(graph), collective(collective), machine(machine), endpoints(endpoints),
        budget(std::move(budget)), ranks(allRanks(graph)), ones(graph.numRanks(), 1) {}

  LinkBound run() {
    LinkBound bound;
    uint32_t root = collective.root().index();
    bound.isTight = true;
    bound.parts = graph.numRanks();
    switch (collective.kind()) {
    case CollectiveKind::AllGather:
      bound.cut = forwards(ones, ranks);
      break;
    case CollectiveKind::ReduceScatter:
      bound.cut = backwards(ones, ranks);
      break;
    case CollectiveKind::Broadcast:
      bound.parts = 1;
      bound.cut = forwards(onlyRank(graph, root), ranks);
      break;
    case CollectiveKind::Reduce:
      bound.parts = 1;
      bound.cut = backwards(onlyRank(graph, root), ranks);
      break;
    case CollectiveKind::Gather:
      bound.cut = forwards(allBut(graph, root), {root});
      break;
    case CollectiveKind::Scatter:
      bound.cut = backwards(allBut(graph, root), {root});
      break;
    case CollectiveKind::AllReduce:
      allReduce(bound);
      break;
    default:
      bound.isTight = false;
      tried(bound);
      if (!isScan(collective.kind()) && graph.numRanks() > 1 && bound.cut.capacity &&
          !budget.deadline.hasPassed())
        bound.paths = findPathBound(graph, chunkDemands(), budget.paths);
    }
    if (budget.deadline.hasPassed())
      budget.trials = 0;
    if (std::optional<MessagesOfElement> messages = messagesOf(collective.kind()))
      bound.volume = findVolumeBound(graph, *messages, machine, endpoints, budget.trials);
    bool isByVolume = exceedsCut(bound);
    if (!isByVolume && collective.kind() != CollectiveKind::AllReduce)
      bound.volume.reset();
    bound.isTight &= bound.cut.exact && !isByVolume;
    return bound;
  }

private:
  /// Whether the volume takes longer than the cut.
  static bool exceedsCut(const LinkBound &bound) {
    const RatioCut &cut = bound.cut;
    return bound.volume && cut.capacity &&
           (cut.capacity->isUnlimited() ||
            Wide(bound.volume->buffers) * bound.parts * cut.capacity->bytesPerSecond() >
                Wide(cut.weight) * bound.volume->rate.bytesPerSecond());
  }

  RatioCut forwards(ArrayRef<uint64_t> weights, ArrayRef<uint32_t> sinks) {
    return tightest(graph, weights, sinks);
  }
  RatioCut backwards(ArrayRef<uint64_t> weights, ArrayRef<uint32_t> sinks) {
    if (!back)
      back = graph.reversed();
    return turned(tightest(*back, weights, sinks));
  }

  /// The ratio cut. If the budget does not suffice for all cuts, the halves are compared with those
  /// found.
  RatioCut tightest(const FlowGraph &way, ArrayRef<uint64_t> weights, ArrayRef<uint32_t> sinks) {
    RatioCut cut = findRatioCut(way, weights, sinks, budget.cuts, budget.deadline);
    if (cut.exact)
      return cut;
    uint64_t none = 0;
    auto weightOf = [&](const RankSet &set) {
      uint64_t weight = 0;
      for (uint32_t rank : ranks)
        weight += set[rank] ? weights[rank] : 0;
      return llvm::all_of(sinks, [&](uint32_t sink) { return set[sink]; }) ? 0 : weight;
    };
    RatioCut half = tryCuts(way, {}, halves(), weightOf, 1, none, budget.deadline);
    return half.isTighterThan(cut) ? half : cut;
  }

  std::vector<RankSet> halves() const {
    return machine ? halvesOf(*machine, endpoints) : std::vector<RankSet>();
  }

  void allReduce(LinkBound &bound) {
    bound.parts = 1;
    bound.isTight = false;
    bound.cut = forwards(onlyRank(graph, 0), ranks);
    RatioCut other = backwards(onlyRank(graph, 0), ranks);
    if (other.isTighterThan(bound.cut))
      bound.cut = std::move(other);
    bound.ranks = graph.numRanks();
    bound.gatherCut = forwards(ones, ranks);
    bound.scatterCut = backwards(ones, ranks);
  }

  /// All-to-all, scans and collectives that are given as data.
  void tried(LinkBound &bound) {
    std::set<RankSet> candidates;
    if (machine)
      candidates = groupsOf(*machine, endpoints);
    auto addCut = [&](const RatioCut &cut) {
      if (cut.weight == 0 || !cut.capacity)
        return;
      RankSet set;
      for (uint32_t rank : ranks)
        set.push_back(cut.inside.test(rank));
      candidates.insert(std::move(set));
    };
    addCut(forwards(ones, ranks));
    addCut(backwards(ones, ranks));
    if (isScan(collective.kind())) {
      addCut(forwards(onlyRank(graph, 0), ranks));
      addCut(backwards(onlyRank(graph, ranks.back()), ranks));
    }
    if (collective.kind() == CollectiveKind::AllToAll) {
      auto weightOf = [](const RankSet &set) {
        uint64_t inside = std::count(set.begin(), set.end(), true);
        return inside * (set.size() - inside);
      };
      bound.cut = tryCuts(graph, candidates, halves(), weightOf, graph.numRanks(), budget.trials,
                          budget.deadline);
      return;
    }
    bool byOutput = collective.inputChunks() == 0;
    bound.parts =
        std::max(byOutput ? collective.outputChunks() : collective.inputChunks(), uint32_t(1));
    if (!collective.hasPostCondition()) {
      bound.cut = {};
      return;
    }
    bound.cut = tryCuts(
        graph, candidates, halves(), [&](const RankSet &set) { return chunksOut(collective, set); },
        uint64_t(collective.ranks()) * collective.outputChunks(), budget.trials, budget.deadline);
    for (uint32_t sink : ranks) {
      uint64_t cost = 64 * graph.arcs().size() + collective.outputChunks();
      if (budget.trials < cost || budget.deadline.hasPassed())
        break;
      budget.trials -= cost;
      if (RatioCut cut = intoRank(sink); cut.isTighterThan(bound.cut))
        bound.cut = std::move(cut);
    }
    bound.cut.exact = false;
  }

  /// Where the chunks of the collective are needed; empty if there are too many.
  std::vector<PathDemand> chunkDemands() const {
    std::vector<PathDemand> demands;
    uint64_t chunks = uint64_t(collective.ranks()) * collective.outputChunks();
    if (chunks > budget.paths / 64 || !collective.hasPostCondition())
      return {};
    if (collective.kind() == CollectiveKind::AllToAll) {
      for (uint32_t from : ranks)
        for (uint32_t to : ranks)
          if (from != to)
            demands.push_back({from, 1, {to}});
      return demands;
    }
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> sinks; // by owner and index
    for (uint32_t to : ranks)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c)
        if (Expectation expected = collective.expected(RankId(to), c);
            expected.kind == Expectation::Kind::Chunk && expected.rank != RankId(to))
          sinks[{expected.rank.index(), expected.index}].insert(to);
    for (const auto &[chunk, to] : sinks) {
      SmallVector<uint32_t, 1> list(to.begin(), to.end());
      if (!demands.empty() && demands.back().from == chunk.first && demands.back().to == list)
        ++demands.back().parts;
      else
        demands.push_back({chunk.first, 1, std::move(list)});
    }
    return demands;
  }

  /// All chunks that one rank needs, from wherever they come.
  RatioCut intoRank(uint32_t sink) {
    std::vector<uint64_t> weights(graph.numRanks());
    bool hasList = false;
    std::set<std::pair<uint32_t, uint32_t>> chunks;
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      Expectation expected = collective.expected(RankId(sink), c);
      if (expected.kind == Expectation::Kind::Chunk)
        chunks.emplace(expected.rank.index(), expected.index);
      hasList |=
          expected.kind == Expectation::Kind::Sum || expected.kind == Expectation::Kind::SumList;
    }
    // Chunks may be derived from sums with others.
    if (hasList)
      return {};
    for (auto [owner, index] : chunks)
      weights[owner] += owner != sink;
    return forwards(weights, {sink});
  }

  const FlowGraph &graph;
  const Collective &collective;
  const Machine *machine;
  ArrayRef<EndpointId> endpoints;
  LinkBudget budget;
  std::vector<uint32_t> ranks;
  std::vector<uint64_t> ones;
  std::optional<FlowGraph> back;
};
} // namespace

LinkBound cclc::findLinkBound(const FlowGraph &graph, const Collective &collective,
                              const Machine *machine, ArrayRef<EndpointId> endpoints,
                              LinkBudget budget) {
  return Finder(graph, collective, machine, endpoints, std::move(budget)).run();
}

SimTime LinkBound::cutTime(Bytes buffer) const {
  return cut.time(Wide(buffer.count()) * cut.weight / parts);
}

bool LinkBound::isByPaths() const {
  constexpr Bytes large(uint64_t(1) << 40); // so that rounding does not matter
  return pathTime(large) > cutTime(large);
}

std::optional<SimTime> LinkBound::twoPhaseTime(Bytes buffer) const {
  if (!scatterCut || !gatherCut)
    return std::nullopt;
  Wide size = buffer.count();
  return scatterCut->time(size * scatterCut->weight / ranks) +
         gatherCut->time(size * gatherCut->weight / ranks);
}
