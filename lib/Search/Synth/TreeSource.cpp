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

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

using namespace cclc::dsl;

namespace {
struct Branch {
  int parent, child;
  int turn = 0;  // the place of its transfer among those of all trees with the same flow
  int start = 0; // when its transfer begins in each of several rounds
};
struct Tree {
  int root;
  std::vector<Branch> branches; // parents first
};
)";

/// The texts between are the number of rounds and whether an only one is ordered.
constexpr const char *transfersBegin = R"(
/// How the transfers of a tree are made.
class Transfers {
public:
  explicit Transfers(Program &p)
      : number(p.get(channels)), repetitions()";
constexpr const char *transfersMiddle = R"(),
        isOrdered(repetitions > 1 || )";
constexpr const char *transfersEnd = R"(), threadblocks(R) {
    for (const Tree &tree : toRoot)
      for (const Branch &branch : tree.branches)
        turnsToRoot = std::max(turnsToRoot, branch.turn + 1);
    for (const std::vector<Tree> *trees : {&toRoot, &fromRoot})
      for (const Tree &tree : *trees)
        for (const Branch &branch : tree.branches)
          last = std::max(last, timeOf(branch, trees == &toRoot, repetitions - 1));
  }

  /// How often the trees are repeated, with other chunks.
  int numRounds() const { return repetitions; }

  /// Of a branch of a tree. Without several channels, the compiler chooses that of a tree, unless
  /// `phase`, 0 or 1, has channels of its own.
  Via via(int tree, const Branch &branch, bool isUp, std::optional<int> phase = {},
          int round = 0) {
    Via via;
    const int begin = isOrdered ? 0 : phase.value_or(0) * number;
    if (number > 1 || phase || isOrdered)
      via.channel = begin + channelOf(tree);
    if (!isOrdered)
      return via;
    const int from = isUp ? branch.child : branch.parent, to = isUp ? branch.parent : branch.child;
    via.sendTb = threadblock(from, to, *via.channel, true);
    via.recvTb = threadblock(to, from, *via.channel, false);
    via.fuse = false;
    const long most = 65535;
    via.priority = int((last - timeOf(branch, isUp, round)) * most / std::max(last, most));
    return via;
  }

  /// The branches of a tree to a root, in the order in which contributions are added.
  std::multimap<long, Branch> additions(const Tree &tree) const {
    // Equal times stay in the order of insertion: children have no later ones than their parents.
    std::multimap<long, Branch> byTime;
    for (auto branch = tree.branches.rbegin(); branch != tree.branches.rend(); ++branch)
      byTime.emplace(isOrdered ? timeOf(*branch, true, 0) : 0, *branch);
    return byTime;
  }

private:
  /// The transfers of several rounds overlap. Those of an only one take turns, the ones from the
  /// roots after the ones to them.
  long timeOf(const Branch &branch, bool isUp, int round) const {
    return repetitions > 1 ? round * long(period) + branch.start
                           : branch.turn + (isUp ? 0 : turnsToRoot);
  }
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

  int number, repetitions;
  bool isOrdered;
  int turnsToRoot = 0;
  long last = 0; // the time of the last transfer
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
  for (const auto &[time, branch] : transfers.additions(tree))
    at(branch.parent).reduce(at(branch.child), transfers.via(index, branch, true));
}
)";

constexpr const char *broadcastFunction = R"(
/// Copies chunk `index` of the root's output to every rank.
void broadcast(Program &p, const Tree &tree, int index, Transfers &transfers,
               std::optional<int> phase = {}, int round = 0) {
  for (const Branch &branch : tree.branches)
    p.chunk(branch.parent, Output, index)
        .copy(branch.child, Output, index, transfers.via(index, branch, false, phase, round));
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
  const int all = R * K * transfers.numRounds();
  p.chunks(all);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, all).copy(r, Output, 0);
  for (int i = 0; i < all; ++i) {
    const int tree = i % (R * K), round = i / (R * K);
    p.phase("reduce");
    for (const auto &[time, branch] : transfers.additions(toRoot[tree]))
      p.chunk(branch.parent, Output, i)
          .reduce(p.chunk(branch.child, Output, i), transfers.via(i, branch, true, {}, round));
    p.phase("broadcast");
    broadcast(p, fromRoot[tree], i, transfers, {}, round);
  }
)";

