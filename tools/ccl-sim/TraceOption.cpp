#include "TraceOption.h"

#include "cclc/Tools/Cli/Output.h"

#include "cclc/Views/Report/ChromeTrace.h"

using namespace cclc;

FailureOr<SimResult> cclc::simulateTraced(StringRef path, ArrayRef<RunSetting> settings,
                                          const BoundPlan &plan, const Sizing &sizing,
                                          NetworkModel &network, const SimOptions &options,
                                          DiagnosticEngine &diags) {
  SimResult result;
  auto write = [&](raw_ostream &os) {
    result = writeTrace(plan, sizing, settings, os, [&](SimListener &listener) {
      SimOptions traced = options;
      traced.listeners.push_back(&listener);
      return simulate(plan, sizing, network, traced);
    });
  };
  if (failed(writeFile(path, write, diags)))
    return failure();
  return result;
}
