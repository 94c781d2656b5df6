#include "Parameters.h"
#include "RotatedRings.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam ringCount = ringsParam();

/// Chunk k of each rank's result is summed up along ring k of K. Inputs are not modified: sums are
/// formed in scratch. The compiler removes copies that are only accumulated into.
void trace(Program &p) {
  const auto rings = rotatedRings(p.get(nodes), p.get(ranksPerNode), p.get(ringCount));
  const int R = p.ranks(), K = int(rings.size());
  p.chunks(K);
  Buffer partial = p.scratch("partial");
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < R; ++i) {
      const int owner = rings[k][i], index = owner * K + k;
      ChunkRef own = p.chunk(owner, Input, index).copy(owner, Output, k);
      if (R == 1)
        continue;
      ChunkRef sum = p.chunk(rings[k][(i + 1) % R], Input, index);
      for (int hop = 2; hop < R; ++hop) {
        const int rank = rings[k][(i + hop) % R];
        ChunkRef mine = p.chunk(rank, Input, index).copy(rank, partial, index);
        sum = mine.reduce(sum);
      }
      own.reduce(sum);
    }
}
} // namespace

CCLC_PROGRAM(reducescatter_rotated_rings) {
  d.collective(ReduceScatter)
      .summary("Rings over all ranks in both directions. Each enters and leaves the nodes through "
               "other ranks, so that all network adapters carry the same amount of data.")
      .source("Hu et al., Demystifying NCCL, arXiv 2507.04786, 2025: rings of several channels")
      .cost("R-1 steps; with G rings in each direction, a rank sends (R-1)/R S, 1/G of it to "
            "another node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(ringCount)
      .body(trace);
}
