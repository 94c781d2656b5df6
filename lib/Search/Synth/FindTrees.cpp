//===- FindTrees.cpp - The number and the depth of trees ------------------===//
//
// More trees divide the load more evenly, and deeper ones have more choices, but every tree adds
// steps and every branch latency. So few and shallow trees are tried first, and more or deeper ones
// replace them only if the busiest link has less to do. The first depth is the smallest possible.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TreeAlgorithm.h"

#include "LinkPrices.h"
#include "cclc/IR/Collective.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::synth;

namespace {
/// A load that is lower by less than this part does not justify more or deeper trees.
constexpr double worthwhile = 0.01;
/// Deeper trees are tried only if the load exceeds the bound by more than this part.
constexpr double large = 0.05;

class TreeFinder {
public:
  /// Packings that are not in \p packings are added.
  TreeFinder(const TransferGraph &graph, const TreeRequest &request, Packings &packings)
      : graph(graph), request(request), packings(packings) {}

  std::optional<TreeAlgorithm> find();

private:
  TreeAlgorithm algorithmOf(Packing packing, uint32_t trees) const;
  const std::optional<Packing> &packingOf(uint32_t trees, uint32_t depth);
  void tryTrees(uint32_t trees);
  bool isWithin(double part) const {
    return best && best->secondsPerByte <= request.leastSecondsPerByte * (1 + part);
  }
  bool isRooted() const { return Collective(request.collective, graph.ranks(), 1).isRooted(); }
  uint32_t roots() const { return isRooted() ? 1 : graph.ranks(); }

  const TransferGraph &graph;
  const TreeRequest &request;
  Packings &packings;
  uint32_t diameter = 0;
  std::optional<TreeAlgorithm> best;
};

/// Divides the packing of the demands, which alternate between the flows, into both.
TreeAlgorithm TreeFinder::algorithmOf(Packing packing, uint32_t trees) const {
  TreeAlgorithm algorithm{request.collective, graph.ranks(), request.root, trees, {}, {}, 0, 0, {}};
  algorithm.secondsPerByte = packing.load / (double(roots()) * trees);
  algorithm.loadsStreams = graph.hasStreams();
  for (Tree &tree : packing.trees) {
    algorithm.depth = std::max(algorithm.depth, depthOf(tree, graph.ranks()));
    (tree.flow == Flow::ToRoot ? algorithm.toRoot : algorithm.fromRoot).push_back(std::move(tree));
  }
  return algorithm;
}

const std::optional<Packing> &TreeFinder::packingOf(uint32_t trees, uint32_t depth) {
  auto [known, isNew] = packings.try_emplace({trees, depth});
  if (!isNew)
    return known->second;
  std::vector<TreeDemand> demands;
  for (uint32_t i = 0; i < roots(); ++i)
    for (uint32_t tree = 0; tree < trees; ++tree) {
      RankId root = isRooted() ? request.root : RankId(i);
      if (reduces(request.collective))
        demands.push_back({root, Flow::ToRoot});
      if (distributes(request.collective))
        demands.push_back({root, Flow::FromRoot});
    }
  PackingOptions options{};
  options.leastLoad = request.leastSecondsPerByte * double(roots()) * trees;
  options.depth = depth;
  return known->second = packTrees(graph, demands, options);
}

void TreeFinder::tryTrees(uint32_t trees) {
  for (uint32_t more : {0u, 2u, 4u, 8u}) {
    const uint32_t depth = std::min(diameter + more, graph.ranks() - 1);
    if (const std::optional<Packing> &packing = packingOf(trees, depth)) {
      TreeAlgorithm found = algorithmOf(*packing, trees);
      if (!best || found.secondsPerByte < best->secondsPerByte * (1 - worthwhile))
        best = std::move(found);
    }
    if (isWithin(large) || depth + 1 >= graph.ranks())
      return;
  }
}

void order(const TransferGraph &graph, TreeAlgorithm &algorithm) {
  for (std::vector<Tree> *trees : {&algorithm.toRoot, &algorithm.fromRoot})
    orderBranches(graph, *trees);
}

std::optional<TreeAlgorithm> TreeFinder::find() {
  const std::optional<uint32_t> longest = graph.diameter();
  if (!longest || !hasTrees(request.collective))
    return std::nullopt;
  diameter = *longest;
  if (request.trees)
    tryTrees(*request.trees);
  else
    for (uint32_t trees : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 12u, 15u, 16u}) {
      // A single root needs more trees to use all links than all roots together, such as one for
      // each of its 7 or 15 peers.
      if (isWithin(worthwhile) || (trees > 8 && !isRooted()))
        break;
      if (trees % 8 == 7 && !isRooted())
        continue;
      tryTrees(trees);
    }
  if (best)
    order(graph, *best);
  return std::move(best);
}

