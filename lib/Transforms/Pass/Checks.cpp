#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/InstrChecker.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

using namespace cclc;

template <class Program>
static PassEntry entryFor(const char *name, Level level, const char *what) {
  return {name, level, level, what, "", [=](PassOptions &) {
            return makePass<Program, Program>(
                name, [](Program &&program, PassContext &context) -> FailureOr<Program> {
                  if (failed(checkProgram(program, context.diags)))
                    return failure();
                  return std::move(program);
                });
          }};
}

static PassEntry planEntry() {
  return {"verify-plan",
          Level::Exec,
          Level::Exec,
          "prove the plan: no deadlock, no races, the post-condition",
          "slots: slots of every connection, or inf (default: the plan's, else 8)",
          [](PassOptions &options) {
            std::optional<Slots> given = options.slots("slots");
            return makePass<ExecPlan, ExecPlan>(
                "verify-plan", [=](ExecPlan &&plan, PassContext &context) -> FailureOr<ExecPlan> {
                  Slots slots = given.value_or(plan.slots().value_or(defaultSlots));
                  if (verifyPlan(plan, slots, context.diags, ReductionHash::Omit).verdict !=
                      Verdict::Ok)
                    return failure();
                  return std::move(plan);
                });
          }};
}

void cclc::registerChecks(PassRegistry &registry) {
  registry.add(entryFor<ChunkProgram>("check-chunks", Level::Chunk,
                                      "check that the program computes its collective"));
  registry.add(entryFor<InstrProgram>("check-instrs", Level::Instr,
                                      "check that the instructions compute their collective"));
  registry.add(planEntry());
}
