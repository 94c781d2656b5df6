//===- Report.h - What a simulation tells its user --------------*- C++ -*-===//

#ifndef CCL_SIM_REPORT_H
#define CCL_SIM_REPORT_H

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
  std::vector<UsedLink> links; ///< the busiest first
  /// Over all runs together: by threadblock, exactly, and the critical path.
  std::vector<CauseTimes> threadblocks;
  std::vector<PathSegment> criticalPath;
  std::optional<bool> dataOk; ///< unset: not checked
  /// The cut that takes any algorithm longest, if one takes any time.
  std::optional<CutBound> bound;

  /// How long the critical path goes through each cause.
  CauseTimes causesOnPath() const;
};

/// How the time changes when one thing costs nothing.
struct WhatIf {
  std::string what;     ///< "link n0 -> n1"
  std::string override; ///< of the target, PATH=VALUE; empty: another option
  SimTime time;
};

struct SimReport {
  std::string target, network;
  Slots slots = defaultSlots;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  uint32_t repeat = 1;
  std::vector<SizeReport> sizes;
  /// Of the last size, what its critical path goes through; empty: not recorded.
  std::vector<Cost> costs;
  /// Of the last size; what gains most first.
  std::vector<WhatIf> whatIf;
};

/// Of \p repeat runs that took result.time together.
SizeReport makeSizeReport(const BoundPlan &plan, const Sizing &sizing, SimResult result,
                          uint32_t repeat);

/// For people: a table over the sizes, then where the time of the last one went.
void printSummary(const SimReport &report, const BoundPlan &plan, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeJson(const SimReport &report, const BoundPlan &plan, raw_ostream &os);

} // namespace cclc

#endif // CCL_SIM_REPORT_H
