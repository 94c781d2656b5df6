#include "cclc/Sim/Mscclpp/PlacedExecutable.h"

#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/Mscclpp/Simulator.h"

using namespace cclc;

FailureOr<PlacedExecutable>
PlacedExecutable::create(const std::variant<ExecPlan, mscclpp::Plan> &plan, const Machine &machine,
                         Slots slots, DiagnosticEngine &diags) {
  auto own = [](auto placed) -> FailureOr<PlacedExecutable> {
    if (failed(placed))
      return failure();
    return PlacedExecutable(std::move(*placed));
  };
  if (const ExecPlan *steps = std::get_if<ExecPlan>(&plan))
    return own(PlacedPlan::create(*steps, machine, slots, diags));
  return own(mscclpp::PlacedPlan::create(std::get<mscclpp::Plan>(plan), machine, diags));
}

std::unique_ptr<Simulator> PlacedExecutable::prove(SimulatorSettings settings,
                                                   DiagnosticEngine &diags) const {
  if (const auto *steps = std::get_if<PlacedPlan>(&placed)) {
    PlanProof proof = provePlan(*steps, diags);
    return proof.verdict == Verdict::Ok
               ? createSimulator(*steps, proof.slotsNeeded, std::move(settings))
               : nullptr;
  }
  Verdict verdict = mscclpp::verifyForExecutor(operations()->plan, diags).verdict;
  if (verdict == Verdict::Ok)
    return mscclpp::createSimulator(*operations(), std::move(settings));
  (void)diags.fail(failureOf(verdict));
  return nullptr;
}
