//===- Engine.h - Discrete-event execution of a plan ------------*- C++ -*-===//
//
// Executes every step of every threadblock on the machine: what a step waits for
// (a step of its rank, a message, a slot), the stream and the engines of its PE,
// the network. One clock in integer picoseconds; events at the same time happen
// in the order in which they were scheduled, so that nothing depends on addresses
// or on the host.
//
// The time of every threadblock is split without rest into the causes below. The
// engine prints nothing; listeners (Listener.h) see what happens.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_ENGINE_H
#define CCL_SIM_ENGINE_H

#include "cclc/Network/Network.h"
#include "cclc/Semantics/Gates.h"
#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/CriticalPath.h"
#include "cclc/Sim/Listener.h"

#include <functional>

namespace cclc {

struct SimResult {
  /// False when some threadblocks could not go on: a deadlock, or a message that is of
  /// another generation than the step that receives it.
  bool completed = false;
  /// A phase whose gate was already closed; a rank that reaches it is blocked.
  std::optional<ClosedGate> closedGate;
  SimTime time;
  /// When the last rank had ended the first of several runs.
  SimTime firstRun;
  uint64_t messages = 0;
  uint64_t steps = 0;
  uint64_t events = 0;
  /// By threadblock, and when each was done.
  std::vector<CauseTimes> causes;
  std::vector<SimTime> finished;
  std::vector<LinkUse> links;
  /// From 0 to time; empty unless asked for.
  std::vector<PathSegment> criticalPath;
};

/// A rank with a start delay or slower engines.
struct Skew {
  SimTime start;            ///< delay after the launch
  uint32_t permille = 1000; ///< time of its engines, in thousandths of the normal time
};

struct SimOptions {
  /// Runs, back to back: a rank begins the next one when all its threadblocks have ended
  /// the last and its results are in memory. Ranks are not synchronised with each other.
  uint32_t repeat = 1;
  std::vector<Skew> skew; ///< by rank; empty: none
  bool criticalPath = false;
  /// Delays every step and every message by a random time of up to a microsecond to explore other
  /// interleavings. For tests: the times are meaningless.
  std::optional<uint64_t> randomSchedule;
  std::vector<SimListener *> listeners;
  /// Called now and then with the steps that have been executed.
  std::function<void(uint64_t)> onProgress;
};

/// Runs the plan for one message size.
SimResult simulate(const BoundPlan &plan, const Sizing &sizing, NetworkModel &network,
                   const SimOptions &options = {});

} // namespace cclc

#endif // CCL_SIM_ENGINE_H
