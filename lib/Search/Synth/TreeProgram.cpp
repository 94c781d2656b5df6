//===- TreeProgram.cpp - Collectives over packed trees as programs --------===//
//
// TreeSource.cpp writes the same programs as C++ source.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TreeAlgorithm.h"

#include "cclc/DSL/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::dsl;

namespace {
/// How the transfers of a tree are made.
class Transfers {
public:
  Transfers(Program &p, const TreeAlgorithm &algorithm)
      : algorithm(algorithm), channels(p.get(channelsOfTrees)),
        rounds(algorithm.period > 0 ? p.get(roundsOfTrees) : 1),
        ordered(rounds > 1 || (!algorithm.estimate && p.get(takesTurns))),
        numbers(algorithm.ranks) {
    for (const Tree &tree : algorithm.toRoot)
      for (const Branch &branch : tree.branches)
        turnsToRoot = std::max<int64_t>(turnsToRoot, branch.turn + 1);
    for (ArrayRef<Tree> trees : {ArrayRef(algorithm.toRoot), ArrayRef(algorithm.fromRoot)})
      for (const Tree &tree : trees)
        for (const Branch &branch : tree.branches)
          last = std::max(last, timeOf(branch, tree.flow, rounds - 1));
  }

  /// How often the trees are repeated, with other chunks.
  int numRounds() const { return rounds; }

  /// Of a branch of tree \p tree. Without several channels, the compiler chooses that of a tree,
  /// unless \p phase, 0 or 1, has channels of its own.
  Via via(int tree, const Branch &branch, Flow flow, std::optional<int> phase = {}, int round = 0) {
    Via via;
    const int begin = ordered ? 0 : phase.value_or(0) * channels;
    if (channels > 1 || phase || ordered)
      via.channel = begin + channelOf(tree);
    if (!ordered)
      return via;
    const bool up = flow == Flow::ToRoot;
    auto [from, to] =
        up ? std::pair(branch.child, branch.parent) : std::pair(branch.parent, branch.child);
    via.sendTb = threadblock(from, to, *via.channel, /*sends=*/true);
    via.recvTb = threadblock(to, from, *via.channel, /*sends=*/false);
    via.fuse = false;
    const int64_t most = maxPriority;
    via.priority = int((last - timeOf(branch, flow, round)) * most / std::max(last, most));
    return via;
  }

  /// The branches of a tree to a root, in the order in which contributions are added.
  auto additions(const Tree &tree) const {
    // Equal times stay in the order of insertion: children have no later ones than their parents.
    std::multimap<int64_t, Branch> byTime;
    for (const Branch &branch : llvm::reverse(tree.branches))
      byTime.emplace(ordered ? timeOf(branch, Flow::ToRoot, 0) : 0, branch);
    return byTime;
  }

private:
  /// The transfers of several rounds overlap. Those of an only one take turns, the ones from the
  /// roots after the ones to them.
  int64_t timeOf(const Branch &branch, Flow flow, int round) const {
    if (rounds > 1)
      return int64_t(round) * algorithm.period + branch.start;
    return branch.turn + (flow == Flow::FromRoot ? turnsToRoot : 0);
  }
  /// The channel of a tree. Different trees of a root have different channels as far as there are
  /// enough; then equal ones, then those of different roots.
  int channelOf(int tree) const {
    const int K = int(algorithm.treesPerRoot), T = K / int(algorithm.chunksPerTree);
    const int used = channels - channels % (channels >= K ? K : channels >= T ? T : channels);
    return (used < K ? tree % K : tree) % used;
  }
  /// The number of the threadblock of \p rank for a peer and a direction.
  int threadblock(RankId rank, RankId peer, int channel, bool sends) {
    auto &known = numbers[rank.index()];
    return known.try_emplace({peer.index(), channel, sends}, int(known.size())).first->second;
  }

