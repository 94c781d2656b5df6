//===- TreeSource.cpp - Collectives over packed trees as C++ source -------===//
//
// The programs of TreeProgram.cpp as text, with the trees as tables.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TreeAlgorithm.h"

#include "SourceText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::synth;
using llvm::formatv;

namespace {
constexpr const char *prologue = R"(
#include "cclc/DSL/DSL.h"

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

using namespace cclc::dsl;

namespace {
struct Branch {
  int parent, child;
  int turn = 0; // the place of its transfer among those of all trees
};
struct Tree {
  int root;
  std::vector<Branch> branches; // parents first
};
)";

/// The text between the two is the value of isOrdered.
constexpr const char *transfersBegin = R"(
/// How the transfers of a tree are made.
class Transfers {
public:
  explicit Transfers(Program &p)
      : number(p.get(channels)), isOrdered()";
constexpr const char *transfersEnd = R"(), threadblocks(R) {}

  /// Of a branch of a tree. Without several channels, the compiler chooses that of a tree, unless
  /// `phase`, 0 or 1, has channels of its own.
  Via via(int tree, const Branch &branch, bool isUp, std::optional<int> phase = {}) {
    Via via;
    // The transfers of the second phase take turns with those of the first one, after them.
    const int begin = isOrdered ? 0 : phase.value_or(0) * number;
    if (number > 1 || phase || isOrdered)
      via.channel = begin + channelOf(tree);
    if (!isOrdered)
      return via;
    const int from = isUp ? branch.child : branch.parent, to = isUp ? branch.parent : branch.child;
    via.sendTb = threadblock(from, to, *via.channel, true);
    via.recvTb = threadblock(to, from, *via.channel, false);
    via.fuse = false;
    // Transfers to the root are made in reversed time.
    via.priority = isUp ? lastTurn + branch.turn : lastTurn - branch.turn;
    return via;
  }

  /// The branches of a tree to a root, in the order in which contributions are added.
  std::multimap<int, Branch, std::greater<>> additions(const Tree &tree) const {
    // Equal turns stay in the order of insertion: children have no earlier ones than their parents.
    std::multimap<int, Branch, std::greater<>> byTurn;
    for (auto branch = tree.branches.rbegin(); branch != tree.branches.rend(); ++branch)
      byTurn.emplace(isOrdered ? branch->turn : 0, *branch);
    return byTurn;
  }

private:
  /// The channel of a tree. Different trees of a root have different channels as far as there are
  /// enough; then equal ones, then those of different roots.
  int channelOf(int tree) const {
    const int used = number - number % (number >= K ? K : number >= T ? T : number);
    return (used < K ? tree % K : tree) % used;
  }
  /// The number of the threadblock of a rank for a peer and a direction.
  int threadblock(int rank, int peer, int channel, bool sends) {
    auto &known = threadblocks[rank];
    return known.try_emplace({peer, channel, sends}, int(known.size())).first->second;
  }

  int number;
  bool isOrdered;
  std::vector<std::map<std::tuple<int, int, bool>, int>> threadblocks; // by rank
};
)";

constexpr const char *reduceFunction = R"(
/// Adds the chunk of every rank, [index] of its input, to `result` of the root. The ranks between
/// add in scratch, so that inputs are not modified.
void reduce(Program &p, Buffer partial, const Tree &tree, int index, int result,
            Transfers &transfers) {
  std::vector<Buffer> where(p.ranks(), Input);
  for (const Branch &branch : tree.branches)
    where[branch.parent] = partial;
  for (int r = 0; r < p.ranks(); ++r)
    if (where[r] == partial && r != tree.root)
      p.chunk(r, Input, index).copy(r, partial, index);
  where[tree.root] = Output;
  p.chunk(tree.root, Input, index).copy(tree.root, Output, result);
  auto at = [&](int r) { return p.chunk(r, where[r], r == tree.root ? result : index); };
  for (const auto &[turn, branch] : transfers.additions(tree))
    at(branch.parent).reduce(at(branch.child), transfers.via(index, branch, true));
}
)";

constexpr const char *broadcastFunction = R"(
/// Copies chunk `index` of the root's output to every rank.
void broadcast(Program &p, const Tree &tree, int index, Transfers &transfers,
               std::optional<int> phase = {}) {
  for (const Branch &branch : tree.branches)
    p.chunk(branch.parent, Output, index)
        .copy(branch.child, Output, index, transfers.via(index, branch, false, phase));
}
)";

constexpr const char *allGatherBody = R"(
  p.chunks(K);
  for (int i = 0; i < R * K; ++i) {
    p.chunk(i / K, Input, i % K).copy(i / K, Output, i);
    broadcast(p, fromRoot[i], i, transfers);
  }
)";

constexpr const char *reduceScatterBody = R"(
  p.chunks(K);
  Buffer partial = p.scratch("partial");
  for (int i = 0; i < R * K; ++i)
    reduce(p, partial, toRoot[i], i, i % K, transfers);
)";

constexpr const char *smallAllReduceBody = R"(
  p.chunks(R * K);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R * K).copy(r, Output, 0);
  for (int i = 0; i < R * K; ++i) {
    p.phase("reduce");
    for (const auto &[turn, branch] : transfers.additions(toRoot[i]))
      p.chunk(branch.parent, Output, i)
          .reduce(p.chunk(branch.child, Output, i), transfers.via(i, branch, true));
    p.phase("broadcast");
    broadcast(p, fromRoot[i], i, transfers);
  }
)";

