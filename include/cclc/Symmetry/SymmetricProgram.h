//===- SymmetricProgram.h - One repetition of a symmetric program -*- C++ -*-===//
//
// A program all of whose operations are in orbits of one group, which maps every rank to every
// other one. Only the operations of the first repetition of each orbit are stored.
//
// The folded program has few ranks, whose distances from each other stand for those between ranks
// that exchange messages, and a cell is named by its rank and relative index. Each operation of the
// first repetition is repeated on all folded ranks, as it is on all ranks in the whole program.
// Which operations of which ranks depend on each other follows from relative indices and distances
// alone, so that the dependences of a folded rank are those of a rank of the whole program. It is
// an ordinary program, except that its buffers have no values: every output cell is constrained,
// but by no meaningful post-condition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_SYMMETRICPROGRAM_H
#define CCL_SYMMETRY_SYMMETRICPROGRAM_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/Symmetry/RotationGroup.h"

#include <map>
#include <set>

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

/// A group of few ranks in which a rank has the same neighbours as in a large group: by factor, the
/// numbers modulo a size. If a rank has few neighbours in many factors, as in a hypercube, this
/// group has nothing else in common with the large one: its elements are numbers given to the
/// neighbours, opposite ones to opposite neighbours.
class FoldedRanks {
public:
  /// Folded ranks for \p group with these sizes, by factor.
  FoldedRanks(const RotationGroup &group, const std::vector<uint32_t> &sizes);
  /// The smallest sizes with which all of \p distances, their inverses and the identity differ, and
  /// do so in every factor in which they differ. A distance of at most half of the factor's ranks
  /// counts forwards, a larger one backwards. If numbers of the distances need less than half as
  /// many ranks, these.
  static FoldedRanks smallest(const RotationGroup &group,
                              ArrayRef<RotationGroup::Element> distances);

  uint32_t ranks() const { return quotient.order(); }
  /// The folded rank at \p distance from \p rank.
  RankId at(RankId rank, const RotationGroup::Element &distance) const;
  /// The folded rank that is as far from rank 0 as \p to is from \p from.
  RankId between(RankId from, RankId to) const;
  /// The rank at which the repetition number \p rank executes what the first one does at
  /// \p element.
  RankId renumbered(RankId rank, const RotationGroup::Element &element) const;
  /// The collective of folded programs: buffers have the sizes and aliases of \p collective.
  Collective fold(const Collective &collective) const;

private:
  /// The smallest group with a number for each of \p distances; no factors if it has more than
  /// \p most elements.
  static FoldedRanks numbered(const RotationGroup &group,
                              const std::set<RotationGroup::Element> &distances, uint64_t most);
  RankId rankOf(const RotationGroup::Element &element) const;

  RotationGroup quotient;           ///< only its sizes are used
  std::vector<uint32_t> wholeSizes; ///< of the group
  /// The elements of the distances, where these are numbered.
  std::map<RotationGroup::Element, RotationGroup::Element> numbers;
};

/// The ranks for a program with \p program's messages.
FoldedRanks foldedRanks(const SymmetricProgram &program);

FailureOr<ChunkProgram> fold(const SymmetricProgram &program, const FoldedRanks &ranks,
                             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SYMMETRY_SYMMETRICPROGRAM_H
