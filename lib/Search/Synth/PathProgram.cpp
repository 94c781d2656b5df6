//===- PathProgram.cpp - Collectives over packed paths as programs --------===//
//
// PathSource.cpp writes the same programs as C++ source. In place, the output of an all-to-all
// replaces its input: chunks are received in scratch and copied when all have been sent.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/PathAlgorithm.h"

#include "cclc/DSL/Program.h"

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::dsl;

namespace {
void trace(Program &p, const PathAlgorithm &algorithm) {
  const int R = int(algorithm.ranks), K = int(algorithm.chunksPerPair);
  const int root = int(algorithm.root.index());
  const bool gathers = algorithm.collective == Gather, scatters = algorithm.collective == Scatter;
  if (p.ranks() != R)
    p.refuse("the paths are those of " + std::to_string(R) + " ranks");
  p.chunks(K);
  if (gathers || scatters)
    p.root(root);
  const bool stages = !gathers && !scatters && p.mayBeInPlace();
  dsl::Buffer relay = p.scratch("relay"), arrived = p.scratch("arrived");
  std::vector<int> used(R); // chunks of `relay` by rank
  auto moveOwn = [&](int r) {
    p.chunk(r, Input, gathers ? 0 : r * K, K).copy(r, Output, scatters ? 0 : r * K);
  };
  for (int r = 0; r < R; ++r)
    if (r == root || !(gathers || scatters))
      moveOwn(r);
  for (const PathOfChunk &path : algorithm.paths) {
    const int from = int(path.ranks.front().index()), to = int(path.ranks.back().index());
    const int chunk = int(path.chunk);
    ChunkRef data = p.chunk(from, Input, gathers ? chunk : to * K + chunk);
    for (size_t i = 1; i + 1 < path.ranks.size(); ++i) {
      const int r = int(path.ranks[i].index());
      data = data.copy(r, relay, used[r]++);
    }
    data.copy(to, stages ? arrived : Output, scatters ? chunk : from * K + chunk);
  }
  for (int r = 0; stages && r < R; ++r)
    for (int from = 0; from < R; ++from)
      if (from != r)
        p.chunk(r, arrived, from * K, K).copy(r, Output, from * K);
}
} // namespace

Declaration synth::declare(const PathAlgorithm &algorithm, const std::string &name,
                           const std::string &summary) {
  const bool inPlace = algorithm.collective != CollectiveKind::AllToAll;
  Declaration declaration(name);
  declaration.collective(algorithm.collective)
      .summary(summary)
      .source("Shahrokhi and Matula, The maximum concurrent flow problem, J. ACM 37(2), 1990")
      .buffers(Buffers::Both, inPlace ? Buffers::InPlace : Buffers::OutOfPlace)
      .ranks(int(algorithm.ranks), int(algorithm.ranks))
      .body([algorithm](Program &p) { trace(p, algorithm); });
  return declaration;
}
