//===- Prediction.cpp - The simulated times of a run ----------------------===//
//
// The target's own slots and network apply: a prediction is what `ccl-sim PLAN --target T` reports.
//
//===----------------------------------------------------------------------===//

#include "Prediction.h"

#include "cclc/Sim/Engine.h"
#include "cclc/Sim/Network/Network.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

FailureOr<Prediction> Prediction::create(const ExecPlan &plan, const std::string &target,
                                         const std::string &targetDir, DiagnosticEngine &diags,
                                         ArrayRef<TargetOverride> overrides) {
  FailureOr<Machine> loaded = loadTargetFor(
      &plan.info(), TargetRequest{target, targetDir, overrides.vec(), std::nullopt}, diags);
  if (failed(loaded))
    return failure();
  Prediction prediction(std::move(*loaded));
  const Machine &machine = *prediction.machine;
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  if (failed(placed))
    return failure();
  prediction.placed = std::make_unique<PlacedPlan>(std::move(*placed));
  return prediction;
}

LogicalResult Prediction::trace(Bytes size, DataType type, const TracePart &part, raw_ostream &os,
                                DiagnosticEngine &diags) const {
  FailureOr<Sizing> sizing = Sizing::create(*placed, size, type, diags);
  if (failed(sizing))
    return failure();
  ChromeTrace trace(*placed, *sizing, os, &part);
  SimOptions options;
  options.listeners = {&trace};
  SimResult result =
      simulate(*placed, *sizing, *createNetwork(machine->network, placed->routes), options);
  trace.finish(result.time, {{"target", machine->stamp.title()}});
  return success();
}

FailureOr<SimTime> Prediction::at(Bytes size, DataType type, DiagnosticEngine &diags) const {
  FailureOr<Sizing> sizing = Sizing::create(*placed, size, type, diags);
  if (failed(sizing))
    return failure();
  SimResult result =
      simulate(*placed, *sizing, *createNetwork(machine->network, placed->routes), {});
  if (!result.completed)
    return diags.error(
        {}, formatv("the plan does not complete with {0} bytes in the simulation", size.count()));
  return result.time;
}
