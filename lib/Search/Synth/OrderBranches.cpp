//===- OrderBranches.cpp - The order of the transfers of trees ------------===//
//
// A rank adds the contributions to a sum one after the other. If it did so in the same order in all
// trees, the links from its other children would be idle, or their slots full, until it is their
// turn. So all trees are executed with equal chunks, of which each occupies the links of its
// transfer: the next transfer is the one that can begin first; of several, the one with the longest
// way to go. Contributions are then added in the order in which they arrive.
//
// Ranks that send in turns would keep links from sums that have a long way to go if leaves, which
// have their contributions from the beginning, came first. The turns are therefore those of a
// second execution, in which trees to the roots are executed in reversed time: each chunk moves
// from its root.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TreePacking.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;

namespace {
class Orderer {
public:
  Orderer(const TransferGraph &graph, std::vector<Tree> &trees, bool inReversedTime)
      : graph(graph), trees(trees), inReversedTime(inReversedTime), ranks(graph.ranks()),
        linkFree(graph.links().size()), ready(trees.size() * ranks), waiting(ready.size()),
        above(ready.size()), height(ready.size()), begin(ready.size()), arrival(ready.size()) {
    std::vector<uint32_t> count(ranks);
    for (const Tree &tree : trees)
      numbers.push_back({count[tree.root.index()]++, 0});
    for (size_t i = 0; i < trees.size(); ++i)
      numbers[i].of = count[trees[i].root.index()];
  }

  void run();
  void sortBranches();
  void setTurns();

private:
  struct Candidate {
    double start;
    uint32_t toGo;     ///< the transfers that follow in sequence
    uint32_t rotation; ///< to vary the trees between the senders
    uint32_t tree, child;
    auto key() const { return std::tuple(start, ~toGo, rotation, tree, child); }
    bool operator>(const Candidate &other) const { return key() > other.key(); }
  };

  size_t at(uint32_t tree, RankId rank) const { return size_t(tree) * ranks + rank.index(); }
  /// Whether the root is the last one that has the data of a tree.
  bool isToRoot(uint32_t tree) const { return trees[tree].flow == Flow::ToRoot && !inReversedTime; }
  void measure(uint32_t tree);
  std::pair<RankId, RankId> transferOf(uint32_t tree, uint32_t child) const {
    RankId below(child), parent(above[at(tree, below)]);
    return isToRoot(tree) ? std::pair(below, parent) : std::pair(parent, below);
  }
  ArrayRef<LinkUse> linksOf(uint32_t tree, uint32_t child) const {
    RankId below(child), parent(above[at(tree, below)]);
    return trees[tree].flow == Flow::ToRoot ? graph.uses(below, parent) : graph.uses(parent, below);
  }
  double startOf(uint32_t tree, uint32_t child) const;
  void add(uint32_t tree, uint32_t child);
  void take(const Candidate &candidate);

