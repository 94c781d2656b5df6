//===- PlanSimulation.h - The simulation of one plan ------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_PLANSIMULATION_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_PLANSIMULATION_H

#include "SimArguments.h"
#include "WhatIfRuns.h"

#include "cclc/Sim/Simulator.h"

namespace cclc {

/// A proved plan, with what is different for plans of steps and of MSCCL++.
struct PlanSimulation {
  Simulator &simulator;
  /// The resources of the machine that limit a size, for --what-if.
  std::function<std::vector<WhatIfCandidate>(const SizeResult &)> resources;
  /// The time of the last size on other machines.
  std::function<TimeOnMachine(const SweepResult &)> timeOnOthers;
  std::function<AdviceResult(const SweepResult &)> advise;
};

/// The settings of a simulation with the options of \p args, but skew and random data.
SimulatorSettings settingsOf(const SimArguments &args, const Machine &machine,
                             DiagnosticEngine &diags);

/// Simulates all sizes, and adds the results that require further runs: what-if, advice and the
/// report.
ExitCode simulateSizes(const SimArguments &args, const PlanSimulation &plan, Progress &progress,
                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_PLANSIMULATION_H
