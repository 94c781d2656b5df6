//===- ConcurrentCommand.h - ccl-sim --plan ---------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_CONCURRENTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_CONCURRENTCOMMAND_H

#include "PlanOption.h"

#include "cclc/Tools/Cli/Output.h"

#include "cclc/IR/Slots.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Target/Loader.h"

namespace cclc {

/// The options of a simulation of several plans.
struct ConcurrentRequest {
  std::vector<PlanOption> plans;
  std::optional<std::string> target, network, json, dumpTarget;
  std::string targetDir;
  std::vector<TargetOverride> overrides;
  std::optional<Slots> slots; ///< unset: those of the target
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  bool checkData = false, criticalPath = false;
  std::optional<uint64_t> seed;  ///< of random data
  uint32_t repeat = 1;           ///< runs of each plan
  std::vector<std::string> skew; ///< the values of --skew, for endpoints
  unsigned jobs = 1;             ///< runs in parallel: each plan alone, and all together
  bool summarise = true;
};

/// Proves the plans, simulates each alone and all together, and writes the report.
ExitCode runConcurrent(const ConcurrentRequest &request, Progress &progress,
                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CONCURRENTCOMMAND_H