/// Whether a PE has fewer queues than two channels to each of its peers take.
bool hasFewQueues(const TransferGraph &graph, const TreeAlgorithm &algorithm,
                  ArrayRef<std::optional<uint32_t>> queues) {
  const uint32_t ranks = graph.ranks();
  std::vector<bool> arePeers(size_t(ranks) * ranks);
  for (ArrayRef<Tree> trees : {ArrayRef(algorithm.toRoot), ArrayRef(algorithm.fromRoot)})
    for (const Tree &tree : trees)
      for (const Branch &branch : tree.branches)
        arePeers[size_t(branch.parent.index()) * ranks + branch.child.index()] =
            arePeers[size_t(branch.child.index()) * ranks + branch.parent.index()] = true;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::array<uint32_t, numQueueGroups> taken{};
    for (uint32_t peer = 0; peer < ranks; ++peer)
      if (arePeers[size_t(rank) * ranks + peer])
        taken[size_t(graph.queueGroup(RankId(rank), RankId(peer)))] += 2;
    for (size_t group = 0; group < numQueueGroups; ++group)
      if (queues[group] && taken[group] > *queues[group])
        return true;
  }
  return false;
}
} // namespace

bool synth::hasTrees(CollectiveKind collective) {
  return (reduces(collective) && !isScan(collective)) || distributes(collective);
}

TreeSearch::TreeSearch(const Machine &machine, const TransferGraph &graph,
                       const TreeRequest &request)
    : request(request) {
  TransferGraph loaded = graph;
  loaded.addStreams(machine);
  const DirectionQueues &direction = machine.directionQueues;
  if (!direction.multiplex &&
      llvm::any_of(direction.number, [](const auto &number) { return number.has_value(); })) {
    queues = direction.number;
    graphs.push_back({loaded});
    graphs.back().graph.limitPeers(queues);
  }
  graphs.push_back({std::move(loaded)});
}

std::optional<TreeAlgorithm> TreeSearch::find(std::optional<uint32_t> trees) {
  request.trees = trees;
  for (Graph &each : graphs)
    if (std::optional<TreeAlgorithm> found =
            TreeFinder(each.graph, request, each.packings).find()) {
      found->sharesChannels = &each != &graphs.back() &&
                              request.collective == CollectiveKind::AllReduce &&
                              hasFewQueues(each.graph, *found, queues);
      return found;
    }
  return std::nullopt;
}

TreeAlgorithm synth::divideTrees(const TransferGraph &graph, const TreeAlgorithm &algorithm,
                                 uint32_t chunks) {
  TreeAlgorithm result = algorithm;
  const uint32_t before = algorithm.treesPerRoot;
  result.treesPerRoot *= chunks;
  result.chunksPerTree *= chunks;
  result.period = 0;
  auto repeat = [&](ArrayRef<Tree> trees, std::vector<Tree> &into) {
    into.clear();
    for (size_t root = 0; root < trees.size(); root += before)
      for (uint32_t i = 0; i < result.treesPerRoot; ++i)
        into.push_back(trees[root + i % before]);
  };
  repeat(algorithm.toRoot, result.toRoot);
  repeat(algorithm.fromRoot, result.fromRoot);
  order(graph, result);
  return result;
}

void synth::scheduleRounds(const TransferGraph &graph, TreeAlgorithm &algorithm) {
  if (algorithm.collective == CollectiveKind::AllReduce && !algorithm.estimate && !algorithm.period)
    algorithm.period = scheduleRounds(graph, algorithm.toRoot, algorithm.fromRoot);
}

std::optional<TreeAlgorithm> synth::findTimedTrees(const TransferGraph &graph,
                                                   const TreeRequest &request,
                                                   const MessageCosts &costs, Bytes buffer) {
  bool isRooted = Collective(request.collective, graph.ranks(), 1).isRooted();
  uint32_t roots = isRooted ? 1 : graph.ranks(), trees = request.trees.value_or(1);
  Bytes chunk(std::max<uint64_t>(buffer.count() / roots / trees, 1));
  TreeAlgorithm algorithm{request.collective, graph.ranks(), request.root, trees, {}, {}, 0, 0,
                          SimTime()};
  LinkPrices loads(graph, /*expected=*/1);
  // Of an all-reduce, the sums are complete before they are distributed.
  auto grow = [&](Flow flow, std::vector<Tree> &into) {
    std::vector<TreeDemand> demands;
    for (uint32_t i = 0; i < roots * trees; ++i)
      demands.push_back({isRooted ? request.root : RankId(i / trees), flow});
    std::optional<TimedTrees> grown = growTrees(graph, demands, costs, chunk);
    if (!grown)
      return false;
    *algorithm.estimate += grown->time;
    into = std::move(grown->trees);
    for (const Tree &tree : into) {
      algorithm.depth = std::max(algorithm.depth, depthOf(tree, graph.ranks()));
      for (const Branch &branch : tree.branches)
        flow == Flow::FromRoot ? loads.add(branch.parent, branch.child, false)
                               : loads.add(branch.child, branch.parent, true);
    }
    return true;
  };
  if (reduces(request.collective) && !grow(Flow::ToRoot, algorithm.toRoot))
    return std::nullopt;
  if (reduces(request.collective) && distributes(request.collective) && costs.limitsPeers()) {
    // Other trees would need further queues.
    algorithm.fromRoot = algorithm.toRoot;
    for (Tree &tree : algorithm.fromRoot) {
      tree.flow = Flow::FromRoot;
      for (const Branch &branch : tree.branches)
        loads.add(branch.parent, branch.child, false);
    }
    algorithm.estimate = *algorithm.estimate * 2;
  } else if (distributes(request.collective) && !grow(Flow::FromRoot, algorithm.fromRoot)) {
    return std::nullopt;
  }
  algorithm.secondsPerByte = loads.highest() / (double(roots) * trees);
  return algorithm;
}
