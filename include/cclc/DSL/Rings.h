//===- Rings.h - Rings as building blocks -----------------------*- C++ -*-===//
//
// Algorithms of several levels are made of rings over some of the ranks:
//
//   reduceScatterRing(p, {0, 1, 2}, Output, {4, 5, 6});
//
// sums up chunk 4 of these ranks at rank 0, chunk 5 at rank 1 and chunk 6 at rank 2. Ranks
// pass chunks on to the next one of the list. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_RINGS_H
#define CCL_DSL_RINGS_H

#include "cclc/DSL/Program.h"

#include <string>
#include <vector>

namespace cclc::dsl {

namespace detail {
/// Calls fn(index, ranks) for every chunk; ranks(hop) is where it is after that many hops from
/// its own rank.
template <class Fn>
void forChunksOfRing(Program &p, const std::vector<int> &ranks, const std::vector<int> &chunks,
                     SourceLocation loc, Fn fn) {
  if (ranks.size() != chunks.size())
    p.fail("a ring of " + std::to_string(ranks.size()) + " ranks needs " +
               std::to_string(ranks.size()) + " chunks, not " + std::to_string(chunks.size()),
           loc);
  for (size_t i = 0; i < ranks.size(); ++i)
    fn(chunks[i], [&ranks, i](size_t hop) { return ranks[(i + hop) % ranks.size()]; });
}
} // namespace detail

/// Chunk chunks[i] of \p buffer is summed up at ranks[i], with the contributions of all \p ranks.
inline void reduceScatterRing(Program &p, const std::vector<int> &ranks, Buffer buffer,
                              const std::vector<int> &chunks, Via via = {},
                              SourceLocation loc = SourceLocation::current()) {
  detail::forChunksOfRing(p, ranks, chunks, loc, [&](int index, auto rank) {
    ChunkRef sum = p.chunk(rank(1), buffer, index, 1, loc);
    for (size_t hop = 2; hop <= ranks.size(); ++hop)
      sum = p.chunk(rank(hop), buffer, index, 1, loc).reduce(sum, via, loc);
  });
}

/// All \p ranks get chunk chunks[i] of \p buffer from ranks[i].
inline void allGatherRing(Program &p, const std::vector<int> &ranks, Buffer buffer,
                          const std::vector<int> &chunks, Via via = {},
                          SourceLocation loc = SourceLocation::current()) {
  detail::forChunksOfRing(p, ranks, chunks, loc, [&](int index, auto rank) {
    ChunkRef chunk = p.chunk(rank(0), buffer, index, 1, loc);
    for (size_t hop = 1; hop < ranks.size(); ++hop)
      chunk = chunk.copy(rank(hop), via, loc);
  });
}

/// One after the other: \p chunks become their sums at all \p ranks.
inline void allReduceRing(Program &p, const std::vector<int> &ranks, Buffer buffer,
                          const std::vector<int> &chunks, Via via = {},
                          SourceLocation loc = SourceLocation::current()) {
  reduceScatterRing(p, ranks, buffer, chunks, via, loc);
  allGatherRing(p, ranks, buffer, chunks, via, loc);
}

} // namespace cclc::dsl

#endif // CCL_DSL_RINGS_H
