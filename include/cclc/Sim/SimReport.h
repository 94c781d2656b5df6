//===- SimReport.h - What a simulation tells its user -----------*- C++ -*-===//

#ifndef CCL_SIM_SIMREPORT_H
#define CCL_SIM_SIMREPORT_H

#include "cclc/Sim/Conditions.h"
#include "cclc/Sim/Costs.h"
#include "cclc/Sim/CutBounds.h"
#include "cclc/Sim/Engine.h"

namespace cclc {

/// One row: a plan simulated for one size. Per run where nothing else is said.
struct SizeReport {
  Bytes bytes;
  uint32_t pieces;
  SimTime time;
  /// Of the first run, and of each further one: steady state. Equal for one run.
  SimTime firstRun, furtherRun;
  /// Bytes per second: the buffer over the time, and the same times the factor by
  /// which the collective's hardware cost exceeds it (2(R-1)/R for all-reduce).
  uint64_t algorithmBandwidth, busBandwidth;
  uint64_t messages, steps;
  CauseTimes causes; ///< summed over all threadblocks
  struct UsedLink {
    LinkId link;
    LinkUse use;
  };
  std::vector<UsedLink> links; ///< those that carry something, the busiest first
  uint32_t presentLinks = 0;   ///< of the machine
  /// Over all runs together: by threadblock, exactly, and the critical path.
  std::vector<CauseTimes> threadblocks;
  std::vector<PathSegment> criticalPath;
  /// Of the critical path, if it was recorded and the program has phases; of one run.
  std::vector<PhaseTime> phases;
  std::optional<bool> dataOk; ///< unset: not checked
  /// The cut that takes any algorithm longest, if one takes any time.
  std::optional<CutBound> bound;

  /// How long the critical path goes through each cause.
  CauseTimes causesOnPath() const;
};

/// The time if one resource were free.
struct WhatIf {
  std::string what; ///< "bandwidth of n0 <-> n1"
  /// Of the target, PATH=VALUE each; none: another option.
  std::vector<std::string> settings;
  SimTime time;
  /// "--set A --set B"; empty where that is too long for people, or nothing.
  std::string options() const;
};

struct SimReport {
  TargetStamp target;
  std::string network;
  Slots slots = defaultSlots;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  uint32_t repeat = 1;
  RunConditions conditions;
  /// Whether all sizes were simulated: not if an interrupt came first.
  bool complete = false;
  std::vector<SizeReport> sizes;
  /// Of the last size, what its critical path goes through; empty: not recorded.
  std::vector<Cost> costs;
  /// Of the last size; what gains most first.
  std::vector<WhatIf> whatIf;
};

/// Of \p repeat runs that took result.time together.
SizeReport makeSizeReport(const BoundPlan &plan, const Sizing &sizing, SimResult result,
                          uint32_t repeat);

} // namespace cclc

#endif // CCL_SIM_SIMREPORT_H
