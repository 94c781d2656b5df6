#include "NodePaths.h"
#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(32);
constexpr IntParam channels = pathChannelsParam();

/// The number in its node of the rank through which each chunk moves to other nodes. A rank in row
/// y carries 1/(1+y) of the chunks of one in row 0: it is farther from the links of the node, so
/// that each chunk occupies it for longer.
std::vector<int> gatesOf(const NodePaths &paths, int ranksPerNode, int count) {
  std::vector<int> carried(ranksPerNode), gates;
  auto next = [&](int rank) { return (carried[rank] + 1) * (1 + paths.row(rank)); };
  for (int c = 0; c < count; ++c) {
    int gate = 0;
    for (int rank = 1; rank < ranksPerNode; ++rank)
      if (next(rank) < next(gate))
        gate = rank;
    ++carried[gate];
    gates.push_back(gate);
  }
  return gates;
}

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const NodePaths paths(p, rails.G);
  const int C = p.get(chunks), K = p.get(channels), first = getRoot(p, root);
  p.chunks(C);
  p.root(first);
  p.chunk(first, Input, 0, C).copy(first, Output, 0);
  const std::vector<int> gates = gatesOf(paths, rails.G, C);
  for (int c = 0; c < C; ++c) {
    const int gate = first / rails.G * rails.G + gates[c];
    for (int hops = 0; hops < rails.N; ++hops) {
      if (hops) {
        p.phase("rails");
        p.chunk(rails.across(gate, hops - 1), Output, c)
            .copy(rails.across(gate, hops), Output, c, {.channel = uint16_t(K)});
      }
      p.phase("in each node");
      paths.spread(p, hops ? rails.across(gate, hops) : first, c, {.channel = uint16_t(c % K)});
    }
  }
}
} // namespace

CCLC_PROGRAM(broadcast_paths) {
  d.collective(Broadcast)
      .summary(
          "For nodes whose ranks communicate with few peers: the chunks pass along a path "
          "through the grid of the root's node in both directions. Every rank on it sends some "
          "of them to the rank with its number in the next node, from which they pass along "
          "the path there.")
      .source("Barnett et al., Building a high-performance collective communication library, SC "
              "1994: scatter and collect in linear arrays, pipelined across nodes")
      .cost(
          "With N nodes of G ranks, at most N+2G-3 steps; a rank receives S once, most of it from "
          "two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .param(chunks)
      .param(channels)
      .body(trace);
}
