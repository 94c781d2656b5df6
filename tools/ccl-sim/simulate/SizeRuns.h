//===- SizeRuns.h - Simulating a plan for several sizes ---------*- C++ -*-===//
//
// For every size, ccl-sim proves that it is safe, simulates it and compares its data. Sizes are
// independent, so several may run in parallel; results and their order do not depend on this.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_SIZERUNS_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_SIZERUNS_H

#include "SweepOutput.h"
#include "cclc/Views/Report/RunSettings.h"

#include "cclc/Sim/Simulator.h"

namespace cclc {

/// The maximum number of executions that are recorded for critical paths: about 5 GB.
inline constexpr uint64_t maxRecorded = 100'000'000;

struct SizeRunRequest {
  Simulator &simulator;
  DataType type = DataType::F32;
  /// Files for a GOAL schedule, Chakra traces (their prefix) and a trace of the only size.
  std::optional<std::string> goal, chakra, trace;
  std::vector<RunSetting> header; ///< of the trace
  unsigned jobs = 1;
};

/// Simulates \p sizes and adds each to \p report in order. Returns Success, Wrong if a size was
/// unsafe or too large for a memory, or its data were wrong, which was reported, or another exit
/// code.
ExitCode runSizes(const SizeRunRequest &request, ArrayRef<uint64_t> sizes, SweepOutput &report,
                  Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_SIZERUNS_H
