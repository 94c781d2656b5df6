//===- Report.h - What a simulation tells its user --------------*- C++ -*-===//

#ifndef CCL_SIM_REPORT_H
#define CCL_SIM_REPORT_H

#include "cclc/Sim/Engine.h"

namespace cclc {

/// One row: a plan simulated for one size. Everything is per run.
struct SizeReport {
  Bytes bytes;
  uint32_t pieces;
  SimTime time;
  /// Bytes per second: the buffer over the time, and the same times the factor by
  /// which the collective's hardware cost exceeds it (2(R-1)/R for all-reduce).
  uint64_t algorithmBandwidth, busBandwidth;
  uint64_t messages, steps;
  CauseTimes causes; ///< summed over all threadblocks
  struct BusyLink {
    LinkId link;
    Bytes bytes;
    SimTime busy;
  };
  std::vector<BusyLink> busiest;
  std::optional<bool> dataOk; ///< unset: not checked
};

struct SimReport {
  std::string plan, target, network;
  std::string collective;
  uint32_t ranks = 0;
  Slots slots = defaultSlots;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  std::vector<SizeReport> sizes;
};

/// \p repeat runs took result.time together.
SizeReport makeSizeReport(const BoundPlan &plan, const Sizing &sizing, const SimResult &result,
                          uint32_t repeat);

/// For people: a table over the sizes, then where the time went.
void printSummary(const SimReport &report, const Machine &machine, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeJson(const SimReport &report, const Machine &machine, raw_ostream &os);

} // namespace cclc

#endif // CCL_SIM_REPORT_H
