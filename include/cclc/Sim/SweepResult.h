//===- SweepResult.h - Results of a simulation ------------------*- C++ -*-===//

#ifndef CCL_SIM_SWEEPRESULT_H
#define CCL_SIM_SWEEPRESULT_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Sim/Advice.h"
#include "cclc/Sim/Conditions.h"
#include "cclc/Sim/Costs.h"
#include "cclc/Sim/Engine.h"
#include "cclc/Sim/SizeMemory.h"

namespace cclc {

/// The ratio of bus bandwidth to algorithm bandwidth, as a fraction.
std::pair<uint64_t, uint64_t> busFactor(const Collective &collective);

/// The result of a plan for one size. Values are per run unless noted otherwise.
struct SizeResult {
  Bytes bytes;
  uint32_t pieces;
  SimTime time;
  /// The time of the first run, and of each further one (the steady state). Equal if there is one
  /// run.
  SimTime firstRun, furtherRun;
  /// In bytes per second. The algorithm bandwidth is the buffer over the time; the bus bandwidth
  /// multiplies it by the factor for the traffic of the collective (2(R-1)/R for all-reduce).
  uint64_t algorithmBandwidth, busBandwidth;
  uint64_t messages, steps;
  CauseTimes causes; ///< summed over all threadblocks
  struct UsedLink {
    LinkId link;
    LinkUse use;
  };
  std::vector<UsedLink> links; ///< links with traffic, the busiest first
  uint32_t presentLinks = 0;   ///< number of present links of the machine
  /// Sums over all runs: the exact causes of each threadblock, and the critical path.
  std::vector<CauseTimes> threadblocks;
  std::vector<PathSegment> criticalPath;
  /// The phases on the critical path, per run, if it was recorded and the program has phases.
  std::vector<PhaseTime> phases;
  std::optional<bool> dataOk; ///< unset if not checked
  /// The lower bounds for any algorithm, if there are any.
  std::optional<SizeBound> bound;

  /// What the rank that needs most of a memory needs, for each memory of the machine.
  std::vector<MemoryNeed> memory;

  /// The time of each cause on the critical path.
  CauseTimes causesOnPath() const;
};

/// The effect of making one resource free, or faster.
struct WhatIf {
  std::string what; ///< "bandwidth of n0 <-> n1"
  /// The equivalent settings of the target, each PATH=VALUE; empty for an option of another kind.
  std::vector<std::string> settings;
  SimTime time;
  /// The times if the resource is 1 % faster, 10 % faster, and twice as fast.
  struct Faster {
    SimTime percent, tenPercent, twice;
  };
  std::optional<Faster> faster; ///< unset if the resource can only be used or not
  /// Whether the gain over \p normal never falls from one of these speeds to the next. If it does,
  /// the times show how sensitive the run is to the order of events, and not what the resource
  /// costs.
  bool isMonotone(SimTime normal) const;
  /// "--set A --set B"; empty if there are none or too many to be useful.
  std::string options() const;
};

struct WhatIfResult {
  std::vector<WhatIf> rows;  ///< those with monotone gains, in descending order of the gain
  std::vector<WhatIf> noise; ///< the others, in the same order
  /// The link, class of links or engine of `rows` with the largest gain if it is 1 % faster; empty
  /// if none has one.
  std::string best;
};

struct SweepResult {
  TargetStamp target;
  std::string network;
  Slots slots = defaultSlots;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  uint32_t repeat = 1;
  RunConditions conditions;
  /// Whether all sizes were simulated; false after an interrupt or an error.
  bool complete = false;
  /// Why the results after the last size are missing.
  std::optional<std::string> error;
  std::vector<SizeResult> sizes;
  /// The costs on the critical path of the last size; empty if not recorded.
  std::vector<Cost> costs;
  WhatIfResult whatIf; ///< for the last size
  AdviceResult advice; ///< for the last size
};

/// Makes the report of \p repeat runs that took result.time in total.
SizeResult makeSizeResult(const PlanOnMachine &plan, const Sizing &sizing, SimResult result,
                          uint32_t repeat);

} // namespace cclc

#endif // CCL_SIM_SWEEPRESULT_H