constexpr const char *allReduceBody = R"(
  const int all = R * K * transfers.numRounds();
  p.chunks(all);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, all).copy(r, Output, 0);
  p.phase("reduce");
  for (int i = 0; i < all; ++i) {
    const int tree = i % (R * K), round = i / (R * K);
    for (const auto &[time, branch] : transfers.additions(toRoot[tree]))
      p.chunk(branch.parent, Output, i)
          .reduce(p.chunk(branch.child, Output, i), transfers.via(i, branch, true, 0, round));
  }
  // On other channels, so that the next pieces of sums are added at the same time, unless all
  // transfers take turns.
  p.phase("broadcast");
  for (int i = 0; i < all; ++i)
    broadcast(p, fromRoot[i % (R * K)], i, transfers, 1, i / (R * K));
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
void writeTrees(StringRef name, ArrayRef<Tree> trees, bool areOrdered, bool isRepeated,
                raw_ostream &os) {
  os << "\nconst std::vector<Tree> " << name << " = {" << (trees.empty() ? "" : "\n");
  for (const Tree &tree : trees) {
    std::string line = formatv("    {{{0}, {{", tree.root.index());
    for (size_t i = 0; i < tree.branches.size(); ++i) {
      const Branch &branch = tree.branches[i];
      std::string one = formatv("{{{0}, {1}{2}{3}}", branch.parent.index(), branch.child.index(),
                                areOrdered ? formatv(", {0}", branch.turn).str() : "",
                                isRepeated ? formatv(", {0}", branch.start).str() : "");
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

void writeParam(StringRef variable, const dsl::IntParam &param, raw_ostream &os) {
  os << formatv(
      "\nconstexpr IntParam {0} = IntParam{{\n    .name = \"{1}\",\n    .help = \"{2}\",\n"
      "    .value = {3},\n    .min = {4},\n    .max = {5}}",
      variable, param.name, param.help, param.value, param.min, param.max);
  os << (param.tuning.kind == dsl::Tuning::Kind::Fixed ? ".fixed();\n" : ";\n");
}
} // namespace

void synth::writeSource(const TreeAlgorithm &algorithm, StringRef name, StringRef summary,
                        raw_ostream &os) {
  const bool isTimed = algorithm.estimate.has_value();
  Parts parts = partsOf(algorithm.collective, isTimed || algorithm.sharesChannels);
  os << "// Written by cclc synth.\n" << prologue;
  dsl::IntParam channels = channelsOfTrees;
  channels.value = int(algorithm.channels);
  writeParam("channels", channels, os);
  if (!isTimed)
    os << formatv("\nconstexpr BoolParam ordered{{\n    .name = \"{0}\",\n    .help = \"{1}\",\n"
                  "    .value = {2}};\n",
                  takesTurns.name, takesTurns.help, algorithm.ordered);
  const bool isRepeated = algorithm.period > 0;
  if (isRepeated)
    writeParam("rounds", roundsOfTrees, os);
  os << formatv("\nconstexpr int R = {0}; // ranks\nconstexpr int K = {1}; // trees per root\n"
                "constexpr int T = {2}; // different ones\n"
                "constexpr int period = {3}; // the time between the begins of two rounds\n",
                algorithm.ranks, algorithm.treesPerRoot,
                algorithm.treesPerRoot / algorithm.chunksPerTree, algorithm.period);
  if (parts.rooted)
    os << formatv("constexpr int root = {0};\n", algorithm.root.index());
  os << "\n// By root, then by chunk of the root.";
  writeTrees("toRoot", algorithm.toRoot, !isTimed, isRepeated, os);
  writeTrees("fromRoot", algorithm.fromRoot, !isTimed, isRepeated, os);
  os << transfersBegin << (isRepeated ? "p.get(rounds)" : "1") << transfersMiddle
     << (isTimed ? "false" : "p.get(ordered)") << transfersEnd;
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
     << formatv("      .ranks({0}, {0})\n      .param(channels){1}{2}\n      .body(trace);\n}\n",
                algorithm.ranks, isTimed ? "" : "\n      .param(ordered)",
                isRepeated ? "\n      .param(rounds)" : "");
}
