//===- SymmetricProgram.h - One repetition of a symmetric program -*- C++ -*-===//
//
// A program all of whose operations are in orbits of one group, which maps every rank to every
// other one. Only the operations of the first repetition of each orbit are stored.
//
// The folded program has the ranks of a quotient of the group: ranks whose elements are equal
// modulo the quotient's sizes are one rank, and a cell is named by its rank and relative index.
// Each of its operations stands for an operation of all these ranks. Cells, and so dependences, of
// the whole program are those of the folded program, once for each such rank. It is an ordinary
// program, except that its buffers have no values: every output cell is constrained, but by no
// meaningful post-condition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_SYMMETRICPROGRAM_H
#define CCL_SYMMETRY_SYMMETRICPROGRAM_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/Symmetry/RotationGroup.h"

namespace cclc {

struct SymmetricProgram {
  ProgramInfo info;
  RotationGroup group;
  /// Of the first repetitions, with the ranks and indices of the whole program.
  std::vector<ChunkOp> ops;
  /// Each scratch buffer, whose size is the same on all ranks.
  std::vector<std::pair<std::string, uint32_t>> scratch;

  /// The element that leads from the rank that sends to the rank that receives.
  RotationGroup::Element distance(const ChunkOp &op) const {
    return group.difference(group.elementOf(op.dstRank.index()),
                            group.elementOf(op.srcRank.index()));
  }
};

/// Why the post-condition of \p collective, which must fit \p group, is not symmetric under the
/// group, or the group does not map every rank to every other one; empty if neither is the case.
std::string findAsymmetry(const Collective &collective, const RotationGroup &group);

/// Ranks of a quotient: the elements of a group, by factor modulo a divisor of its size.
class FoldedRanks {
public:
  /// The quotient with these sizes, by factor.
  explicit FoldedRanks(const std::vector<uint32_t> &sizes);
  /// The smallest quotient in which all of \p distances, their inverses and the identity differ,
  /// and do so in every factor in which they differ.
  static FoldedRanks smallest(const RotationGroup &group,
                              ArrayRef<RotationGroup::Element> distances);

  uint32_t ranks() const { return quotient.order(); }
  /// The number of folded ranks in each factor.
  std::vector<uint32_t> sizes() const;
  RankId rankOf(const RotationGroup::Element &element) const;
  RotationGroup::Element element(uint32_t rank) const { return quotient.element(rank); }
  /// The folded rank at \p distance from \p rank.
  RankId at(RankId rank, const RotationGroup::Element &distance) const;
  /// The collective of folded programs: buffers have the sizes and aliases of \p collective.
  Collective fold(const Collective &collective) const;

private:
  RotationGroup quotient; ///< only its sizes are used
};

/// The ranks for a program with \p program's messages.
FoldedRanks foldedRanks(const SymmetricProgram &program);

FailureOr<ChunkProgram> fold(const SymmetricProgram &program, const FoldedRanks &ranks,
                             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SYMMETRY_SYMMETRICPROGRAM_H
