// All-to-all in three steps: each pair of nodes exchanges all of its chunks through one rank of
// each node, which gathers the chunks of its node, exchanges them, and scatters the received ones.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes{.name = "nodes", .help = "nodes", .value = 9, .min = 1, .max = 1024};
constexpr IntParam gpus{
    .name = "gpus", .help = "ranks of each node", .value = 8, .min = 1, .max = 64};
constexpr IntParam instances{
    .name = "instances", .help = "number of chunks for each rank", .value = 1, .min = 1, .max = 16};
constexpr IntParam connections{.name = "ib_connections",
                               .help = "messages between two nodes; 0: as many as instances",
                               .value = 0,
                               .min = 0,
                               .max = 16};

class ThreeStep {
public:
  explicit ThreeStep(Program &p)
      : p(p), N(p.get(nodes)), G(p.get(gpus)), I(p.get(instances)),
        C(p.get(connections) ? p.get(connections) : I) {
    if (I % C != 0)
      p.refuse("the number of instances must be a multiple of ib_connections");
  }

  void run() {
    p.chunks(I);
    for (int node = 0; node < N; ++node)
      for (int g = 0; g < G; ++g)
        for (int i = 0; i < I; ++i)
          for (int to = 0; to < N; ++to)
            if (to == node)
              exchangeInNode(rank(node, g), i);
            else
              gather(rank(node, g), i, node, to);
    for (int from = 0; from < N; ++from)
      for (int to = 0; to < N; ++to)
        if (from != to)
          cross(from, to);
  }

private:
  int rank(int node, int g) const { return node * G + g; }
  /// The rank of \p node that exchanges with \p other.
  int gate(int node, int other) const { return rank(node, (other - (other > node)) % G); }
  Buffer between(int from, int to) const {
    return p.scratch((std::to_string(from) + "->" + std::to_string(to)).c_str());
  }

  /// A local copy has no channel.
  static void copy(const ChunkRef &from, int rank, Buffer buffer, int index, int channel) {
    from.copy(rank, buffer, index, from.rank() == rank ? Via() : Via{.channel = channel});
  }

  void exchangeInNode(int from, int i) {
    for (int g = 0; g < G; ++g) {
      const int to = rank(from / G, g);
      copy(p.chunk(from, Input, to * I + i), to, Output, from * I + i, 2 * i);
    }
  }

  void gather(int rank, int i, int from, int to) {
    ChunkRef chunks = p.chunk(rank, Input, this->rank(to, 0) * I + i * G, G);
    copy(chunks, gate(from, to), between(from, to), (rank % G * I + i) * G, 2 * i);
  }

  /// The buffer between them holds, for every rank of \p from, its chunks for all ranks of \p to.
  void cross(int from, int to) {
    ChunkRef all = p.chunk(gate(from, to), between(from, to), 0, G * G * I);
    std::vector<ChunkRef> parts = all.split(C);
    for (int c = 0; c < C; ++c) {
      // With one connection, ranks alternate between two adapters.
      const int channel = C == 1 ? all.rank() % 2 : c;
      ChunkRef part = parts[c].copy(gate(to, from), between(from, to), {.channel = channel});
      for (ChunkRef &piece : part.split(G * G)) {
        const int source = rank(from, piece.index() / (G * I)), chunk = piece.index() % (G * I);
        copy(piece, rank(to, chunk / I), Output, source * I + chunk % I, 2 * c + 1);
      }
    }
  }

  Program &p;
  const int N, G, I, C;
};

void trace(Program &p) { ThreeStep(p).run(); }
} // namespace

CCLC_PROGRAM(alltoall_a100_three_step) {
  d.collective(AllToAll).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(gpus); });
  d.param(nodes).param(gpus).param(instances).param(connections).body(trace);
}
