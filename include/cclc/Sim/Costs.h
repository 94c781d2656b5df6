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
  LocId line;   ///< the source line that has most of it
  SimTime timeOfLine;
  std::string help;
};
/// "launch", "engines", "latency of links", "bandwidth of links", "contention", "full slots".
StringRef costName(Cost::Kind kind);

/// What \p size, whose critical path was recorded, costs: the most first, nothing that is zero.
std::vector<Cost> costsOf(const SizeReport &size, const BoundPlan &plan);

} // namespace cclc

#endif // CCL_SIM_COSTS_H
