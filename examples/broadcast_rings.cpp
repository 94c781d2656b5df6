// A broadcast for SIPs that are meshes of cubes, with one rank per cube: from the first cube around
// the rings of SIPs, then through every mesh. docs/Algorithms/AddAnAlgorithm.md explains it.
#include "cclc/DSL/DSL.h"

#include <functional>

using namespace cclc;
using namespace cclc::dsl;

namespace {
constexpr IntParam chunks{.name = "chunks",
                          .help = "number of chunks, which are pipelined",
                          .value = 1,
                          .min = 1,
                          .max = 1024};

/// The members of a line or ring; at(i) is the rank of the i-th.
struct Line {
  int size;
  std::function<int(int)> at;
};

class RingsAndMeshes {
public:
  explicit RingsAndMeshes(Program &p)
      : p(p), sips(*p.geometry().find("sip")), cubes(*p.geometry().find("cube")) {}

  void nameNeighbours() {
    const int w = cubes.width, h = cubes.height, columns = sips.width, rows = sips.height;
    for (int s = 0; s < columns * rows; ++s)
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          if (x + 1 < w)
            p.neighbour(rank(s, x, y), Direction::E, rank(s, x + 1, y));
          if (y + 1 < h)
            p.neighbour(rank(s, x, y), Direction::S, rank(s, x, y + 1));
        }
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        if (columns > 1)
          p.neighbour(first(x, y), Direction::GlobalE, first((x + 1) % columns, y));
        if (rows > 1)
          p.neighbour(first(x, y), Direction::GlobalS, first(x, (y + 1) % rows));
      }
  }

  void run(int c) {
    chunk = c;
    const int w = cubes.width, h = cubes.height, columns = sips.width, rows = sips.height;
    p.phase("around the SIPs");
    bothWays({columns, [=, this](int x) { return first(x, 0); }});
    for (int x = 0; x < columns; ++x)
      bothWays({rows, [=, this](int y) { return first(x, y); }});
    p.phase("through the cubes");
    for (int s = 0; s < columns * rows; ++s) {
      along({h, [=, this](int y) { return rank(s, 0, y); }});
      for (int y = 0; y < h; ++y)
        along({w, [=, this](int x) { return rank(s, x, y); }});
    }
  }

private:
  /// Ranks are numbered SIP by SIP, and in a SIP row by row.
  int rank(int sip, int x, int y) const {
    return sip * int(cubes.size()) + y * int(cubes.width) + x;
  }
  int first(int column, int row) const { return rank(row * int(sips.width) + column, 0, 0); }

  void pass(int from, int to) { p.chunk(from, Output, chunk).copy(to); }

  void along(const Line &line) {
    for (int i = 0; i + 1 < line.size; ++i)
      pass(line.at(i), line.at(i + 1));
  }

  /// From member 0 of a ring to both sides, half of the ring each.
  void bothWays(const Line &ring) {
    const int N = ring.size;
    for (int i = 0; i < N / 2; ++i)
      pass(ring.at(i), ring.at(i + 1));
    for (int i = N; i > N / 2 + 1; --i)
      pass(ring.at(i % N), ring.at(i - 1));
  }

  Program &p;
  const GridLevel &sips, &cubes;
  int chunk = 0;
};

void trace(Program &p) {
  const GridLevel *sips = p.geometry().find("sip");
  if (!sips || !p.geometry().find("cube"))
    p.refuse("broadcast_rings needs a machine with SIPs and a mesh of cubes: try --target ahbm");
  if (sips->kind != GridKind::Ring1D && sips->kind != GridKind::Torus2D)
    p.refuse("broadcast_rings supports SIPs in a ring_1d or torus_2d, not " +
             std::string(gridKindName(sips->kind)));
  const int C = p.get(chunks);
  p.chunks(C);
  p.root(0);
  RingsAndMeshes algorithm(p);
  algorithm.nameNeighbours();
  p.chunk(0, Input, 0, C).copy(0, Output, 0);
  for (int c = 0; c < C; ++c)
    algorithm.run(c);
}
} // namespace

CCLC_PROGRAM(broadcast_rings) {
  d.collective(Broadcast)
      .summary(
          "For SIPs that are meshes of cubes, with one rank per cube: the buffer of the first cube "
          "is sent around the first row of SIPs in both directions, then around the columns of "
          "SIPs, and in every SIP down the first column of cubes and along the rows.")
      .source("an example: docs/Algorithms/AddAnAlgorithm.md")
      .cost("With SIPs in c columns and r rows and w x h cubes, c/2 + r/2 + (h-1) + (w-1) steps; a "
            "rank sends S to each neighbour that it serves, at most 6 S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .mapper(Mapper::CubeLeaders)
      .param(chunks)
      .body(trace);
}
