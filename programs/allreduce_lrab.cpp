#include "cclc/DSL/DSL.h"

#include <functional>

using namespace cclc;
using namespace cclc::dsl;
using dsl::Buffer;

namespace {
constexpr ChoiceParam rootParam{.name = "root",
                                .help = "root cube of each SIP: the centre one or the last one",
                                .value = "center",
                                .choices = {"center", "corner"}};

constexpr ChoiceParam forwardParam{
    .name = "forward",
    .help = "when a member of a ring forwards a received tile: after adding it, as the original "
            "kernel does, or before",
    .value = "after_add",
    .choices = {"after_add", "at_once"}};

/// A line of ranks: maps a position to a rank.
using Line = std::function<int(int)>;

class Lrab {
public:
  explicit Lrab(Program &p)
      : p(p), sips(*p.geometry().find("sip")), cubes(*p.geometry().find("cube")) {
    bool center = p.get(rootParam) == "center";
    forward.fuse = p.get(forwardParam) == "at_once";
    rootX = center ? cubes.width / 2 : cubes.width - 1;
    rootY = center ? cubes.height / 2 : cubes.height - 1;
  }

  void nameNeighbours() {
    const int S = sips.size(), w = cubes.width, h = cubes.height;
    for (int s = 0; s < S; ++s)
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          if (x + 1 < w)
            p.neighbour(rank(s, x, y), Direction::E, rank(s, x + 1, y));
          if (y + 1 < h)
            p.neighbour(rank(s, x, y), Direction::S, rank(s, x, y + 1));
        }
    const int columns = sips.width, rows = sips.height;
    const bool wraps = sips.kind != GridKind::Mesh2DNoWrap;
    auto rootAt = [&](int x, int y) { return rootOf(y % rows * columns + x % columns); };
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        if (columns > 1 && (wraps || x + 1 < columns))
          p.neighbour(rootAt(x, y), Direction::GlobalE, rootAt(x + 1, y));
        if (rows > 1 && (wraps || y + 1 < rows))
          p.neighbour(rootAt(x, y), Direction::GlobalS, rootAt(x, y + 1));
      }
  }

  void run() {
    const int S = sips.size(), w = cubes.width, h = cubes.height;
    p.phase("row reduce");
    for (int s = 0; s < S; ++s)
      for (int y = 0; y < h; ++y)
        reduceTowards([=, this](int x) { return rank(s, x, y); }, w, rootX);
    p.phase("column reduce");
    for (int s = 0; s < S; ++s)
      reduceTowards([=, this](int y) { return rank(s, rootX, y); }, h, rootY);
    p.phase("exchange between SIPs");
    exchange();
    p.phase("column broadcast");
    for (int s = 0; s < S; ++s)
      spreadFrom([=, this](int y) { return rank(s, rootX, y); }, h, rootY);
    p.phase("row broadcast");
    for (int s = 0; s < S; ++s)
      for (int y = 0; y < h; ++y)
        spreadFrom([=, this](int x) { return rank(s, x, y); }, w, rootX);
  }