  const TransferGraph &graph;
  std::vector<Tree> &trees;
  bool inReversedTime; ///< trees to the roots
  uint32_t ranks;
  double instant = 1e-15; ///< what a transfer takes at least
  std::vector<double> linkFree;
  /// A tree, and the number of trees with its root.
  struct Number {
    uint32_t number, of;
  };
  std::vector<Number> numbers;
  // By tree and rank.
  std::vector<double> ready;     ///< when the rank has all that it sends
  std::vector<uint32_t> waiting; ///< the children whose contributions are missing
  std::vector<uint32_t> above;   ///< the parent
  std::vector<uint32_t> height;  ///< the transfers in sequence that follow the one with the parent
  std::vector<double> begin, arrival; ///< of the transfer with the parent
  std::vector<Candidate> candidates;  ///< a heap
};

void Orderer::measure(uint32_t tree) {
  const Tree &each = trees[tree];
  std::vector<uint32_t> depth(ranks);
  for (const Branch &branch : each.branches) {
    above[at(tree, branch.child)] = branch.parent.index();
    depth[branch.child.index()] = depth[branch.parent.index()] + 1;
    if (isToRoot(tree)) {
      ++waiting[at(tree, branch.parent)];
      height[at(tree, branch.child)] = depth[branch.parent.index()];
    }
  }
  for (const Branch &branch : llvm::reverse(each.branches))
    if (!isToRoot(tree))
      height[at(tree, branch.parent)] =
          std::max(height[at(tree, branch.parent)], height[at(tree, branch.child)] + 1);
}

double Orderer::startOf(uint32_t tree, uint32_t child) const {
  double start = ready[at(tree, transferOf(tree, child).first)];
  for (const LinkUse &use : linksOf(tree, child))
    start = std::max(start, linkFree[use.link]);
  return start;
}

void Orderer::add(uint32_t tree, uint32_t child) {
  uint32_t turn = (child + ranks - trees[tree].root.index() - 1) % ranks % numbers[tree].of;
  uint32_t rotation = (numbers[tree].number + numbers[tree].of - turn) % numbers[tree].of;
  candidates.push_back(
      {startOf(tree, child), height[at(tree, RankId(child))], rotation, tree, child});
  std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
}

void Orderer::take(const Candidate &candidate) {
  const RankId to = transferOf(candidate.tree, candidate.child).second;
  double end = candidate.start + instant;
  for (const LinkUse &use : linksOf(candidate.tree, candidate.child)) {
    double busy = use.share * graph.secondsPerByte()[use.link];
    linkFree[use.link] = candidate.start + busy;
    end = std::max(end, candidate.start + busy);
  }
  begin[at(candidate.tree, RankId(candidate.child))] = candidate.start;
  arrival[at(candidate.tree, RankId(candidate.child))] = end;
  size_t receiver = at(candidate.tree, to);
  ready[receiver] = std::max(ready[receiver], end);
  if (isToRoot(candidate.tree)) {
    if (--waiting[receiver] == 0 && to != trees[candidate.tree].root)
      add(candidate.tree, to.index());
    return;
  }
  for (const Branch &branch : trees[candidate.tree].branches)
    if (branch.parent == to)
      add(candidate.tree, branch.child.index());
}

void Orderer::run() {
  for (uint32_t tree = 0; tree < trees.size(); ++tree) {
    measure(tree);
    for (const Branch &branch : trees[tree].branches)
      if (isToRoot(tree) ? waiting[at(tree, branch.child)] == 0 : branch.parent == trees[tree].root)
        add(tree, branch.child.index());
  }
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end(), std::greater<>());
    Candidate next = candidates.back();
    candidates.pop_back();
    double start = startOf(next.tree, next.child);
    if (start <= next.start) {
      take(next);
      continue;
    }
    next.start = start;
    candidates.push_back(next);
    std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
  }
}

void Orderer::sortBranches() {
  for (uint32_t tree = 0; tree < trees.size(); ++tree) {
    auto key = [&](const Branch &branch) {
      double time = arrival[at(tree, branch.child)];
      return std::tuple(isToRoot(tree) ? -time : time, branch.child);
    };
    std::sort(trees[tree].branches.begin(), trees[tree].branches.end(),
              [&](const Branch &a, const Branch &b) { return key(a) < key(b); });
  }
}

/// Numbers the times at which transfers begin.
void Orderer::setTurns() {
  std::vector<double> times = begin;
  llvm::sort(times);
  times.erase(llvm::unique(times), times.end());
  const uint64_t last = times.size() - 1;
  for (uint32_t tree = 0; tree < trees.size(); ++tree)
    for (Branch &branch : trees[tree].branches) {
      uint64_t time = llvm::lower_bound(times, begin[at(tree, branch.child)]) - times.begin();
      branch.turn = inReversedTime ? last - time : time;
    }
}
} // namespace

void synth::orderBranches(const TransferGraph &graph, std::vector<Tree> &trees) {
  Orderer inTime(graph, trees, /*inReversedTime=*/false);
  inTime.run();
  inTime.sortBranches();
  if (llvm::all_of(trees, [](const Tree &tree) { return tree.flow == Flow::FromRoot; }))
    return inTime.setTurns(); // the same execution
  Orderer reversed(graph, trees, /*inReversedTime=*/true);
  reversed.run();
  reversed.setTurns();
}
