//===- Costs.h - Costs on the critical path, with advice --------*- C++ -*-===//
//
// The critical path, summed into a few kinds of cost that a user can influence. They add up to the
// time, and each has advice that is derived from the run.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_COSTS_H
#define CCL_SIM_COSTS_H

#include "cclc/Sim/CriticalPath.h"
#include "cclc/Sim/PlacedPlan.h"

#include <string>
#include <vector>

namespace cclc {

struct SizeResult;

/// One kind of cost on the critical path.
struct Cost {
  enum class Kind : uint8_t {
    Launch,     ///< before the first step, or until the host can launch again
    Engine,     ///< dispatch, slot accesses, arithmetic, copies
    Latency,    ///< the time that empty messages would take
    Bandwidth,  ///< the rest of the time of messages on links and into slots
    Contention, ///< messages waiting for links
    Slot,       ///< sends waiting for a free slot
  };
  Kind kind;
  SimTime time; ///< on the critical path, over all runs
  LocId line;   ///< the source line and phase with the largest part of it
  uint32_t phase = 0;
  SimTime timeOfLine;
  std::string help;
};
/// "launch", "engines", "latency of links", "bandwidth of links", "contention", "full slots".
StringRef costName(Cost::Kind kind);

/// The time of the critical path in one phase of the program.
struct PhaseTime {
  std::string phase; ///< empty for the launch and for steps outside phases
  SimTime time;
};

/// "all-gather", or if the plan has several calls, "all-gather of allreduce 2" with the user
/// generation. Empty for steps outside phases.
std::string phaseName(const ProgramInfo &info, uint32_t phase);

/// The times of the phases on \p path, in the order of the phases, which add up to its length.
/// Empty if the program has no phases.
std::vector<PhaseTime> phaseTimes(ArrayRef<PathSegment> path, ShownPlan plan);

/// The costs of \p size, whose critical path was recorded, the largest first, without zeros.
std::vector<Cost> costsOf(const SizeResult &size, const PlacedPlan &plan);

} // namespace cclc

#endif // CCL_SIM_COSTS_H
