#include "NodePaths.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam chunks = chunksParam(8, "number of chunks of each rank's contribution");
constexpr IntParam channels = pathChannelsParam();

/// Two chunks for each end of a path are in transit together. In a node, those that have a long way
/// to its exit come first, so that the exits are busy from the beginning to the end.
int priorityOf(int c, int C, int K, int hops, bool isNear) {
  return ((C - 1) / (4 * K) - c / (4 * K)) * 2 + (hops == 0 && !isNear ? 1 : 0);
}

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int C = p.get(chunks), K = p.get(channels);
  const NodePaths paths(p, rails, K);
  p.chunks(C);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, r * C);
  for (int c = 0; c < C; ++c)
    for (int hops = 0; hops < rails.N; ++hops)
      for (int distance = 0; distance < rails.G; ++distance)
        for (int node = 0; node < rails.N; ++node) {
          const int r = node * rails.G + paths.exit(c, distance);
          paths.spread(p, r, c, r * C + c, hops, priorityOf(c, C, K, hops, distance < rails.G / 4));
        }
}
} // namespace

CCLC_PROGRAM(allgather_paths) {
  d.collective(AllGather)
      .summary("For nodes whose ranks communicate with few peers: contributions pass along paths "
               "through the grid of their node in both directions. From the ends of a path they "
               "move to the ranks with the same numbers in the next node, and pass along the path "
               "there.")
      .source("Barnett et al., Building a high-performance collective communication library, SC "
              "1994: collect in a linear array, pipelined across nodes")
      .cost("At most NG-1 steps with N nodes of G ranks; only the ends of the paths receive from "
            "other ranks than two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(chunks)
      .param(channels)
      .body(trace);
}
