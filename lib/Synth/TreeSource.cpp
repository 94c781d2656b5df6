//===- TreeSource.cpp - Collectives over packed trees as C++ source -------===//
//
// The programs of TreeProgram.cpp as text, with the trees as tables.
//
//===----------------------------------------------------------------------===//

#include "cclc/Synth/TreeAlgorithm.h"

#include "SourceText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::synth;
using llvm::formatv;

namespace {
constexpr const char *prologue = R"(
#include "cclc/DSL/DSL.h"

#include <vector>

using namespace cclc::dsl;

namespace {
struct Branch {
  int parent, child;
};
struct Tree {
  int root;
  std::vector<Branch> branches; // parents first
};
)";

constexpr const char *channelFunction = R"(
/// The channel of a tree. Different trees of a root have different channels as far as there are
/// enough; then equal ones, then those of different roots.
int channelOf(Program &p, int tree) {
  const int number = p.get(channels);
  const int used = number - number % (number >= K ? K : number >= T ? T : number);
  return (used < K ? tree % K : tree) % used;
}
)";

constexpr const char *viaFunction = R"(
/// Without several channels, the compiler chooses that of a tree.
Via viaOf(Program &p, int tree) {
  return p.get(channels) > 1 ? Via{.channel = channelOf(p, tree)} : Via{};
}
)";

constexpr const char *reduceFunction = R"(
/// Adds the chunk of every rank, [index] of its input, to `result` of the root. The ranks between
/// add in scratch, so that inputs are not modified.
void reduce(Program &p, Buffer partial, const Tree &tree, int index, int result, Via via) {
  std::vector<Buffer> where(p.ranks(), Input);
  for (const Branch &branch : tree.branches)
    where[branch.parent] = partial;
  for (int r = 0; r < p.ranks(); ++r)
    if (where[r] == partial && r != tree.root)
      p.chunk(r, Input, index).copy(r, partial, index);
  where[tree.root] = Output;
  p.chunk(tree.root, Input, index).copy(tree.root, Output, result);
  auto at = [&](int r) { return p.chunk(r, where[r], r == tree.root ? result : index); };
  for (auto branch = tree.branches.rbegin(); branch != tree.branches.rend(); ++branch)
    at(branch->parent).reduce(at(branch->child), via);
}
)";

constexpr const char *broadcastFunction = R"(
/// Copies chunk `index` of the root's output to every rank.
void broadcast(Program &p, const Tree &tree, int index, Via via) {
  for (const Branch &branch : tree.branches)
    p.chunk(branch.parent, Output, index).copy(branch.child, Output, index, via);
}
)";

constexpr const char *allGatherBody = R"(
  p.chunks(K);
  for (int i = 0; i < R * K; ++i) {
    p.chunk(i / K, Input, i % K).copy(i / K, Output, i);
    broadcast(p, fromRoot[i], i, viaOf(p, i));
  }
)";

constexpr const char *reduceScatterBody = R"(
  p.chunks(K);
  Buffer partial = p.scratch("partial");
  for (int i = 0; i < R * K; ++i)
    reduce(p, partial, toRoot[i], i, i % K, viaOf(p, i));
)";

constexpr const char *smallAllReduceBody = R"(
  p.chunks(R * K);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R * K).copy(r, Output, 0);
  for (int i = 0; i < R * K; ++i) {
    p.phase("reduce");
    const std::vector<Branch> &up = toRoot[i].branches;
    for (auto branch = up.rbegin(); branch != up.rend(); ++branch)
      p.chunk(branch->parent, Output, i)
          .reduce(p.chunk(branch->child, Output, i), viaOf(p, i));
    p.phase("broadcast");
    broadcast(p, fromRoot[i], i, viaOf(p, i));
  }
)";

constexpr const char *allReduceBody = R"(
  p.chunks(R * K);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R * K).copy(r, Output, 0);
  p.phase("reduce");
  for (int i = 0; i < R * K; ++i) {
    const std::vector<Branch> &up = toRoot[i].branches;
    for (auto branch = up.rbegin(); branch != up.rend(); ++branch)
      p.chunk(branch->parent, Output, i)
          .reduce(p.chunk(branch->child, Output, i), {.channel = channelOf(p, i)});
  }
  // On other channels, so that the next pieces of sums are added at the same time.
  p.phase("broadcast");
  for (int i = 0; i < R * K; ++i)
    broadcast(p, fromRoot[i], i, {.channel = p.get(channels) + channelOf(p, i)});
)";

constexpr const char *broadcastBody = R"(
  p.chunks(K);
  p.root(root);
  for (int i = 0; i < K; ++i) {
    p.chunk(root, Input, i).copy(root, Output, i);
    broadcast(p, fromRoot[i], i, viaOf(p, i));
  }
)";

constexpr const char *reduceBody = R"(
  p.chunks(K);
  p.root(root);
  Buffer partial = p.scratch("partial");
  for (int i = 0; i < K; ++i)
    reduce(p, partial, toRoot[i], i, i, viaOf(p, i));
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
void writeTrees(StringRef name, ArrayRef<Tree> trees, raw_ostream &os) {
  if (trees.empty())
    return;
  os << "\nconst std::vector<Tree> " << name << " = {\n";
  for (const Tree &tree : trees) {
    std::string line = formatv("    {{{0}, {{", tree.root.index());
    for (size_t i = 0; i < tree.branches.size(); ++i) {
      const Branch &branch = tree.branches[i];
      std::string one = formatv("{{{0}, {1}}", branch.parent.index(), branch.child.index());
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
  Parts parts = partsOf(algorithm.collective, algorithm.estimate || algorithm.sharesChannels);
  os << "// Written by cclc synth.\n" << prologue;
  dsl::IntParam param = channelsOfTrees;
  param.value = int(algorithm.channels);
  os << formatv("\nconstexpr IntParam channels{{\n    .name = \"{0}\",\n    .help = \"{1}\",\n"
                "    .value = {2},\n    .min = {3},\n    .max = {4}};\n",
                param.name, param.help, param.value, param.min, param.max);
  os << formatv("\nconstexpr int R = {0}; // ranks\nconstexpr int K = {1}; // trees per root\n"
                "constexpr int T = {2}; // different ones\n",
                algorithm.ranks, algorithm.treesPerRoot,
                algorithm.treesPerRoot / algorithm.chunksPerTree);
  if (parts.rooted)
    os << formatv("constexpr int root = {0};\n", algorithm.root.index());
  os << "\n// By root, then by chunk of the root.";
  writeTrees("toRoot", algorithm.toRoot, os);
  writeTrees("fromRoot", algorithm.fromRoot, os);
  os << channelFunction;
  if (parts.body != allReduceBody)
    os << viaFunction;
  if (parts.reduces)
    os << reduceFunction;
  if (parts.broadcasts)
    os << broadcastFunction;
  os << "\nvoid trace(Program &p) {\n  if (p.ranks() != R)\n"
     << formatv("    p.refuse(\"the trees are those of {0} ranks\");", algorithm.ranks)
     << parts.body << "}\n} // namespace\n\n";
  os << "CCLC_PROGRAM(" << name << ") {\n  d.collective(" << parts.kind << ")\n      .summary(";
  writeLiteral(summary, os);
  os << ")\n      .buffers(Buffers::Both, Buffers::InPlace)\n"
     << formatv("      .ranks({0}, {0})\n      .param(channels)\n      .body(trace);\n}\n",
                algorithm.ranks);
}
