#include "TraceOption.h"

#include "cclc/Cli/Output.h"

#include "cclc/Report/ChromeTrace.h"

using namespace cclc;

FailureOr<SimResult> cclc::simulateTraced(StringRef path, ArrayRef<RunSetting> settings,
                                          const BoundPlan &plan, const Sizing &sizing,
                                          NetworkModel &network, const SimOptions &options,
                                          DiagnosticEngine &diags) {
  SimResult result;
  auto write = [&](raw_ostream &os) {
    ChromeTrace trace(plan, sizing, os);
    SimOptions traced = options;
    traced.listeners.push_back(&trace);
    result = simulate(plan, sizing, network, traced);
    trace.finish(result.time, settings);
  };
  if (failed(writeFile(path, write, diags)))
    return failure();
  return result;
}
