// An all-gather on a mesh of cubes, such as a SIP of AHBM: every chunk is sent along its row, and
// then the chunks of every row are sent along the columns, in one message per hop.

#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam width{"width", "number of cubes in a row", 4, 1, 64};

static void trace(Program &p) {
  const int W = p.get(width), H = p.ranks() / W;
  if (W * H != p.ranks())
    p.refuse("the number of ranks must be a multiple of the width");
  auto rank = [&](int row, int column) { return row * W + column; };

  p.phase("along the rows");
  for (int row = 0; row < H; ++row)
    for (int from = 0; from < W; ++from)
      for (int step : {-1, 1}) {
        ChunkRef chunk = p.chunk(rank(row, from), Output, rank(row, from));
        for (int to = from + step; to >= 0 && to < W; to += step)
          chunk = chunk.copy(rank(row, to), Output, rank(row, from));
      }

  p.phase("along the columns");
  for (int column = 0; column < W; ++column)
    for (int from = 0; from < H; ++from)
      for (int step : {-1, 1}) {
        ChunkRef chunks = p.chunk(rank(from, column), Output, rank(from, 0), W);
        for (int to = from + step; to >= 0 && to < H; to += step)
          chunks = chunks.copy(rank(to, column), Output, rank(from, 0));
      }
}

CCLC_PROGRAM(allgather_mesh) {
  d.collective(AllGather).mapper(cclc::Mapper::CubeLeaders).param(width).body(trace);
}