constexpr const char *allReduceBody = R"(
  p.chunks(R * K);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R * K).copy(r, Output, 0);
  p.phase("reduce");
  for (int i = 0; i < R * K; ++i) {
    for (const auto &[turn, branch] : transfers.additions(toRoot[i]))
      p.chunk(branch.parent, Output, i)
          .reduce(p.chunk(branch.child, Output, i), transfers.via(i, branch, true, 0));
  }
  // On other channels, so that the next pieces of sums are added at the same time, unless all
  // transfers take turns.
  p.phase("broadcast");
  for (int i = 0; i < R * K; ++i)
    broadcast(p, fromRoot[i], i, transfers, 1);
)";

constexpr const char *broadcastBody = R"(
  p.chunks(K);
  p.root(root);
  for (int i = 0; i < K; ++i) {
    p.chunk(root, Input, i).copy(root, Output, i);
    broadcast(p, fromRoot[i], i, transfers);
  }
)";

constexpr const char *reduceBody = R"(
  p.chunks(K);
  p.root(root);
  Buffer partial = p.scratch("partial");
  for (int i = 0; i < K; ++i)
    reduce(p, partial, toRoot[i], i, i, transfers);
)";

/// The parts of a program for a collective.
struct Parts {
  const char *kind, *body;
  bool reduces, broadcasts, rooted;
};

Parts partsOf(CollectiveKind kind, bool isSmall) {
  switch (kind) {
  case CollectiveKind::AllGather:
    return {"AllGather", allGatherBody, false, true, false};
  case CollectiveKind::ReduceScatter:
    return {"ReduceScatter", reduceScatterBody, true, false, false};
  case CollectiveKind::AllReduce:
    return {"AllReduce", isSmall ? smallAllReduceBody : allReduceBody, false, true, false};
  case CollectiveKind::Broadcast:
    return {"Broadcast", broadcastBody, false, true, true};
  default:
    assert(kind == CollectiveKind::Reduce && "trees do not implement this collective");
    return {"Reduce", reduceBody, true, false, true};
  }
}

/// One tree a line, in lines of at most 100 characters.
void writeTrees(StringRef name, ArrayRef<Tree> trees, bool areOrdered, raw_ostream &os) {
  if (trees.empty())
    return;
  os << "\nconst std::vector<Tree> " << name << " = {\n";
  for (const Tree &tree : trees) {
    std::string line = formatv("    {{{0}, {{", tree.root.index());
    for (size_t i = 0; i < tree.branches.size(); ++i) {
      const Branch &branch = tree.branches[i];
      std::string one = formatv("{{{0}, {1}{2}}", branch.parent.index(), branch.child.index(),
                                areOrdered ? formatv(", {0}", branch.turn).str() : "");
      one += i + 1 < tree.branches.size() ? "," : "}},";
      if (line.size() + 1 + one.size() > 100) {
        os << line << '\n';
        line = "     ";
      }
      line += (i > 0 ? " " : "") + one;
    }
    if (tree.branches.empty())
      line += "}},";
    os << line << '\n';
  }
  os << "};\n";
}
} // namespace

void synth::writeSource(const TreeAlgorithm &algorithm, StringRef name, StringRef summary,
                        raw_ostream &os) {
  const bool isTimed = algorithm.estimate.has_value();
  Parts parts = partsOf(algorithm.collective, isTimed || algorithm.sharesChannels);
  os << "// Written by cclc synth.\n" << prologue;
  dsl::IntParam param = channelsOfTrees;
  param.value = int(algorithm.channels);
  os << formatv("\nconstexpr IntParam channels{{\n    .name = \"{0}\",\n    .help = \"{1}\",\n"
                "    .value = {2},\n    .min = {3},\n    .max = {4}};\n",
                param.name, param.help, param.value, param.min, param.max);
  if (!isTimed)
    os << formatv("\nconstexpr BoolParam ordered{{\n    .name = \"{0}\",\n    .help = \"{1}\",\n"
                  "    .value = {2}};\n",
                  takesTurns.name, takesTurns.help, algorithm.ordered);
  os << formatv("\nconstexpr int R = {0}; // ranks\nconstexpr int K = {1}; // trees per root\n"
                "constexpr int T = {2}; // different ones\nconstexpr int lastTurn = {3};\n",
                algorithm.ranks, algorithm.treesPerRoot,
                algorithm.treesPerRoot / algorithm.chunksPerTree, lastTurn);
  if (parts.rooted)
    os << formatv("constexpr int root = {0};\n", algorithm.root.index());
  os << "\n// By root, then by chunk of the root.";
  writeTrees("toRoot", algorithm.toRoot, !isTimed, os);
  writeTrees("fromRoot", algorithm.fromRoot, !isTimed, os);
  os << transfersBegin << (isTimed ? "false" : "p.get(ordered)") << transfersEnd;
  if (parts.reduces)
    os << reduceFunction;
  if (parts.broadcasts)
    os << broadcastFunction;
  os << "\nvoid trace(Program &p) {\n  if (p.ranks() != R)\n"
     << formatv("    p.refuse(\"the trees are those of {0} ranks\");\n", algorithm.ranks)
     << "  Transfers transfers(p);" << parts.body << "}\n} // namespace\n\n";
  os << "CCLC_PROGRAM(" << name << ") {\n  d.collective(" << parts.kind << ")\n      .summary(";
  writeLiteral(summary, os);
  os << ")\n      .buffers(Buffers::Both, Buffers::InPlace)\n"
     << formatv("      .ranks({0}, {0})\n      .param(channels){1}\n      .body(trace);\n}\n",
                algorithm.ranks, isTimed ? "" : "\n      .param(ordered)");
}
