#include "cclc/DSL/DSL.h"

#include <algorithm>

using namespace cclc::dsl;

namespace {
constexpr IntParam radix{.name = "radix",
                         .help = "base of the digits of distances; with the number of ranks or "
                                 "more, every message is direct",
                         .value = 2,
                         .min = 2,
                         .max = 65536};

/// The block of rank r for rank r + offset is sent once for each digit of its offset that is not
/// zero, lowest digit first. The original rotates the blocks before and after; here they are
/// packed from their current place, in descending order of the offset, so that received blocks
/// are in the order of the output.
class Bruck {
public:
  explicit Bruck(Program &p)
      : p(p), R(p.ranks()), base(p.get(radix)), packed(p.scratch("packed")),
        arrived(p.scratch("arrived")), places(R, Place{Input, 0}) {
    while (int64_t(top) * base < R)
      top *= base;
  }

  void run() {
    p.phase("rounds");
    for (int64_t power = 1; power < R; power *= base)
      for (int digit = 1; digit < base && digit * power < R; ++digit)
        round(int(power), digit);
    p.phase("unpack");
    for (int r = 0; r < R; ++r)
      p.chunk(r, Input, r).copy(r, Output, r);
    for (int i = 0, n; i < int(offsets.size()); i += n) {
      const bool arrivedForGood = isLast(i);
      for (n = 1; isLast(i + n) && offsets[i + n] == offsets[i + n - 1] - 1;)
        ++n;
      for (int r = 0; r < R && arrivedForGood; ++r)
        unpack(r, i, n);
    }
  }

private:
  struct Place {
    Buffer buffer;
    int index;
    bool operator==(const Place &) const = default;
  };

  /// Current place of the block at rank \p r whose total distance is \p offset.
  Place place(int r, int offset) const {
    return places[offset].buffer == Input ? Place{Input, (r + offset) % R} : places[offset];
  }
  bool isLast(int i) const {
    return i < int(offsets.size()) && places[offsets[i]] == Place{arrived, i};
  }
  int source(int r, int offset) const { return (r - offset + R) % R; }
  /// Whether a message of the last digit whose first block has \p offset is received in the
  /// output of \p r: only out of place, and if it does not wrap around the end of the output.
  bool lands(int r, int offset, int n) const {
    return !p.mayBeInPlace() && source(r, offset) + n <= R;
  }

  /// Sends all blocks whose offset has \p digit at the place of \p power, in one message per rank.
  void round(int power, int digit) {
    const int used = int(offsets.size());
    std::vector<int> blocks;
    for (int offset = R - 1; offset > 0; --offset)
      if (offset / power % base == digit)
        blocks.push_back(offset);
    const int n = int(blocks.size());
    for (int r = 0; r < R; ++r) {
      const int to = (r + digit * power) % R;
      // Two ranks that send to each other use different channels, so that a message that does
      // not fit into the slots never waits for the one in the other direction.
      const Via via = {.channel = r < to ? 0 : 1};
      ChunkRef message = pack(r, blocks, used);
      if (power == top && lands(to, blocks.front(), n))
        message.copy(to, Output, source(to, blocks.front()), via);
      else
        message.copy(to, arrived, used, via);
    }
    for (int k = 0; k < n; ++k)
      places[blocks[k]] = {arrived, used + k};
    offsets.insert(offsets.end(), blocks.begin(), blocks.end());
  }

  /// Contiguous blocks are copied together; if all are contiguous, no copy is needed.
  ChunkRef pack(int r, const std::vector<int> &blocks, int used) {
    const int n = int(blocks.size());
    for (int k = 0, run; k < n; k += run) {
      const Place first = place(r, blocks[k]);
      for (run = 1; k + run < n; ++run)
        if (place(r, blocks[k + run]) != Place{first.buffer, first.index + run})
          break;
      ChunkRef part = p.chunk(r, first.buffer, first.index, run);
      if (run == n)
        return part;
      part.copy(r, packed, used + k);
    }
    return p.chunk(r, packed, used, n);
  }

  /// Copies the run of \p n blocks from \p i on to the output; it may wrap around the end.
  void unpack(int r, int i, int n) {
    if (offsets[i] >= top && lands(r, offsets[i], n))
      return;
    const int first = source(r, offsets[i]), straight = std::min(n, R - first);
    p.chunk(r, arrived, i, straight).copy(r, Output, first);
    if (straight < n)
      p.chunk(r, arrived, i + straight, n - straight).copy(r, Output, 0);
  }

  Program &p;
  const int R, base;
  int top = 1; ///< largest power of the base below R
  Buffer packed, arrived;
  std::vector<Place> places; ///< by offset; Input: not moved yet
  std::vector<int> offsets;  ///< of the received blocks
};

void trace(Program &p) { Bruck(p).run(); }
} // namespace

CCLC_PROGRAM(alltoall_bruck) {
  d.collective(AllToAll)
      .summary("Blocks are routed by the digits of the distance between source and destination: in "
               "the round of a digit value, every rank sends all blocks that have this value at "
               "the place of the digit, packed into one message. Fewer and larger messages than in "
               "a direct exchange, but more bytes: suited to small blocks.")
      .source("Bruck et al., Efficient algorithms for all-to-all communications in multiport "
              "message-passing systems, IEEE TPDS 1997")
      .cost("With radix r, at most (r-1) ceil(log_r R) rounds of one message per rank, of which "
            "ceil(log_r R) are serialised; a rank sends about (r-1)/r S for each digit.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .param(radix.tuned({2, 3, 4, 8}))
      .body(trace);
}
