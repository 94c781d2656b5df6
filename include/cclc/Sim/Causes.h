//===- Causes.h - What the time of a run goes into --------------*- C++ -*-===//

#ifndef CCL_SIM_CAUSES_H
#define CCL_SIM_CAUSES_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include <array>

namespace cclc {

/// What a threadblock spends its time on.
enum class Cause : uint8_t {
  Launch,     ///< before anything begins
  Engine,     ///< dispatch, slot accesses, arithmetic, copies, or waiting for these
  Link,       ///< a message that is on its way without being held up
  Contention, ///< a message that waits for links
  Slot,       ///< no free slot to send to
  Dependence, ///< another threadblock, also to end a run, or a message that is not sent yet
};
inline constexpr unsigned numCauses = 6;
/// "launch", "engine", "link", "contention", "slot", "dependence".
StringRef causeName(Cause cause);

using CauseTimes = std::array<SimTime, numCauses>;

} // namespace cclc

#endif // CCL_SIM_CAUSES_H
