#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(3);
constexpr IntParam ranksPerNode = ranksPerNodeParam(4);

/// N nodes of G ranks; the steps of all nodes are the same.
class ThreeStep {
public:
  explicit ThreeStep(Program &p)
      : p(p), N(p.get(nodes)), G(p.get(ranksPerNode)), gathered(p.scratch("gathered")),
        crossed(p.scratch("crossed")), sorted(p.scratch("sorted")), arrived(p.scratch("arrived")) {}

  void run() {
    p.phase("gather in each node");
    for (int node = 0; node < N; ++node)
      for (int g = 0; g < G; ++g) {
        exchangeInNode(node, g);
        for (int distance = 1; distance < N; ++distance) {
          const int from = rank(node, g), to = gate(node, distance);
          ChunkRef chunks = p.chunk(from, Input, rank(node + distance, 0), G);
          chunks.copy(to, gathered, room(distance) + g * G, way(from, to));
        }
      }
    p.phase("exchange across nodes");
    for (int node = 0; node < N; ++node)
      for (int distance = 1; distance < N; ++distance) {
        const int from = gate(node, distance), to = gate(node + distance, distance);
        ChunkRef chunks = p.chunk(from, gathered, room(distance), G * G);
        chunks.copy(to, crossed, room(distance), way(from, to));
      }
    p.phase("scatter in each node");
    for (int node = 0; node < N; ++node) {
      for (int distance = 1; distance < N; ++distance)
        for (int g = 0; g < G; ++g)
          scatter(node, distance, g);
      for (int g = 0; g < G && p.mayBeInPlace(); ++g)
        for (int h = 0; h < G; ++h)
          if (g != h)
            p.chunk(rank(node, h), arrived, g).copy(rank(node, h), Output, rank(node, g));
    }
  }

private:
  int rank(int node, int g) const { return node % N * G + g; }
  /// The rank of \p node that exchanges with the nodes at \p distance after and before it.
  int gate(int node, int distance) const { return rank(node, (distance - 1) % G); }
  /// Index of the blocks of these nodes in its scratch buffers.
  int room(int distance) const { return (distance - 1) / G * G * G; }

  /// The two directions use separate channels: a message that does not fit into the slots must
  /// not wait for the one in the other direction.
  static Via way(int from, int to) {
    return from == to ? Via() : Via{.channel = from < to ? 0 : 1};
  }

  void exchangeInNode(int node, int g) {
    for (int h = 0; h < G; ++h) {
      ChunkRef chunk = p.chunk(rank(node, g), Input, rank(node, h));
      if (g == h || !p.mayBeInPlace())
        chunk.copy(rank(node, h), Output, rank(node, g));
      else // in place, the replaced chunk may not have been sent yet
        chunk.copy(rank(node, h), arrived, g);
    }
  }

  /// Sends rank \p g its chunks from the node at \p distance before: one from each of its ranks.
  void scatter(int node, int distance, int g) {
    const int from = gate(node, distance), to = rank(node, g);
    const int output = rank(node - distance + N, 0);
    if (from == to) {
      for (int h = 0; h < G; ++h)
        p.chunk(from, crossed, room(distance) + h * G + g).copy(to, Output, output + h);
      return;
    }
    for (int h = 0; h < G; ++h) {
      ChunkRef block = p.chunk(from, crossed, room(distance) + h * G + g);
      block.copy(from, sorted, room(distance) + g * G + h);
    }
    p.chunk(from, sorted, room(distance) + g * G, G).copy(to, Output, output, way(from, to));
  }

  Program &p;
  const int N, G;
  Buffer gathered, crossed, sorted, arrived;
};

void trace(Program &p) { ThreeStep(p).run(); }
} // namespace

CCLC_PROGRAM(alltoall_three_step) {
  d.collective(AllToAll)
      .summary("Two nodes exchange all of their blocks in one message in each direction. Every "
               "rank is responsible for some of the other nodes: it gathers the blocks of its node "
               "for them and sends these to the responsible rank of the other node, which sorts "
               "them and scatters them over its node. Suited to many nodes; the load is balanced "
               "if the number of other nodes is a multiple of the ranks per node.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023; its plan for 8k+1 nodes of 8 ranks")
      .cost("3 steps; with N nodes of G ranks, a rank sends at most ceil((N-1)/G) messages of G^2 "
            "chunks to other nodes and, inside its node, N-1 messages of G chunks to gather, on "
            "average as many to scatter, and G-1 messages of one chunk.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .body(trace);
}
