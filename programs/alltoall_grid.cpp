#include "GridTrees.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam radix{.name = "radix",
                         .help = "largest number of ranks of a step: longer dimensions are divided "
                                 "into steps, so that a rank has fewer peers",
                         .value = 65536,
                         .min = 2,
                         .max = 65536};
constexpr IntParam channels{.name = "channels",
                            .help = "channels between two ranks: with 2, each direction has its "
                                    "own, and messages that do not fit into the slots do not wait "
                                    "for each other",
                            .value = 2,
                            .min = 1,
                            .max = 2};

/// Where a chunk is on its way: its rank is that of the list.
struct Place {
  Buffer buffer;
  int index;
};

/// The chunk from s to d has the number d at s. Along a dimension it moves to the rank with the
/// coordinate of d, and its number takes the coordinate of s, so that it finally has the number s.
/// Packed messages of every other dimension share their scratch chunks.
class Exchange {
public:
  explicit Exchange(Program &p)
      : p(p), packed(p.scratch("packed")), arrived(p.scratch("arrived")), R(p.ranks()), places(R) {
    for (std::vector<Place> &list : places)
      for (int d = 0; d < R; ++d)
        list.push_back({Input, d});
  }

  void along(const GridTrees::Dimension &dimension, bool isLast) {
    std::vector<std::vector<Place>> next = places;
    for (int r = 0; r < R; ++r)
      for (int i = 1; i < dimension.size; ++i) {
        const int at = dimension.coordinate(r), to = (at + i) % dimension.size;
        const int peer = r + (to - at) * dimension.stride, n = R / dimension.size;
        p.phase("pack");
        const ChunkRef message = pack(r, dimension, to);
        p.phase("exchange");
        // The last dimension is the outermost, so that the numbers are in sequence.
        Place place =
            isLast ? Place{Output, at * n} : Place{arrived, begin + (at - (at > to ? 1 : 0)) * n};
        message.copy(peer, place.buffer, place.index,
                     {.channel = r < peer || p.get(channels) == 1 ? 0 : 1});
        forEachNumber(dimension, at, [&](int number) {
          next[peer][number] = place;
          ++place.index;
        });
      }
    places = std::move(next);
    begin += R - R / dimension.size;
    isOdd = !isOdd;
  }

  /// Copies the chunks that are not yet in the output.
  void finish() {
    p.phase("unpack");
    for (int r = 0; r < R; ++r)
      copyRuns(r, places[r], Output);
  }

private:
  /// Calls body(number) for the numbers with coordinate \p at, in ascending order.
  template <class Body>
  void forEachNumber(const GridTrees::Dimension &dimension, int at, Body body) const {
    for (int outer = at * dimension.stride; outer < R; outer += dimension.size * dimension.stride)
      for (int number = outer; number < outer + dimension.stride; ++number)
        body(number);
  }

  /// The number of chunks from \p begin on that follow each other.
  static int runOf(const std::vector<Place> &list, int begin) {
    int count = 1;
    while (begin + count < int(list.size()) && list[begin + count].buffer == list[begin].buffer &&
           list[begin + count].index == list[begin].index + count)
      ++count;
    return count;
  }

  /// Copies the chunks of \p list to \p buffer from \p begin on, unless they are there. One
  /// operation copies all chunks that follow each other.
  void copyRuns(int r, const std::vector<Place> &list, Buffer buffer, int begin = 0) {
    for (int k = 0, count; k < int(list.size()); k += count) {
      count = runOf(list, k);
      if (const Place &from = list[k]; !(from.buffer == buffer))
        p.chunk(r, from.buffer, from.index, count).copy(r, buffer, begin + k);
    }
  }

  /// The chunks of \p r with coordinate \p to, one after the other.
  ChunkRef pack(int r, const GridTrees::Dimension &dimension, int to) {
    std::vector<Place> chosen;
    forEachNumber(dimension, to, [&](int number) { chosen.push_back(places[r][number]); });
    const int n = int(chosen.size());
    if (runOf(chosen, 0) == n)
      return p.chunk(r, chosen[0].buffer, chosen[0].index, n);
    const int at = dimension.coordinate(r);
    const int begin = (isOdd ? R : 0) + (to - (to > at ? 1 : 0)) * n;
    copyRuns(r, chosen, packed, begin);
    return p.chunk(r, packed, begin, n);
  }

  Program &p;
  Buffer packed, arrived;
  const int R;
  int begin = 0;                          ///< of the places of a dimension in scratch
  bool isOdd = false;                     ///< whether an odd number of dimensions is complete
  std::vector<std::vector<Place>> places; ///< by rank and number
};

/// The dimensions of the grid, of which those with more ranks than the radix are divided by their
/// largest divisors up to it.
std::vector<GridTrees::Dimension> stepsOf(Program &p) {
  const GridTrees grid(p);
  std::vector<GridTrees::Dimension> steps;
  for (const GridTrees::Dimension &dimension : grid.shape())
    for (int left = dimension.size, stride = dimension.stride; left > 1;) {
      int size = std::min(left, p.get(radix));
      while (left % size != 0)
        --size;
      if (size == 1)
        size = left;
      steps.push_back({size, stride, false});
      left /= size;
      stride *= size;
    }
  return steps;
}

void trace(Program &p) {
  const std::vector<GridTrees::Dimension> steps = stepsOf(p);
  Exchange exchange(p);
  for (const GridTrees::Dimension &step : steps)
    exchange.along(step, &step == &steps.back());
  exchange.finish();
}
} // namespace

CCLC_PROGRAM(alltoall_grid) {
  d.collective(AllToAll)
      .summary("For tori, meshes and hypercubes: an all-to-all along one dimension after the "
               "other, with all chunks for a rank of the dimension in one message. Suited to "
               "small chunks: a rank has only as many peers as its dimensions have other ranks.")
      .source("Johnsson and Ho, Optimum broadcasting and personalized communication in hypercubes, "
              "IEEE Transactions on Computers 1989, for longer dimensions")
      .cost("With n dimensions of w ranks, n steps, in each of which a rank sends w-1 messages of "
            "R/w chunks: (w-1)/w S. A radix below w divides a dimension in the same way.")
      .buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)
      .param(radix.tuned({2, 3, 4, 8}))
      .param(channels)
      .body(trace);
}
