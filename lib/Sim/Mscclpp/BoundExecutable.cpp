#include "cclc/Sim/Mscclpp/BoundExecutable.h"

#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/Mscclpp/Simulator.h"

using namespace cclc;

FailureOr<BoundExecutable>
BoundExecutable::create(const std::variant<ExecPlan, mscclpp::Plan> &plan, const Machine &machine,
                        Slots slots, DiagnosticEngine &diags) {
  auto own = [](auto bound) -> FailureOr<BoundExecutable> {
    if (failed(bound))
      return failure();
    return BoundExecutable(std::move(*bound));
  };
  if (const ExecPlan *steps = std::get_if<ExecPlan>(&plan))
    return own(BoundPlan::create(*steps, machine, slots, diags));
  return own(mscclpp::BoundPlan::create(std::get<mscclpp::Plan>(plan), machine, diags));
}

std::unique_ptr<Simulator> BoundExecutable::prove(SimulatorSettings settings,
                                                  DiagnosticEngine &diags) const {
  if (const auto *steps = std::get_if<BoundPlan>(&bound)) {
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
