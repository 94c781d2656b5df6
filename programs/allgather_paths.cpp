#include "NodePaths.h"
#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam chunks = chunksParam(4, "number of chunks of each rank's contribution");
constexpr IntParam channels = pathChannelsParam();

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const NodePaths paths(p, rails.G);
  const int C = p.get(chunks), K = p.get(channels);
  p.chunks(C);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, r * C);
  for (int c = 0; c < C; ++c)
    for (int hops = 0; hops < rails.N; ++hops)
      for (int r = 0; r < p.ranks(); ++r) {
        const int at = rails.across(r, hops), chunk = r * C + c;
        if (hops) {
          p.phase("rails");
          p.chunk(rails.across(r, hops - 1), Output, chunk)
              .copy(at, Output, chunk, {.channel = uint16_t(K)});
        }
        p.phase("in each node");
        paths.spread(p, at, chunk, {.channel = uint16_t((c + hops) % K)});
      }
}
} // namespace

CCLC_PROGRAM(allgather_paths) {
  d.collective(AllGather)
      .summary("For nodes whose ranks communicate with few peers: contributions pass along a path "
               "through the grid of their node in both directions, and from a rank to the one with "
               "its number in the next node, where they pass along the path there.")
      .source("Barnett et al., Building a high-performance collective communication library, SC "
              "1994: collect in a linear array, pipelined across nodes")
      .cost("N+G-2 steps with N nodes of G ranks; a rank receives (N-1)/R S from another node and "
            "the rest from two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(chunks)
      .param(channels)
      .body(trace);
}
