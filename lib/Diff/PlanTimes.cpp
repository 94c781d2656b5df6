//===- PlanTimes.cpp - Two plans on the same machines ---------------------===//
//
// Each size is proved with the slots of the machine before it is simulated. Critical paths are
// recorded while they fit into memory.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Sim/SizeSimulation.h"

using namespace cclc;
using namespace cclc::diff;

namespace {
/// The maximum number of executions that are recorded for a critical path: about 2 GB.
constexpr uint64_t maxRecorded = 40'000'000;

/// A plan on one machine.
struct Side {
  BoundPlan bound;
  SizeVerifier verifier;

  Side(BoundPlan on, const Figures &figures)
      : bound(std::move(on)), verifier(bound, figures.proof.slotsNeeded) {}

  FailureOr<SizeResult> simulate(StringRef network, uint64_t bytes, DataType type,
                                 DiagnosticEngine &diags) {
    FailureOr<Sizing> sizing = proveSize(bound, verifier, Bytes(bytes), type, diags);
    if (failed(sizing))
      return failure();
    SimOptions options;
    options.criticalPath = sizing->executions(bound) <= maxRecorded;
    FailureOr<SimResult> result = simulateProved(bound, *sizing, network, options, diags);
    if (failed(result))
      return failure();
    return makeSizeResult(bound, *sizing, std::move(*result), /*repeat=*/1);
  }
};
} // namespace

LogicalResult diff::addTimes(const TimesRequest &request, DiffResult &result,
                             DiagnosticEngine &diags) {
  const PlanDiff &plans = result.diff;
  return addTimesOnTargets(request, result, diags, [&](const Machine &machine, AddTimes add) {
    auto bind = [&](const ExecPlan &plan) {
      return BoundPlan::create(plan, machine, request.slots.value_or(machine.slotsFor(plan.info())),
                               diags);
    };
    FailureOr<BoundPlan> oldBound = bind(*plans.before), newBound = bind(*plans.after);
    if (failed(oldBound) || failed(newBound))
      return failure();
    if (failed(checkPlan(*plans.after, machine, newBound->slots, diags)))
      return diags.fail(Failure::Unfit);
    Side before(std::move(*oldBound), plans.figuresBefore),
        after(std::move(*newBound), plans.figuresAfter);
    auto timeOf = [&](Side &side) {
      return [&](StringRef network, uint64_t bytes, DataType type) {
        return side.simulate(network, bytes, type, diags);
      };
    };
    return failed(add(timeOf(before), timeOf(after))) ? diags.fail(Failure::Wrong) : success();
  });
}
