//===- RelativeValue.h - Sums of contributions of many ranks ----*- C++ -*-===//
//
// The value of a cell, as seen from the rank that holds it: the sum over a set of ranks, named by
// their distances from the holder, of one input chunk, named by its index relative to the holder.
// The set is a list of disjoint boxes, each a product of cyclic intervals of distances, one for
// each factor of the group. Every value of a right plan has this form: a sum of different chunks,
// or one with a contribution twice, never becomes a required output.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SYMMETRY_ROLLED_RELATIVEVALUE_H
#define CCL_LIB_SYMMETRY_ROLLED_RELATIVEVALUE_H

#include "cclc/Symmetry/RotationGroup.h"

namespace cclc {

class RelativeValue {
public:
  using Element = RotationGroup::Element;

  /// Undefined.
  RelativeValue() = default;
  /// Input chunk \p index of the holder.
  static RelativeValue input(const RotationGroup &group, uint32_t index);

  /// The same value on the rank at \p distance from the holder.
  RelativeValue movedBy(const RotationGroup &group, const Element &distance) const;
  RelativeValue plus(const RotationGroup &group, const RelativeValue &other) const;

  /// Why this is not the sum over all ranks of chunk \p index; empty if it is.
  std::string differenceFromSum(const RotationGroup &group, uint32_t index) const;
  /// Why this is not chunk \p index of the rank at \p distance; empty if it is.
  std::string differenceFromChunk(const RotationGroup &group, const Element &distance,
                                  uint32_t index) const;

private:
  enum class State : uint8_t { Undefined, Sum, Twice, Mixed };
  struct Interval {
    uint32_t first, length;
    friend bool operator==(const Interval &, const Interval &) = default;
  };
  using Box = std::vector<Interval>; ///< by factor

  explicit RelativeValue(State state) : state(state) {}
  static bool intersect(const RotationGroup &group, const Box &a, const Box &b);
  static bool join(const RotationGroup &group, Box &a, const Box &b);
  void add(const RotationGroup &group, Box box);
  uint64_t contributions() const;
  std::string fault(uint32_t index) const;

  State state = State::Undefined;
  uint32_t index = 0;
  std::vector<Box> boxes;
};

} // namespace cclc

#endif // CCL_LIB_SYMMETRY_ROLLED_RELATIVEVALUE_H
