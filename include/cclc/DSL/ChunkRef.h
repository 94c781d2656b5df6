//===- ChunkRef.h - References to chunks ------------------------*- C++ -*-===//
//
// The values of the embedded language: buffers, references to chunks in them, and how an operation
// on chunks is scheduled. Program.h has the language. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_CHUNKREF_H
#define CCL_DSL_CHUNKREF_H

#include "cclc/DSL/SourceLocation.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cclc::dsl {

class Tracer;

/// A buffer of every rank: Input, Output, or scratch from Program::scratch.
class Buffer {
public:
  constexpr explicit Buffer(uint16_t raw) : raw(raw) {}
  friend constexpr bool operator==(Buffer, Buffer) = default;
  uint16_t raw;
};
inline constexpr Buffer Input{0};
inline constexpr Buffer Output{1};

/// Groups of ranks, each with its own gates, made by Program::communicator.
class Communicator {
public:
  constexpr explicit Communicator(uint32_t raw) : raw(raw) {}
  uint32_t raw;
};

/// Optional choices for one operation. The scheduler chooses values that are unset.
struct Via {
  std::optional<int> channel = {};
  /// Threadblock of the sending half, and of a local operation.
  std::optional<int> sendTb = {};
  /// Threadblock of the receiving half.
  std::optional<int> recvTb = {};
  /// Whether the sending half may be fused with the receive of its data, and a local reduce with
  /// the receive of the data that it adds.
  bool fuse = true;
  /// Among steps that are ready, those of higher priority are scheduled first. At least 0.
  int priority = 0;
};

/// A range of chunks in one buffer of one rank, at the time when the reference was made.
class ChunkRef {
public:
  using Loc = SourceLocation;

  int rank() const { return theRank; }
  Buffer buffer() const { return theBuffer; }
  int index() const { return theIndex; }
  int count() const { return theCount; }

  /// Copies the chunks to (\p rank, \p buffer, \p index ...) and returns a
  /// reference to the copy.
  ChunkRef copy(int rank, Buffer buffer, int index, Via via = {}, Loc loc = Loc::current()) const;
  /// Appends a copy to \p scratch on \p rank, after the last chunk that was written there.
  ChunkRef copy(int rank, Buffer scratch, Via via = {}, Loc loc = Loc::current()) const;
  /// Copies to the same buffer and index of \p rank.
  ChunkRef copy(int rank, Via via = {}, Loc loc = Loc::current()) const;
  /// Adds \p other, chunk by chunk, to the chunks here; this reference then refers to the sum, and
  /// so does the result.
  ChunkRef reduce(const ChunkRef &other, Via via = {}, Loc loc = Loc::current());

  /// Splits the range into \p parts equal consecutive parts.
  std::vector<ChunkRef> split(int parts, Loc loc = Loc::current()) const;
  /// The smallest range that covers this one and \p other. It includes the chunks between them,
  /// which must have been written.
  ChunkRef group(const ChunkRef &other, Loc loc = Loc::current()) const;

private:
  friend class Tracer;
  ChunkRef(Tracer *tracer, int rank, Buffer buffer, int index, int count, uint32_t time,
           uint32_t repetition)
      : tracer(tracer), theRank(rank), theBuffer(buffer), theIndex(index), theCount(count),
        time(time), repetition(repetition) {}

  Tracer *tracer;
  int theRank;
  Buffer theBuffer;
  int theIndex;
  int theCount;
  uint32_t time;       ///< the time of the trace at which the reference was made
  uint32_t repetition; ///< the repetition of an orbit in which it was made; 0 outside of orbits
};

} // namespace cclc::dsl

#endif // CCL_DSL_CHUNKREF_H
