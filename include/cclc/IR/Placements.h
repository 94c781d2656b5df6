//===- Placements.h - Input and output in one memory or two -----*- C++ -*-===//

#ifndef CCL_IR_PLACEMENTS_H
#define CCL_IR_PLACEMENTS_H

#include "cclc/Support/LLVM.h"

namespace cclc {

/// Whether input and output are the same memory, according to the alias map of the collective, or
/// separate with a read-only input.
enum class Placement : uint8_t { InPlace, OutOfPlace };

inline StringRef placementText(Placement placement) {
  return placement == Placement::InPlace ? "in place" : "out of place";
}

/// The placements that a program or plan supports: at least one.
class Placements {
public:
  static constexpr Placements inPlace() { return Placements(true, false); }
  static constexpr Placements outOfPlace() { return Placements(false, true); }
  static constexpr Placements both() { return Placements(true, true); }
  constexpr Placements(bool inPlace, bool outOfPlace) : in(inPlace), out(outOfPlace) {}

  constexpr bool allowsInPlace() const { return in; }
  constexpr bool allowsOutOfPlace() const { return out; }
  /// The placements in the order in place, out of place.
  SmallVector<Placement, 2> list() const {
    SmallVector<Placement, 2> result;
    if (in)
      result.push_back(Placement::InPlace);
    if (out)
      result.push_back(Placement::OutOfPlace);
    return result;
  }
  friend constexpr bool operator==(Placements, Placements) = default;

private:
  bool in, out;
};

} // namespace cclc

#endif // CCL_IR_PLACEMENTS_H
