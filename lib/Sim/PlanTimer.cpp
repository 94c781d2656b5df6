#include "cclc/Sim/PlanTimer.h"

using namespace cclc;

FailureOr<SizedRun> PlanTimer::run(StringRef network, Bytes bytes, DataType type,
                                   const SimOptions &options, DiagnosticEngine &diags) {
  FailureOr<Sizing> sizing = prove(bytes, type, diags);
  if (failed(sizing))
    return failure();
  FailureOr<SimResult> result = simulateProved(*onMachine, *sizing, network, options, diags);
  if (failed(result))
    return failure();
  return SizedRun{*sizing, std::move(*result)};
}
