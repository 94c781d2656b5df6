//===- Collective.h - Pre- and post-condition of a collective ---*- C++ -*-===//
//
// A collective defines the initial value of every input cell (its pre-condition) and the required
// final value of every output cell (its post-condition): one chunk, or a reduction over a set of
// contributions, each exactly once. A contribution is an initial input chunk, named by its (rank,
// index).
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
//   Scan            F       F       sum over q <= r of (q, c)    o = i
//   Exscan          F       F       sum over q < r of (q, c)     o = i
//   Custom          given as data                                o = i
//
// The output of rank 0 of an exscan is unconstrained. A sum of one contribution is that chunk.
//
// In place, the shorter buffer of a custom collective is the first part of the longer one, because
// runtimes that load such a plan support no offset between the two.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_COLLECTIVE_H
#define CCL_IR_COLLECTIVE_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/IR/Operand.h"
#include "cclc/IR/Placements.h"
#include "cclc/Support/Ids.h"

#include <memory>
#include <vector>

namespace cclc {

/// Whether outputs are sums over ranks; a custom collective may have sums as well.
constexpr bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter ||
         kind == CollectiveKind::Reduce || kind == CollectiveKind::Scan ||
         kind == CollectiveKind::Exscan;
}
/// Whether the result of a rank is the sum over the ranks before it, or up to it.
constexpr bool isScan(CollectiveKind kind) {
  return kind == CollectiveKind::Scan || kind == CollectiveKind::Exscan;
}
/// Whether several ranks receive the same chunk; those of a custom collective may as well.
constexpr bool distributes(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
         kind == CollectiveKind::Broadcast;
}

/// An initial input chunk.
struct Contribution {
  RankId rank;
  uint32_t index;
  friend auto operator<=>(const Contribution &, const Contribution &) = default;
};

/// The required final value of one output cell.
struct Expectation {
  enum class Kind : uint8_t {
    Anything, ///< the cell is unconstrained
    Chunk,    ///< the contribution (rank, index)
    Sum,      ///< the reduction over the ranks q <= `rank` of (q, index)
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
    std::vector<Contribution> contributions; ///< one: the chunk itself; several: their reduction
    friend bool operator==(const Output &, const Output &) = default;
  };
  uint32_t inputChunks = 0;
  uint32_t outputChunks = 0;
  std::vector<Output> outputs; ///< sorted by (rank, index), each at most once

  /// The reason why these outputs are invalid for a collective over \p ranks; null if they are
  /// valid.
  const char *findFault(uint32_t ranks) const;
  friend bool operator==(const CustomSpec &, const CustomSpec &) = default;
};

/// A collective over a number of ranks, chunks and a root. A value.
class Collective {
public:
  /// \p chunks is F of the table. \p root applies to rooted collectives only.
  Collective(CollectiveKind kind, uint32_t ranks, uint32_t chunks, RankId root = RankId(0));
  /// A custom collective. Without outputs it has no post-condition.
  Collective(uint32_t ranks, CustomSpec spec);

  CollectiveKind kind() const { return theKind; }
  uint32_t ranks() const { return numRanks; }
  uint32_t chunks() const { return numChunks; }
  RankId root() const { return theRoot; }
  bool isRooted() const;
  const CustomSpec *custom() const { return spec.get(); }

  /// The number of chunks of a rank's input and output buffer.
  uint32_t inputChunks() const { return numInputChunks; }
  uint32_t outputChunks() const { return numOutputChunks; }
  /// The number of chunks of the larger buffer: `nchunksperloop` of MSCCL-IR.
  uint32_t chunksPerLoop() const;

  /// Whether input cell \p index of \p rank is initialised (with the rank's own contribution). True
  /// for all ranks, except that only the root has input in broadcast and scatter.
  bool hasInput(RankId rank) const;
  bool hasPostCondition() const {
    return theKind != CollectiveKind::Custom || !spec->outputs.empty();
  }
  Expectation expected(RankId rank, uint32_t outputIndex) const;
  /// The number of output cells from \p outputIndex on with uniform expectations: all
  /// unconstrained, or successive chunks, or the sums over successive chunks.
  uint32_t expectationRun(RankId rank, uint32_t outputIndex) const;
  /// The number of output cells from \p outputIndex on that are all constrained, or all
  /// unconstrained. Those of built-in collectives are alike on all cells of a rank.
  uint32_t constraintRun(RankId rank, uint32_t outputIndex) const {
    return theKind == CollectiveKind::Custom ? expectationRun(rank, outputIndex)
                                             : outputChunks() - outputIndex;
  }

  /// Offset of the input (output) buffer of \p rank in the user memory of that
  /// rank, which under this placement has userChunks() chunks.
  uint32_t inputOffset(RankId rank, Placement placement) const;
  uint32_t outputOffset(RankId rank, Placement placement) const;
  uint32_t userChunks(RankId rank, Placement placement) const;
  /// The canonical name of a cell, which plans use. In place a cell may have two names; the
  /// canonical one is in the buffer that contains the other buffer.
  Operand canonical(RankId rank, Operand operand, Placements placements) const;

  friend bool operator==(const Collective &a, const Collective &b);

private:
  bool sharesMemory(RankId rank, Placement placement) const;

  CollectiveKind theKind;
  uint32_t numRanks;
  uint32_t numChunks;
  uint32_t numInputChunks, numOutputChunks; ///< stored, since every access to a cell asks for them
  RankId theRoot;
  std::shared_ptr<const CustomSpec> spec;
};

bool operator==(const Collective &a, const Collective &b);

} // namespace cclc

#endif // CCL_IR_COLLECTIVE_H
