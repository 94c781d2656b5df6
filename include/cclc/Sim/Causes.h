//===- Causes.h - Causes of time --------------------------------*- C++ -*-===//

#ifndef CCL_SIM_CAUSES_H
#define CCL_SIM_CAUSES_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include <array>

namespace cclc {

/// The causes by which the time of a threadblock is divided.
enum class Cause : uint8_t {
  Launch,     ///< before the first step
  Engine,     ///< dispatch, slot accesses, arithmetic, copies, or waits for these
  Link,       ///< a message in transit, without contention
  Contention, ///< a message that waits for links
  Slot,       ///< no free slot to send to
  Dependence, ///< a wait for another threadblock, for the end of a run, or for a message that is
              ///< not sent yet
};
inline constexpr unsigned numCauses = 6;
/// "launch", "engine", "link", "contention", "slot", "dependence".
StringRef causeName(Cause cause);

using CauseTimes = std::array<SimTime, numCauses>;

} // namespace cclc

#endif // CCL_SIM_CAUSES_H
