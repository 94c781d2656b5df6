#include "cclc/Compiler/LiftFromMscclpp.h"

#include "SchedulePlan.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/MscclppLift/Lift.h"

using namespace cclc;

FailureOr<ExecPlan> cclc::liftFromMscclpp(const mscclpp::Plan &plan, const MscclDialect *dialect,
                                          DiagnosticEngine &diags) {
  FailureOr<ChunkProgram> chunks = mscclpp::lift(plan, diags);
  if (failed(chunks))
    return failure();
  PassContext context(diags);
  PassManager optimiser, scheduler;
  if (marksSwitchOperations(chunks->info()))
    optimiser.add(formSwitchOperationsPass({.multicasts = !dialect, .adds = !dialect}));
  optimiser.add(lowerToInstrPass());
  optimiser.add(removeDeadCopiesPass());
  optimiser.add(fuseReceiveReducePass());
  optimiser.add(fusePass({}));
  FailureOr<Module> instrs = optimiser.run(std::move(*chunks), context);
  if (failed(instrs))
    return failure();
  CompileRequest request;
  request.dialect = dialect;
  Variant variant;
  return PlanScheduler(request, /*machine=*/nullptr)
      .scheduleWithin(std::get<InstrProgram>(std::move(*instrs)), variant, defaultSlots, scheduler,
                      context);
}
