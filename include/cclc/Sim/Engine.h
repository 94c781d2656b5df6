//===- Engine.h - Discrete-event execution of a plan ------------*- C++ -*-===//
//
// Executes every step of every threadblock on the machine: what a step waits for
// (a step of its rank, a message, a slot), the stream and the engines of its PE,
// the network. One clock in integer picoseconds; events at the same time happen
// in the order in which they were scheduled, so that nothing depends on addresses
// or on the host.
//
// The time of every threadblock is split without rest into the causes below. The
// engine prints nothing; listeners see each step as it begins.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_ENGINE_H
#define CCL_SIM_ENGINE_H

#include "cclc/Sim/Network.h"

#include <array>

namespace cclc {

/// What a threadblock spends its time on.
enum class Cause : uint8_t {
  Launch,     ///< before anything begins
  Engine,     ///< dispatch, slot accesses, arithmetic, copies, or waiting for these
  Link,       ///< a message that is on its way without being held up
  Contention, ///< a message that waits for links
  Slot,       ///< no free slot to send to
  Dependence, ///< another threadblock, or a message that is not sent yet
};
inline constexpr unsigned numCauses = 6;
/// "launch", "engine", "link", "contention", "slot", "dependence".
StringRef causeName(Cause cause);

using CauseTimes = std::array<SimTime, numCauses>;

/// Sees what happens, in the order in which it happens.
class SimListener {
public:
  virtual ~SimListener() = default;
  /// Everything that \p step of \p threadblock needs is there and it executes.
  virtual void stepBegins(uint32_t threadblock, uint32_t step, uint32_t piece, SimTime now) {
    (void)threadblock, (void)step, (void)piece, (void)now;
  }
  virtual void stepEnds(uint32_t threadblock, uint32_t step, uint32_t piece, SimTime now) {
    (void)threadblock, (void)step, (void)piece, (void)now;
  }
};

struct SimResult {
  /// False when some threadblocks could not go on: a deadlock.
  bool completed = false;
  SimTime time;
  uint64_t messages = 0;
  uint64_t steps = 0;
  uint64_t events = 0;
  /// By threadblock, and when each was done.
  std::vector<CauseTimes> causes;
  std::vector<SimTime> finished;
  std::vector<LinkUse> links;
};

/// Runs the plan once for one message size, or \p repeat times back to back.
SimResult simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                   ArrayRef<SimListener *> listeners = {}, uint32_t repeat = 1);

} // namespace cclc

#endif // CCL_SIM_ENGINE_H
