//===- ConcurrentOutput.h - Several plans in text and in JSON ---*- C++ -*-===//
//
// The times of plans that run at once, each beside its time alone, and the links that several of
// them use.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTOUTPUT_H
#define CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTOUTPUT_H

#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// One of the plans.
struct ConcurrentRow {
  std::string file, title; ///< the file, and the whole argument
  const PlanOnMachine &bound;
  SimTime start;
  uint32_t firstRank = 0; ///< as on the command line
  SizeResult alone;
  /// Times are relative to the start; the links are unused.
  SizeResult together;
};

struct ConcurrentReport {
  const Machine &machine;
  std::string network;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  uint32_t repeat = 1; ///< runs of each plan
  RunConditions conditions = {};
  std::vector<ConcurrentRow> plans = {};
  SimTime end = {};                ///< of the last plan
  std::vector<LinkUse> links = {}; ///< of all runs of all plans together, by link
};

void printConcurrent(const ConcurrentReport &report, raw_ostream &os);
/// Writes the report as JSON; docs/CommandGuide/ccl-sim.md documents the keys.
void writeConcurrentJson(const ConcurrentReport &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTOUTPUT_H
