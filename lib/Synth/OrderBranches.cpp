//===- OrderBranches.cpp - The order of the transfers of trees ------------===//
//
// If the transfers of different trees did not take turns, most links would be idle until it is
// theirs. So all trees are executed with equal chunks, of which each occupies the links of its
// transfer: the next transfer is the one that can begin first; of several, the one with the longest
// way to go.
//
// Trees to the roots are executed in reversed time, as if each chunk moved from its root. Otherwise
// leaves, which have their contributions from the beginning, would keep the links from sums that
// have a long way to go.
//
//===----------------------------------------------------------------------===//

#include "cclc/Synth/TreePacking.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;

namespace {
class Orderer {
public:
  Orderer(const TransferGraph &graph, std::vector<Tree> &trees)
      : graph(graph), trees(trees), ranks(graph.ranks()), linkFree(graph.links().size()),
        ready(trees.size() * ranks), above(ready.size()), height(ready.size()),
        begin(ready.size()) {
    std::vector<uint32_t> count(ranks);
    for (const Tree &tree : trees)
      numbers.push_back({count[tree.root.index()]++, 0});
    for (size_t i = 0; i < trees.size(); ++i)
      numbers[i].of = count[trees[i].root.index()];
  }

  void run();

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
  void measure(uint32_t tree);
  RankId parentOf(uint32_t tree, uint32_t child) const {
    return RankId(above[at(tree, RankId(child))]);
  }
  ArrayRef<LinkUse> linksOf(uint32_t tree, uint32_t child) const {
    RankId below(child), parent = parentOf(tree, child);
    return trees[tree].flow == Flow::ToRoot ? graph.uses(below, parent) : graph.uses(parent, below);
  }
  double startOf(uint32_t tree, uint32_t child) const;
  void add(uint32_t tree, uint32_t child);
  void take(const Candidate &candidate);
  void number();

  const TransferGraph &graph;
  std::vector<Tree> &trees;
  uint32_t ranks;
  double instant = 1e-15; ///< what a transfer takes at least
  std::vector<double> linkFree;
  /// A tree, and the number of trees with its root.
  struct Number {
    uint32_t number, of;
  };
  std::vector<Number> numbers;
  // By tree and rank.
  std::vector<double> ready;    ///< when the rank has the chunk
  std::vector<uint32_t> above;  ///< the parent
  std::vector<uint32_t> height; ///< the transfers in sequence that follow the one with the parent
  std::vector<double> begin;    ///< of the transfer with the parent
  std::vector<Candidate> candidates; ///< a heap
};

void Orderer::measure(uint32_t tree) {
  for (const Branch &branch : trees[tree].branches)
    above[at(tree, branch.child)] = branch.parent.index();
  for (const Branch &branch : llvm::reverse(trees[tree].branches))
    height[at(tree, branch.parent)] =
        std::max(height[at(tree, branch.parent)], height[at(tree, branch.child)] + 1);
}

double Orderer::startOf(uint32_t tree, uint32_t child) const {
  double start = ready[at(tree, parentOf(tree, child))];
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
  const RankId child(candidate.child);
  double end = candidate.start + instant;
  for (const LinkUse &use : linksOf(candidate.tree, candidate.child)) {
    double busy = use.share * graph.secondsPerByte()[use.link];
    linkFree[use.link] = candidate.start + busy;
    end = std::max(end, candidate.start + busy);
  }
  begin[at(candidate.tree, child)] = candidate.start;
  ready[at(candidate.tree, child)] = end;
  for (const Branch &branch : trees[candidate.tree].branches)
    if (branch.parent == child)
      add(candidate.tree, branch.child.index());
}

/// Numbers the branches of all trees by their beginning, and sorts those of each tree.
void Orderer::number() {
  std::vector<double> times = begin;
  llvm::sort(times);
  times.erase(llvm::unique(times), times.end());
  const uint64_t last = std::max<uint64_t>(times.size() - 1, lastTurn);
  for (uint32_t tree = 0; tree < trees.size(); ++tree) {
    for (Branch &branch : trees[tree].branches) {
      uint64_t time = llvm::lower_bound(times, begin[at(tree, branch.child)]) - times.begin();
      branch.turn = time * lastTurn / last;
    }
    llvm::sort(trees[tree].branches, [&](const Branch &a, const Branch &b) {
      return std::tuple(begin[at(tree, a.child)], a.child) <
             std::tuple(begin[at(tree, b.child)], b.child);
    });
  }
}

void Orderer::run() {
  for (uint32_t tree = 0; tree < trees.size(); ++tree) {
    measure(tree);
    for (const Branch &branch : trees[tree].branches)
      if (branch.parent == trees[tree].root)
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
  number();
}
} // namespace

void synth::orderBranches(const TransferGraph &graph, std::vector<Tree> &trees) {
  Orderer(graph, trees).run();
}
