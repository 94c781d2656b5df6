#include "cclc/DSL/DSL.h"

#include <algorithm>
#include <bit>

using namespace cclc::dsl;

namespace {
class Halving {
public:
  explicit Halving(Program &p)
      : p(p), groups(std::bit_floor(unsigned(p.ranks()))), pairs(p.ranks() - groups),
        partial(p.scratch("partial")), summed(groups, false) {}

  void run() {
    const int R = p.ranks();
    p.phase("fold");
    for (int g = 0; g < pairs; ++g)
      add(g, p.chunk(leader(g) + 1, Input, 0, R));
    p.phase("exchange");
    for (int distance = groups / 2; distance > 0; distance /= 2)
      for (int g = 0; g < groups; ++g)
        if (const int partner = g ^ distance; g < partner)
          exchange(g, partner, distance);
    p.phase("unfold");
    for (int g = 0; g < pairs; ++g) {
      const int r = leader(g);
      sum(g, r + 1, 1).copy(r + 1, Output, 0);
      sum(g, r, 1).copy(r, Output, 0);
    }
    if (R == 1)
      p.chunk(0, Input, 0).copy(0, Output, 0);
  }

private:
  /// The first ranks form pairs, so that the number of groups is a power of two.
  int leader(int g) const { return g + std::min(g, pairs); }

  /// The partial sums of group \p g from chunk \p first on: initially the input of its leader.
  ChunkRef sum(int g, int first, int count) {
    return p.chunk(leader(g), summed[g] ? partial : Input, first, count);
  }

  /// Inputs are not modified: sums are formed in scratch, the last one, of a single chunk, in the
  /// output. The compiler removes copies that are only accumulated into.
  void add(int g, const ChunkRef &other) {
    const int r = leader(g);
    ChunkRef mine = sum(g, other.index(), other.count());
    mine = other.count() == 1 ? mine.copy(r, Output, 0) : mine.copy(r, partial, other.index());
    mine.reduce(other);
    summed[g] = true;
  }

  /// Each of the two sends the half of the chunks that includes that of the other.
  void exchange(int low, int high, int distance) {
    const int begin = leader(low & -distance), middle = leader(high & -distance);
    const int end = leader((high & -distance) + distance);
    ChunkRef lower = sum(high, begin, middle - begin);
    ChunkRef upper = sum(low, middle, end - middle);
    add(low, lower);
    add(high, upper);
  }

  Program &p;
  const int groups, pairs;
  Buffer partial;
  std::vector<bool> summed;
};

void trace(Program &p) { Halving(p).run(); }
} // namespace

CCLC_PROGRAM(reducescatter_halving) {
  d.collective(ReduceScatter)
      .summary("In log2 R steps every rank exchanges with a partner at distance R/2, R/4, ..., 1: "
               "it sends the half of its remaining chunks that includes that of the partner, in "
               "one message, and adds the received chunks to the other half. If R is not a power "
               "of two, the first ranks form pairs: one rank of a pair sends its whole input to "
               "the other at the beginning and receives its chunk from it at the end.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("log2 R steps, in which a rank sends (R-1)/R S. If R is not a power of two, two more "
            "steps; in the first one, one rank of each pair sends S to the other.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
