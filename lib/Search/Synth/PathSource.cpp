//===- PathSource.cpp - Collectives over packed paths as C++ source -------===//
//
// The programs of PathProgram.cpp as text, with the paths as a table.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/PathAlgorithm.h"

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
/// A chunk of the data from the first rank to the last, by way of the others.
struct Path {
  int chunk;
  std::vector<int> ranks;
};
)";

constexpr const char *relays = R"(  std::vector<int> used(R); // chunks of `relay` by rank
  Buffer relay = p.scratch("relay");
)";

constexpr const char *move = R"(    for (size_t i = 1; i + 1 < path.ranks.size(); ++i)
      data = data.copy(path.ranks[i], relay, used[path.ranks[i]]++);
)";

constexpr const char *gatherBody = R"(  p.root(root);
  p.chunk(root, Input, 0, K).copy(root, Output, root * K);
  for (const Path &path : paths) {
    ChunkRef data = p.chunk(path.ranks.front(), Input, path.chunk);
{0}    data.copy(root, Output, path.ranks.front() * K + path.chunk);
  }
)";

constexpr const char *scatterBody = R"(  p.root(root);
  p.chunk(root, Input, root * K, K).copy(root, Output, 0);
  for (const Path &path : paths) {
    ChunkRef data = p.chunk(root, Input, path.ranks.back() * K + path.chunk);
{0}    data.copy(path.ranks.back(), Output, path.chunk);
  }
)";

constexpr const char *allToAllBody =
    R"(  // In place, chunks wait in scratch until all have been sent.
  const bool stages = p.mayBeInPlace();
  Buffer arrived = p.scratch("arrived");
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, r * K, K).copy(r, Output, r * K);
  for (const Path &path : paths) {
    const int from = path.ranks.front(), to = path.ranks.back();
    ChunkRef data = p.chunk(from, Input, to * K + path.chunk);
{0}    data.copy(to, stages ? arrived : Output, from * K + path.chunk);
  }
  for (int r = 0; stages && r < R; ++r)
    for (int from = 0; from < R; ++from)
      if (from != r)
        p.chunk(r, arrived, from * K, K).copy(r, Output, from * K);
)";

/// One path an entry, in lines of at most 100 characters.
void writePaths(ArrayRef<PathOfChunk> paths, raw_ostream &os) {
  os << "\nconst std::vector<Path> paths = {";
  std::string line;
  for (const PathOfChunk &path : paths) {
    std::string one = formatv("{{{0}, {{", path.chunk);
    for (size_t i = 0; i < path.ranks.size(); ++i)
      one += (i > 0 ? ", " : "") + std::to_string(path.ranks[i].index());
    one += "}},";
    if (line.empty() || line.size() + 1 + one.size() > 100) {
      os << line << '\n';
      line = "   ";
    }
    line += " " + one;
  }
  os << line << "\n};\n";
}

std::pair<const char *, const char *> partsOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::Gather:
    return {"Gather", gatherBody};
  case CollectiveKind::Scatter:
    return {"Scatter", scatterBody};
  default:
    assert(kind == CollectiveKind::AllToAll && "paths do not implement this collective");
    return {"AllToAll", allToAllBody};
  }
}
} // namespace

void synth::writeSource(const PathAlgorithm &algorithm, StringRef name, StringRef summary,
                        raw_ostream &os) {
  auto [kind, body] = partsOf(algorithm.collective);
  const bool rooted = algorithm.collective != CollectiveKind::AllToAll;
  os << "// Written by cclc synth.\n" << prologue;
  os << formatv("\nconstexpr int R = {0}; // ranks\nconstexpr int K = {1}; // chunks per pair\n",
                algorithm.ranks, algorithm.chunksPerPair);
  if (rooted)
    os << formatv("constexpr int root = {0};\n", algorithm.root.index());
  writePaths(algorithm.paths, os);
  os << "\nvoid trace(Program &p) {\n  if (p.ranks() != R)\n"
     << formatv("    p.refuse(\"the paths are those of {0} ranks\");\n  p.chunks(K);\n",
                algorithm.ranks)
     << relays;
  StringRef text = body;
  size_t place = text.find("{0}");
  os << text.take_front(place) << move << text.drop_front(place + 3) << "}\n} // namespace\n\n";
  os << "CCLC_PROGRAM(" << name << ") {\n  d.collective(" << kind << ")\n      .summary(";
  writeLiteral(summary, os);
  os << ")\n      .buffers(Buffers::Both, Buffers::" << (rooted ? "InPlace" : "OutOfPlace") << ")\n"
     << formatv("      .ranks({0}, {0})\n      .body(trace);\n}\n", algorithm.ranks);
}