  const TreeAlgorithm &algorithm;
  int channels;
  int rounds;
  bool ordered;
  int64_t turnsToRoot = 0;
  int64_t last = 0; ///< the time of the last transfer
  std::vector<std::map<std::tuple<uint32_t, int, bool>, int>> numbers; ///< by rank
};

/// Adds the chunk of every rank, [\p index] of its input, to \p result of the root. The ranks
/// between add in scratch, so that inputs are not modified.
void reduce(Program &p, dsl::Buffer partial, const Tree &tree, int index, int result,
            Transfers &transfers) {
  const int root = int(tree.root.index());
  std::vector<dsl::Buffer> where(p.ranks(), Input);
  for (const Branch &branch : tree.branches)
    where[branch.parent.index()] = partial;
  for (int r = 0; r < p.ranks(); ++r)
    if (where[r] == partial && r != root)
      p.chunk(r, Input, index).copy(r, partial, index);
  where[root] = Output;
  p.chunk(root, Input, index).copy(root, Output, result);
  auto at = [&](RankId rank) {
    const int r = int(rank.index());
    return p.chunk(r, where[r], r == root ? result : index);
  };
  for (const auto &[time, branch] : transfers.additions(tree))
    at(branch.parent).reduce(at(branch.child), transfers.via(index, branch, Flow::ToRoot));
}

/// Copies chunk \p index of the root's output to every rank.
void broadcast(Program &p, const Tree &tree, int index, Transfers &transfers,
               std::optional<int> phase = {}, int round = 0) {
  for (const Branch &branch : tree.branches) {
    const Via via = transfers.via(index, branch, Flow::FromRoot, phase, round);
    p.chunk(int(branch.parent.index()), Output, index).copy(int(branch.child.index()), via);
  }
}

/// The sums of small buffers are distributed as soon as they are complete. In large ones, the next
/// pieces of sums are added at the same time: on other channels if there are queues for them, so
/// that neither waits for the other.
void allReduce(Program &p, const TreeAlgorithm &algorithm, Transfers &transfers) {
  const int R = int(algorithm.ranks), K = R * int(algorithm.treesPerRoot);
  const int N = K * transfers.numRounds();
  p.chunks(N);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, N).copy(r, Output, 0);
  auto reduceOne = [&](int i, std::optional<int> phase) {
    auto at = [&](RankId rank) { return p.chunk(int(rank.index()), Output, i); };
    for (const auto &[time, branch] : transfers.additions(algorithm.toRoot[i % K])) {
      const Via via = transfers.via(i, branch, Flow::ToRoot, phase, i / K);
      at(branch.parent).reduce(at(branch.child), via);
    }
  };
  if (algorithm.estimate || algorithm.sharesChannels) {
    for (int i = 0; i < N; ++i) {
      p.phase("reduce");
      reduceOne(i, {});
      p.phase("broadcast");
      broadcast(p, algorithm.fromRoot[i % K], i, transfers, {}, i / K);
    }
    return;
  }
  p.phase("reduce");
  for (int i = 0; i < N; ++i)
    reduceOne(i, 0);
  p.phase("broadcast");
  for (int i = 0; i < N; ++i)
    broadcast(p, algorithm.fromRoot[i % K], i, transfers, 1, i / K);
}

void trace(Program &p, const TreeAlgorithm &algorithm) {
  const int R = int(algorithm.ranks), K = int(algorithm.treesPerRoot);
  if (p.ranks() != R)
    p.refuse("the trees are those of " + std::to_string(R) + " ranks");
  Transfers transfers(p, algorithm);
  switch (algorithm.collective) {
  case AllGather:
    p.chunks(K);
    for (int i = 0; i < R * K; ++i) {
      p.chunk(i / K, Input, i % K).copy(i / K, Output, i);
      broadcast(p, algorithm.fromRoot[i], i, transfers);
    }
    return;
  case ReduceScatter: {
    p.chunks(K);
    dsl::Buffer partial = p.scratch("partial");
    for (int i = 0; i < R * K; ++i)
      reduce(p, partial, algorithm.toRoot[i], i, i % K, transfers);
    return;
  }
  case AllReduce:
    return allReduce(p, algorithm, transfers);
  case Broadcast: {
    const int root = int(algorithm.root.index());
    p.chunks(K);
    p.root(root);
    for (int i = 0; i < K; ++i) {
      p.chunk(root, Input, i).copy(root, Output, i);
      broadcast(p, algorithm.fromRoot[i], i, transfers);
    }
    return;
  }
  case Reduce: {
    p.chunks(K);
    p.root(int(algorithm.root.index()));
    dsl::Buffer partial = p.scratch("partial");
    for (int i = 0; i < K; ++i)
      reduce(p, partial, algorithm.toRoot[i], i, i, transfers);
    return;
  }
  default:
    p.refuse("trees do not implement this collective");
  }
}
} // namespace

Declaration synth::declare(const TreeAlgorithm &algorithm, const std::string &name,
                           const std::string &summary) {
  Declaration declaration(name);
  dsl::IntParam channels = channelsOfTrees;
  channels.value = int(algorithm.channels);
  declaration.collective(algorithm.collective)
      .summary(summary)
      .source("Zhao et al., ForestColl: throughput-optimal collective communications on "
              "heterogeneous network fabrics, arXiv 2402.06787")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranks(int(algorithm.ranks), int(algorithm.ranks))
      .param(channels);
  if (!algorithm.estimate) {
    dsl::BoolParam turns = takesTurns;
    turns.value = algorithm.ordered;
    declaration.param(turns);
    if (algorithm.period > 0)
      declaration.param(roundsOfTrees);
  }
  declaration.body([algorithm](Program &p) { trace(p, algorithm); });
  return declaration;
}
