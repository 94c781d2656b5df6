//===- RotationGroup.h - Commuting renumberings of ranks --------*- C++ -*-===//
//
// A group Z_n1 x ... x Z_nk that renumbers ranks and chunks. Factor k rotates one digit of the
// rank, (rank / rankStride) % size, and one digit of the chunk indices of input and output, each by
// the same amount modulo size. Different factors rotate different digits, so that they commute.
// Scratch is local to a rank and is not renumbered.
//
// The digits of a rank that the factors rotate are its element of the group; ranks that differ in
// other digits only have different classes. The relative index of a cell is its index with the
// rank's element subtracted from its digits: a renumbering changes the rank of a cell, and not its
// class and relative index.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_ROTATIONGROUP_H
#define CCL_SYMMETRY_ROTATIONGROUP_H

#include "cclc/IR/ProgramInfo.h"

#include <string>

namespace cclc {

class RotationGroup {
public:
  /// One digit for each factor.
  using Element = std::vector<uint32_t>;

  RotationGroup() = default;
  explicit RotationGroup(std::vector<RotationFactor> factors) : theFactors(std::move(factors)) {}

  ArrayRef<RotationFactor> factors() const { return theFactors; }
  /// The strides of chunk digits that the post-condition requires where a buffer has chunks of all
  /// ranks; elsewhere \p chunkStride.
  static RotationFactor factorFor(const Collective &collective, uint32_t size, uint32_t rankStride,
                                  uint32_t chunkStride);
  /// Why these factors are no group of renumberings of \p collective; empty if they are.
  std::string findFault(const Collective &collective) const;

  uint64_t order() const;
  /// The element with this number in lexicographic order.
  Element element(uint64_t number) const;
  Element identity() const { return Element(theFactors.size(), 0); }
  Element sum(const Element &a, const Element &b) const;
  Element difference(const Element &a, const Element &b) const;

  uint32_t rotateRank(uint32_t rank, const Element &by) const;
  /// The index of the first of \p count chunks, which keepsRange().
  uint32_t rotateIndex(Buffer buffer, uint32_t index, const Element &by, uint32_t count = 1) const;
  /// Whether every renumbering maps the range to a range. For each factor, the range either lies
  /// between two multiples of the stride, or has whole periods of size * stride chunks: the factor
  /// permutes their chunks, and the range stays where it is.
  bool keepsRange(Buffer buffer, uint32_t index, uint32_t count) const;
  /// Whether every renumbering maps the range to a range with the same order of its chunks: no
  /// factor permutes them.
  bool keepsOrder(Buffer buffer, uint32_t index, uint32_t count) const;
  /// Whether every factor permutes the chunks of two ranges alike, so that it maps an operation on
  /// both, chunk by chunk, to such an operation.
  bool permutesAlike(Buffer a, uint32_t indexOfA, Buffer b, uint32_t indexOfB,
                     uint32_t count) const;

  Element elementOf(uint32_t rank) const;
  /// Classes are numbered by ascending ranks.
  uint32_t numClasses(uint32_t ranks) const { return ranks / order(); }
  uint32_t classOf(uint32_t rank) const;
  uint32_t rankOf(uint32_t rankClass, const Element &element) const;
  uint32_t relativeIndex(Buffer buffer, uint32_t index, const Element &ofRank,
                         uint32_t count = 1) const {
    return rotateIndex(buffer, index, difference(identity(), ofRank), count);
  }

  friend bool operator==(const RotationGroup &, const RotationGroup &) = default;

private:
  std::vector<uint32_t> byStride() const;
  std::vector<RotationFactor> theFactors;
};

} // namespace cclc

#endif // CCL_SYMMETRY_ROTATIONGROUP_H
