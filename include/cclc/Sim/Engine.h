//===- Engine.h - Discrete-event execution of a plan ------------*- C++ -*-===//
//
// Executes every step of every threadblock on the machine, with its waits (for a step of its rank,
// a message, a slot), the stream and the engines of its PE, and the network. The clock counts
// integer picoseconds; simultaneous events are processed in the order in which they were scheduled,
// so that results are deterministic.
//
// The time of every threadblock is completely divided into the causes of Causes.h. The engine
// prints nothing; listeners (Listener.h) receive events.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_ENGINE_H
#define CCL_SIM_ENGINE_H

#include "cclc/Proof/Gates.h"
#include "cclc/Sim/CriticalPath.h"
#include "cclc/Sim/Listener.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Sim/PlacedPlan.h"

#include <functional>

namespace cclc {

struct SimResult {
  /// False if threadblocks are blocked at the end: a deadlock, or a message whose generation
  /// differs from that of its receiver.
  bool completed = false;
  /// Whether SimOptions::until ended the simulation: the plan takes longer, if it completes.
  bool stopped = false;
  /// A phase whose gate has a higher counter; a rank that reaches it is blocked.
  std::optional<ClosedGate> closedGate;
  SimTime time;
  /// The time when the last rank ended the first of several runs.
  SimTime firstRun;
  uint64_t messages = 0;
  uint64_t steps = 0;
  uint64_t events = 0;
  /// By threadblock: its causes, and the time of its end.
  std::vector<CauseTimes> causes;
  std::vector<SimTime> finished;
  std::vector<LinkUse> links;
  /// From 0 to time; empty unless requested.
  std::vector<PathSegment> criticalPath;
};

/// A rank with a start delay or slower engines.
struct Skew {
  SimTime start;            ///< delay after the launch
  uint32_t permille = 1000; ///< time of its engines, in thousandths of the normal time
};

/// Whether any engine of the ranks of \p plan takes time; if none does, Skew::permille has no
/// effect.
bool enginesTakeTime(const PlacedPlan &plan);

struct SimOptions {
  /// The number of runs, back to back: a rank begins the next run when all its threadblocks have
  /// ended the last one and its results are in memory. Ranks are not synchronised with each other.
  uint32_t repeat = 1;
  std::vector<Skew> skew; ///< by rank; empty: none
  bool criticalPath = false;
  /// Ends the simulation of a plan that has not completed at this time.
  std::optional<SimTime> until = {};
  /// Delays every step and every message by a random time of up to a microsecond to explore other
  /// interleavings. For tests: the times are meaningless.
  std::optional<uint64_t> randomSchedule;
  std::vector<SimListener *> listeners;
  /// Called once every eventsBetweenReports events, with the number of executed steps.
  std::function<void(uint64_t)> onProgress;
};

inline constexpr uint64_t eventsBetweenReports = uint64_t(1) << 20;

/// Simulates the plan for one message size.
SimResult simulate(const PlacedPlan &plan, const Sizing &sizing, NetworkModel &network,
                   const SimOptions &options = {});

} // namespace cclc

#endif // CCL_SIM_ENGINE_H
