//===- PlanTimes.cpp - Two plans on the same machines ---------------------===//
//
// Each size is proved with the slots of the machine before it is simulated.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Limits/PlanCheck.h"

using namespace cclc;
using namespace cclc::diff;

LogicalResult diff::addTimes(const TimesRequest &request, DiffResult &result,
                             DiagnosticEngine &diags) {
  const PlanDiff &plans = result.diff;
  return addTimesOnTargets(
      request, result, diags,
      [&](const Machine &machine, const SimulatorSettings &how, AddTimes add) {
        auto bind = [&](const ExecPlan &plan) {
          return PlacedPlan::create(plan, machine,
                                    request.slots.value_or(machine.slotsFor(plan.info())), diags);
        };
        FailureOr<PlacedPlan> oldBound = bind(*plans.before.ofSteps()),
                              newBound = bind(*plans.after.ofSteps());
        if (failed(oldBound) || failed(newBound))
          return failure();
        if (failed(checkPlan(*plans.after.ofSteps(), machine, newBound->slots, diags)))
          return diags.fail(Failure::Unfit);
        if (failed(add(*createSimulator(*oldBound, plans.figuresBefore.proof.slotsNeeded, how),
                       *createSimulator(*newBound, plans.figuresAfter.proof.slotsNeeded, how))))
          return diags.fail(Failure::Wrong);
        return success();
      });
}
