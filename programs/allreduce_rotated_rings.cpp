#include "Parameters.h"
#include "RotatedRings.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam ringCount = ringsParam();

/// Ring k of K has a chunk for each of the R ranks.
void trace(Program &p) {
  const auto rings = rotatedRings(p.get(nodes), p.get(ranksPerNode), p.get(ringCount));
  const int K = int(rings.size()), all = p.ranks() * K;
  p.chunks(all);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, Input, 0, all).copy(r, Output, 0);
  for (int k = 0; k < K; ++k)
    allReduceRing(p, rings[k], Output, chunksOfRing(rings[k], k, K));
}
} // namespace

CCLC_PROGRAM(allreduce_rotated_rings) {
  d.collective(AllReduce)
      .summary("Rings over all ranks in both directions. Each enters and leaves the nodes through "
               "other ranks, so that all network adapters carry the same amount of data.")
      .source("Hu et al., Demystifying NCCL, arXiv 2507.04786, 2025: rings of several channels")
      .cost("2(R-1) steps; with G rings in each direction, a rank sends 2(R-1)/R S, 1/G of it to "
            "another node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(ringCount)
      .body(trace);
}
