//===- Slots.h - The capacity of connections --------------------*- C++ -*-===//

#ifndef CCL_IR_SLOTS_H
#define CCL_IR_SLOTS_H

#include "cclc/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <optional>
#include <string>

namespace cclc {

/// The number of slots of every connection, which limits the messages that are sent but not yet
/// received.
class Slots {
public:
  static constexpr Slots unlimited() { return Slots(); }
  constexpr explicit Slots(uint32_t count) : count(count) { assert(count > 0); }
  constexpr bool isUnlimited() const { return count == 0; }
  /// Whether another message may be sent while \p inFlight others are in flight.
  constexpr bool admits(uint64_t inFlight) const { return isUnlimited() || inFlight < count; }
  constexpr uint32_t limit() const {
    assert(!isUnlimited());
    return count;
  }
  /// "8" or "inf".
  std::string str() const { return isUnlimited() ? "inf" : std::to_string(count); }
  /// "1 slot", "8 slots" or "inf slots".
  std::string phrase() const { return str() + (count == 1 ? " slot" : " slots"); }
  static std::optional<Slots> parse(StringRef text) {
    uint32_t count = 0;
    if (text != "inf" && (text.getAsInteger(10, count) || count == 0))
      return std::nullopt;
    return count ? Slots(count) : unlimited();
  }
  friend constexpr bool operator==(Slots, Slots) = default;

private:
  constexpr Slots() = default;
  uint32_t count = 0; ///< 0: no limit
};

/// The number of slots of NCCL and its relatives, if neither plan nor target sets one.
inline constexpr Slots defaultSlots(8);

} // namespace cclc

#endif // CCL_IR_SLOTS_H