private:
  int rank(int sip, int x, int y) const {
    return sip * int(cubes.size()) + y * int(cubes.width) + x;
  }
  int rootOf(int sip) const { return rank(sip, rootX, rootY); }
  ChunkRef tile(int rank) { return p.chunk(rank, Output, 0); }

  void add(int from, int to) {
    ChunkRef sum = tile(to);
    sum.reduce(tile(from));
  }

  /// Reduces from both ends of the line towards member \p target.
  void reduceTowards(const Line &at, int length, int target) {
    for (int i = 0; i < target; ++i)
      add(at(i), at(i + 1));
    for (int i = length - 1; i > target; --i)
      add(at(i), at(i - 1));
  }

  void spreadFrom(const Line &at, int length, int source) {
    for (int i = source; i > 0; --i)
      tile(at(i)).copy(at(i - 1));
    for (int i = source; i + 1 < length; ++i)
      tile(at(i)).copy(at(i + 1));
  }

  void exchange() {
    const int w = sips.width, h = sips.height;
    switch (sips.kind) {
    case GridKind::Ring1D:
      ring([&](int i) { return rootOf(i); }, sips.size(), "ring");
      return;
    case GridKind::Torus2D:
      rings("row", h, w, [=, this](int y, int x) { return rootOf(y * w + x); });
      rings("column", w, h, [=, this](int x, int y) { return rootOf(y * w + x); });
      return;
    case GridKind::Mesh2DNoWrap:
      for (int y = 0; y < h; ++y)
        chain([=, this](int x) { return rootOf(y * w + x); }, w);
      for (int x = 0; x < w; ++x)
        chain([=, this](int y) { return rootOf(y * w + x); }, h);
      return;
    case GridKind::Flat:
      break;
    }
    p.refuse("allreduce_lrab supports SIPs in a ring_1d, torus_2d or mesh_2d_no_wrap, not " +
             std::string(gridKindName(sips.kind)));
  }

  void rings(const char *scratch, int count, int length, const std::function<int(int, int)> &at) {
    for (int i = 0; i < count; ++i)
      ring([&](int j) { return at(i, j); }, length, scratch);
  }

  /// In every round each member forwards the tile that it received last (in the first round
  /// its own) and adds the one that arrives.
  void ring(const Line &at, int n, const char *scratch) {
    Buffer arrived = p.scratch(scratch);
    for (int round = 0; round < n - 1; ++round) {
      for (int i = 0; i < n; ++i) {
        ChunkRef last = round == 0 ? tile(at(i)) : p.chunk(at(i), arrived, round - 1);
        last.copy(at((i + 1) % n), arrived, round, forward);
      }
      for (int i = 0; i < n; ++i) {
        ChunkRef sum = tile(at(i));
        sum.reduce(p.chunk(at(i), arrived, round));
      }
    }
  }

  /// Reduces along the line to its last member and sends the sum back.
  void chain(const Line &at, int n) {
    for (int i = 0; i + 1 < n; ++i)
      add(at(i), at(i + 1));
    for (int i = n - 1; i > 0; --i)
      tile(at(i)).copy(at(i - 1));
  }

  Program &p;
  const GridLevel &sips, &cubes;
  int rootX, rootY;
  Via forward;
};

void trace(Program &p) {
  if (!p.geometry().find("sip") || !p.geometry().find("cube"))
    p.refuse("allreduce_lrab needs a machine with SIPs and a mesh of cubes: try --target ahbm");
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, Input, 0).copy(r, Output, 0);
  Lrab lrab(p);
  lrab.nameNeighbours();
  lrab.run();
}
} // namespace

CCLC_PROGRAM(allreduce_lrab) {
  d.collective(AllReduce)
      .summary(
          "For SIPs that are meshes of cubes, with one rank and one tile per cube. Every row "
          "of cubes is reduced from both sides towards the root column, and the root column "
          "towards the root cube. The root cubes exchange their sums between SIPs: around a "
          "ring in S-1 rounds of forwarding and adding (ring_1d), around the rows and then "
          "the columns in the same way (torus_2d), or along chains in both directions "
          "(mesh_2d_no_wrap). Then the sum is broadcast over the root column and the rows. "
          "On rings of three or more SIPs, also those of a torus, each adds its own sum first, and "
          "gets different bits.")
      .source("KernBench ADR-0032, LRAB hierarchical all-reduce, and ADR-0050, the contract of "
              "algorithm modules")
      .cost("On SIPs of w x h cubes with the root in the centre, at most 2(w/2 + h/2) steps in the "
            "mesh and, between n SIPs, n-1 steps (ring), (columns-1) + (rows-1) steps (torus) or "
            "twice that number (mesh), each of a whole tile; a rank sends S to each neighbour that "
            "it serves.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .mapper(Mapper::CubeLeaders)
      .param(rootParam)
      .param(forwardParam)
      .body(trace);
}
