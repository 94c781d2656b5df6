// All-reduce in a cube of eight ranks by recursive halving and doubling, in several ways at once.
// Each way has eight chunks and a channel, and takes the dimensions in a different order, so that
// all links are used concurrently.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr int R = 8;

constexpr IntParam ways{.name = "ways",
                        .help = "number of concurrent orders of dimensions",
                        .value = 1,
                        .min = 1,
                        .max = 3};

class Way {
public:
  Way(Program &p, int number) : p(p), via{.channel = number}, begin(R, number * R) {}

  void run(const std::vector<int> &dimensions) {
    const int last = dimensions.size() - 1;
    for (int i = 0; i <= last; ++i)
      halve(dimensions[i], R >> (i + 1));
    for (int i = last; i >= 0; --i)
      join(dimensions[i], R >> (i + 1));
  }

private:
  /// Of the 2 * count chunks that rank and peer are responsible for, the rank of the lower number
  /// keeps the lower half. One operation per chunk, so that each sum can be forwarded immediately.
  void halve(int dimension, int count) {
    for (int rank = 0; rank < R; ++rank) {
      const int peer = rank ^ dimension, index = begin[rank] + (rank < peer ? count : 0);
      for (int c = 0; c < count; ++c)
        p.chunk(peer, Input, index + c).reduce(p.chunk(rank, Input, index + c), via);
    }
    for (int rank = 0; rank < R; ++rank)
      begin[rank] += rank & dimension ? count : 0;
  }

  void join(int dimension, int count) {
    for (int rank = 0; rank < R; ++rank)
      p.chunk(rank, Input, begin[rank], count).copy(rank ^ dimension, via);
    for (int rank = 0; rank < R; ++rank)
      begin[rank] -= rank & dimension ? count : 0;
  }

  Program &p;
  const Via via;
  std::vector<int> begin; ///< first chunk that each rank is responsible for
};

void trace(Program &p) {
  if (p.ranks() != R)
    p.refuse("there must be 8 ranks, not " + std::to_string(p.ranks()));
  const std::vector<int> orders[] = {{1, 2, 4}, {4, 2, 1}, {2, 1, 4}};
  p.chunks(R * p.get(ways));
  for (int way = 0; way < p.get(ways); ++way)
    Way(p, way).run(orders[way]);
}
} // namespace

CCLC_PROGRAM(allreduce_a100_recursive_doubling_halving) {
  d.collective(AllReduce).ranks(R, R).param(ways).body(trace);
}
