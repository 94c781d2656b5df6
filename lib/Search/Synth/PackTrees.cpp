//===- PackTrees.cpp - Spanning trees that share links evenly -------------===//
//
// A tree grows from its root by the cheapest transfer to a rank outside (Prim). A transfer raises
// the prices of its links for the rest of the tree, and ranks far from the root are more expensive,
// so that trees are shallow. The first trees are grown one after the other. Then all are replaced
// in turn, and finally small random sets that contain a tree on the busiest link are. The random
// numbers are always the same.
//
//===----------------------------------------------------------------------===//

#include "LinkPrices.h"
#include "cclc/Search/Synth/TreePacking.h"

#include "llvm/ADT/STLExtras.h"

#include <queue>
#include <random>

using namespace cclc;
using namespace cclc::synth;

uint32_t synth::depthOf(const Tree &tree, uint32_t ranks) {
  std::vector<uint32_t> depth(ranks);
  uint32_t largest = 0;
  for (const Branch &branch : tree.branches)
    largest = std::max(largest, depth[branch.child.index()] = depth[branch.parent.index()] + 1);
  return largest;
}

namespace {
/// The ranks between which the data of a branch move.
std::pair<RankId, RankId> transferOf(const Branch &branch, Flow flow) {
  if (flow == Flow::FromRoot)
    return {branch.parent, branch.child};
  return {branch.child, branch.parent};
}

/// The load of a link is a multiple of the time that one tree takes there, so that the highest load
/// is at least the smallest such multiple from \p least.
double attainable(const TransferGraph &graph, double least) {
  if (graph.isDivided() || graph.hasStreams())
    return least;
  constexpr double rounding = 1e-9;
  std::optional<double> smallest;
  for (double one : graph.secondsPerByte()) {
    double multiple = std::max(std::ceil(least / one - rounding), 1.0) * one;
    smallest = std::min(smallest.value_or(multiple), multiple);
  }
  return smallest.value_or(least);
}

class Packer {
public:
  Packer(const TransferGraph &graph, ArrayRef<TreeDemand> demands, const PackingOptions &options)
      : graph(graph), options(options), least(attainable(graph, options.leastLoad)),
        prices(graph, least) {
    for (const TreeDemand &demand : demands)
      trees.push_back({demand.root, demand.flow, {}});
  }

  bool growAll();
  void replaceInTurn();
  void replaceSets();
  Packing take() { return {std::move(best), bestLoad}; }

private:
  /// A transfer that a tree may take next. Prices only rise while a tree grows, so that a candidate
  /// whose price is still the stored one is the cheapest.
  struct Candidate {
    double price;
    Branch branch;
    bool operator>(const Candidate &other) const {
      return price != other.price ? price > other.price : branch > other.branch;
    }
  };

  double priceOf(const Branch &branch, Flow flow);
  void addCandidates(const Tree &tree, RankId parent);
  bool grow(Tree &tree);
  void uproot(const Tree &tree);
  const std::vector<bool> &transfersOver(uint32_t link);
  bool crosses(const Tree &tree, uint32_t link);
  void keepBest();
  bool done() const { return work >= options.effort || bestLoad <= least * enough; }

  /// A load this close to the least is not worth a search.
  static constexpr double enough = 1.0005;
  /// How much more a transfer costs for every branch between the root and its sender.
  static constexpr double perBranch = 1;

  const TransferGraph &graph;
  PackingOptions options;
  double least; ///< the search stops at this load
  LinkPrices prices;
  std::vector<Tree> trees, best;
  double bestLoad = 0;
  uint64_t work = 0;
  std::mt19937 random{1};
  double noise = 0;  ///< by how much prices vary at random
  uint32_t salt = 0; ///< of the random prices of a tree
  std::vector<OptionalIndex> depths;
  std::vector<bool> isParent;        ///< whether a rank has sent the data of the tree
  std::vector<Candidate> candidates; ///< a heap
  /// By link, and by sender and receiver: whether the transfer loads the link. Empty until needed.
  std::vector<std::vector<bool>> loading;
};

double Packer::priceOf(const Branch &branch, Flow flow) {
  ++work;
  auto [from, to] = transferOf(branch, flow);
  double price = prices.of(from, to, flow == Flow::ToRoot);
  if (flow == Flow::FromRoot && isParent[branch.parent.index()])
    price += prices.ofResend(branch.parent);
  price *= 1 + perBranch * *depths[branch.parent.index()];
  uint32_t mixed = (branch.parent.index() * 31 + branch.child.index() * 17 + salt) % 64;
  return price * (1 + noise * mixed / 64);
}

void Packer::addCandidates(const Tree &tree, RankId parent) {
  if (*depths[parent.index()] == options.depth)
    return;
  for (uint32_t r = 0; r < graph.ranks(); ++r) {
    Branch branch{parent, RankId(r)};
    auto [from, to] = transferOf(branch, tree.flow);
    if (depths[r] || !graph.isDirect(from, to))
      continue;
    candidates.push_back({priceOf(branch, tree.flow), branch});
    std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
  }
}

/// Grows \p tree from its root. Fails if it does not reach every rank; its load is then incomplete.
bool Packer::grow(Tree &tree) {
  tree.branches.clear();
  candidates.clear();
  salt = random() % 997;
  depths.assign(graph.ranks(), OptionalIndex());
  depths[tree.root.index()] = 0u;
  isParent.assign(graph.ranks(), false);
  addCandidates(tree, tree.root);
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end(), std::greater<>());
    Candidate next = candidates.back();
    candidates.pop_back();
    const RankId parent = next.branch.parent, child = next.branch.child;
    if (depths[child.index()])
      continue;
    double price = priceOf(next.branch, tree.flow);
    if (price > next.price) {
      candidates.push_back({price, next.branch});
      std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
      continue;
    }
    depths[child.index()] = *depths[parent.index()] + 1;
    tree.branches.push_back(next.branch);
    auto [from, to] = transferOf(next.branch, tree.flow);
    prices.add(from, to, tree.flow == Flow::ToRoot);
    if (tree.flow == Flow::FromRoot && isParent[parent.index()])
      prices.addResend(parent);
    isParent[parent.index()] = true;
    addCandidates(tree, child);
  }
  return tree.branches.size() + 1 == graph.ranks();
}

