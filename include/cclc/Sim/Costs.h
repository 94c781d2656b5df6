//===- Costs.h - What a time is spent on, and what would help ---*- C++ -*-===//
//
// The critical path, summed up into a few things that somebody can do something
// about. They add up to the time, and each comes with advice made from the facts of
// the run.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_COSTS_H
#define CCL_SIM_COSTS_H

#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/CriticalPath.h"

#include <string>
#include <vector>

namespace cclc {

struct SizeReport;

/// One thing that the critical path goes through.
struct Cost {
  enum class Kind : uint8_t {
    Launch,     ///< before anything begins, or until the host can launch again
    Engine,     ///< dispatch, slot accesses, arithmetic, copies
    Latency,    ///< what messages would take if they were empty
    Bandwidth,  ///< the rest of their time on links and into slots
    Contention, ///< messages that wait for links that others use
    Slot,       ///< sends that wait for a free slot
  };
  Kind kind;
  SimTime time; ///< of the critical path, all runs together
  LocId line;   ///< the source line and phase that have most of it
  uint32_t phase = 0;
  SimTime timeOfLine;
  std::string help;
};
/// "launch", "engines", "latency of links", "bandwidth of links", "contention", "full slots".
StringRef costName(Cost::Kind kind);

/// How long the critical path goes through one phase of the program.
struct PhaseTime {
  std::string phase; ///< empty: the launch, and steps that are in no phase
  SimTime time;
};

/// "all-gather"; where the plan makes several calls, "all-gather of allreduce 2" with the user's
/// generation. Empty for what is in no phase.
std::string phaseName(const ProgramInfo &info, uint32_t phase);

/// In the order of the phases, those that \p path goes through. They add up to its length. None
/// where the program has no phases.
std::vector<PhaseTime> phaseTimes(ArrayRef<PathSegment> path, const ExecPlan &plan);

/// What \p size, whose critical path was recorded, costs: the most first, nothing that is zero.
std::vector<Cost> costsOf(const SizeReport &size, const BoundPlan &plan);

} // namespace cclc

#endif // CCL_SIM_COSTS_H
