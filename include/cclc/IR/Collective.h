//===- Collective.h - Pre- and post-condition of a collective ---*- C++ -*-===//
//
// A collective says what every input cell holds before (its pre-condition) and
// what every output cell must hold after (its post-condition): one chunk, or a
// reduction over a set of contributions, each exactly once. A contribution is
// an initial input chunk, named by its (rank, index).
//
// Sizes are in chunks. F below is `chunks()`, R is `ranks()`:
//
//   kind            input   output  o[c] of rank r after        in place
//   AllReduce       F       F       sum over q of (q, c)         o = i
//   AllGather       F       R*F     o[q*F+c] = (q, c)            i = o[r*F...]
//   ReduceScatter   R*F     F       sum over q of (q, r*F+c)     o = i[r*F...]
//   AllToAll        R*F     R*F     o[q*F+c] = (q, r*F+c)        o = i
//   AllToNext       F       F       (r-1, c); none on rank 0     o = i
//   Broadcast       F       F       (root, c)                    o = i
//   Reduce          F       F       root: sum over q of (q, c)   o = i
//   Gather          F       R*F     root: o[q*F+c] = (q, c)      root: i = o[r*F...]
//   Scatter         R*F     F       (root, r*F+c)                root: o = i[r*F...]
//   SendRecv        F       F       (r-1 mod R, c)               o = i
//   Custom          given as data                                o = i
//
// Of a custom collective the shorter buffer is the first part of the longer one in place:
// a runtime that loads its plan knows no offset between the two.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_COLLECTIVE_H
#define CCL_IR_COLLECTIVE_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/IR/Operand.h"
#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"

#include <memory>
#include <vector>

namespace cclc {

/// An initial input chunk.
struct Contribution {
  RankId rank;
  uint32_t index;
  friend auto operator<=>(const Contribution &, const Contribution &) = default;
};

/// Whether input and output are the same memory, as the alias map of the
/// collective says, or apart with the input read-only.
enum class Placement : uint8_t { InPlace, OutOfPlace };

/// The placements that a program or plan is offered for: at least one.
class Placements {
public:
  static constexpr Placements inPlace() { return Placements(true, false); }
  static constexpr Placements outOfPlace() { return Placements(false, true); }
  static constexpr Placements both() { return Placements(true, true); }
  constexpr Placements(bool inPlace, bool outOfPlace) : in(inPlace), out(outOfPlace) {}

  constexpr bool allowsInPlace() const { return in; }
  constexpr bool allowsOutOfPlace() const { return out; }
  /// In the order in place, out of place.
  SmallVector<Placement, 2> list() const;
  friend constexpr bool operator==(Placements, Placements) = default;

private:
  bool in, out;
};

/// What one output cell must hold.
struct Expectation {
  enum class Kind : uint8_t {
    Anything, ///< the collective says nothing about this cell
    Chunk,    ///< the contribution (rank, index)
    SumAll,   ///< the reduction over every rank q of (q, index)
    SumList,  ///< the reduction over `list`
  };
  Kind kind = Kind::Anything;
  RankId rank = RankId(0);
  uint32_t index = 0;
  ArrayRef<Contribution> list;
};

/// The data of a custom collective: which output cell holds which reduction.
struct CustomSpec {
  struct Output {
    RankId rank;
    uint32_t index;
    std::vector<Contribution> contributions; ///< one: that chunk; more: their reduction
    friend bool operator==(const Output &, const Output &) = default;
  };
  uint32_t inputChunks = 0;
  uint32_t outputChunks = 0;
  std::vector<Output> outputs; ///< sorted by (rank, index), each at most once

  /// Why no collective over \p ranks may have these outputs; null if it may.
  const char *findFault(uint32_t ranks) const;
  friend bool operator==(const CustomSpec &, const CustomSpec &) = default;
};

/// A collective over a number of ranks, chunks and a root. A value.
class Collective {
public:
  /// \p chunks is F of the table. \p root matters to rooted collectives only.
  Collective(CollectiveKind kind, uint32_t ranks, uint32_t chunks, RankId root = RankId(0));
  /// A custom collective. Without outputs it has no post-condition.
  Collective(uint32_t ranks, CustomSpec spec);

  CollectiveKind kind() const { return theKind; }
  uint32_t ranks() const { return numRanks; }
  uint32_t chunks() const { return numChunks; }
  RankId root() const { return theRoot; }
  bool isRooted() const;
  const CustomSpec *custom() const { return spec.get(); }

  /// Chunks of a rank's input and output buffer.
  uint32_t inputChunks() const;
  uint32_t outputChunks() const;
  /// Chunks of the larger one of the two buffers: `nchunksperloop` of MSCCL-IR.
  uint32_t chunksPerLoop() const;

  /// Whether input cell \p index of \p rank is initialised (with its own
  /// contribution): every one, but only the root's for broadcast and scatter.
  bool hasInput(RankId rank) const;
  bool hasPostCondition() const {
    return theKind != CollectiveKind::Custom || !spec->outputs.empty();
  }
  Expectation expected(RankId rank, uint32_t outputIndex) const;
  /// For how many output cells from \p outputIndex on the expectations are alike: anything,
  /// or the chunks (the sums over the chunks) that follow each other.
  uint32_t expectationRun(RankId rank, uint32_t outputIndex) const;

  /// Offset of the input (output) buffer of \p rank in the user memory of that
  /// rank, which under this placement has userChunks() chunks.
  uint32_t inputOffset(RankId rank, Placement placement) const;
  uint32_t outputOffset(RankId rank, Placement placement) const;
  uint32_t userChunks(RankId rank, Placement placement) const;
  /// Of the two names that a cell has in place, the one by which plans call it:
  /// that of the buffer which holds the other one.
  Operand canonical(RankId rank, Operand operand, Placements placements) const;

  friend bool operator==(const Collective &a, const Collective &b);

private:
  bool sharesMemory(RankId rank, Placement placement) const;

  CollectiveKind theKind;
  uint32_t numRanks;
  uint32_t numChunks;
  RankId theRoot;
  std::shared_ptr<const CustomSpec> spec;
};

bool operator==(const Collective &a, const Collective &b);

} // namespace cclc

#endif // CCL_IR_COLLECTIVE_H