void Packer::uproot(const Tree &tree) {
  isParent.assign(graph.ranks(), false);
  for (const Branch &branch : tree.branches) {
    auto [from, to] = transferOf(branch, tree.flow);
    prices.remove(from, to, tree.flow == Flow::ToRoot);
    if (tree.flow == Flow::FromRoot && isParent[branch.parent.index()])
      prices.removeResend(branch.parent);
    isParent[branch.parent.index()] = true;
  }
}

const std::vector<bool> &Packer::transfersOver(uint32_t link) {
  loading.resize(graph.numResources());
  std::vector<bool> &transfers = loading[link];
  const uint32_t ranks = graph.ranks();
  if (transfers.empty()) {
    transfers.resize(size_t(ranks) * ranks);
    for (uint32_t from = 0; from < ranks; ++from)
      for (uint32_t to = 0; to < ranks; ++to)
        if (from != to)
          graph.forEachLoad(RankId(from), RankId(to), /*reduces=*/false,
                            [&](uint32_t each, double) {
                              if (each == link)
                                transfers[size_t(from) * ranks + to] = true;
                            });
  }
  return transfers;
}

bool Packer::crosses(const Tree &tree, uint32_t link) {
  const std::vector<bool> &transfers = transfersOver(link);
  return llvm::any_of(tree.branches, [&](const Branch &branch) {
    auto [from, to] = transferOf(branch, tree.flow);
    return transfers[size_t(from.index()) * graph.ranks() + to.index()] ||
           (graph.hasStreams() && tree.flow == Flow::FromRoot && link == graph.streamOf(from));
  });
}

void Packer::keepBest() {
  // Sums of the same loads in another order differ in their last digits.
  if (!best.empty() && prices.highest() > bestLoad * (1 - 1e-9))
    return;
  best = trees;
  bestLoad = prices.highest();
}

bool Packer::growAll() {
  for (Tree &tree : trees)
    if (!grow(tree))
      return false;
  keepBest();
  return true;
}

void Packer::replaceInTurn() {
  constexpr unsigned rounds = 8;
  for (unsigned round = 0; round < rounds && !done(); ++round)
    for (Tree &tree : trees) {
      Tree old = tree;
      std::vector<double> loads = prices.all();
      uproot(tree);
      // Whether a tree reaches every rank within the depth depends on the order in which it grows.
      if (!grow(tree)) {
        tree = std::move(old);
        prices.restore(loads);
      }
      keepBest();
    }
}

void Packer::replaceSets() {
  // Slightly worse packings are accepted, to leave local minima.
  constexpr double tolerance = 1.02;
  while (!done()) {
    uint32_t busiest = prices.busiest();
    std::vector<uint32_t> crossing;
    for (uint32_t i = 0; i < trees.size(); ++i)
      if (crosses(trees[i], busiest))
        crossing.push_back(i);
    if (crossing.empty())
      return;
    std::vector<uint32_t> chosen = {crossing[random() % crossing.size()]};
    for (uint32_t more = random() % 3; more > 0; --more)
      if (uint32_t other = random() % trees.size(); !llvm::is_contained(chosen, other))
        chosen.push_back(other);
    std::vector<double> loads = prices.all();
    double potential = prices.potential();
    std::vector<Tree> old;
    for (uint32_t i : chosen) {
      old.push_back(trees[i]);
      uproot(trees[i]);
    }
    noise = (random() % 4) * 0.2;
    bool grown = llvm::all_of(chosen, [&](uint32_t i) { return grow(trees[i]); });
    noise = 0;
    if (!grown || prices.potential() > potential * tolerance) {
      for (size_t i = 0; i < chosen.size(); ++i)
        trees[chosen[i]] = std::move(old[i]);
      prices.restore(loads);
      continue;
    }
    keepBest();
  }
}
} // namespace

std::optional<Packing> synth::packTrees(const TransferGraph &graph, ArrayRef<TreeDemand> demands,
                                        const PackingOptions &options) {
  Packer packer(graph, demands, options);
  if (!packer.growAll())
    return std::nullopt;
  packer.replaceInTurn();
  packer.replaceSets();
  return packer.take();
}
