//===- PassManager.cpp - Running and checking passes ----------------------===//
//
// Each pass consumes the module and returns the next one, so that two programs exist at a time
// only inside a pass. The level of the returned module selects the checker. Every failure ends
// in a note that names the pass.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/PassManager.h"

#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/InstrChecker.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void PassManager::add(std::vector<std::unique_ptr<Pass>> more) {
  for (std::unique_ptr<Pass> &pass : more)
    passes.push_back(std::move(pass));
}

LogicalResult PassManager::verify(const Module &module, StringRef pass,
                                  PassContext &context) const {
  bool ok = true;
  if (auto *chunk = std::get_if<ChunkProgram>(&module))
    ok = succeeded(checkProgram(*chunk, context.diags));
  else if (auto *instr = std::get_if<InstrProgram>(&module))
    ok = succeeded(checkProgram(*instr, context.diags));
  else {
    const ExecPlan &plan = std::get<ExecPlan>(module);
    ok = verifyPlan(plan, plan.slots().value_or(Slots::unlimited()), context.diags,
                    ReductionHash::Omit)
             .verdict == Verdict::Ok;
  }
  if (ok)
    return success();
  context.diags.note({}, "the program is wrong after pass '" + pass + "'");
  return failure();
}

static LogicalResult checkLevel(const Pass &pass, Level level, DiagnosticEngine &diags) {
  if (level == pass.input())
    return success();
  return diags.error({}, "pass '" + pass.name() + "' takes a program of the " +
                             levelName(pass.input()) + " level, not of the " + levelName(level) +
                             " level");
}

LogicalResult PassManager::accepts(Level level, DiagnosticEngine &diags) const {
  return passes.empty() ? success() : checkLevel(*passes.front(), level, diags);
}

FailureOr<Module> PassManager::run(Module &&module, PassContext &context) {
  MemoryBudget::Work work("the pipeline of passes");
  broken = false;
  FailureOr<Module> current(std::move(module));
  for (const std::unique_ptr<Pass> &pass : passes) {
    if (failed(checkLevel(*pass, levelOf(*current), context.diags)))
      return failure();
    if (options.times)
      options.times->beginPart(pass->name());
    current = pass->run(std::move(*current), context);
    if (failed(current)) {
      context.diags.note({}, "pass '" + pass->name() + "' failed");
      return failure();
    }
    if (options.printAfterAll || pass->name() == options.printAfter) {
      *options.printTo << "// after " << pass->name() << '\n';
      print(*options.printTo, *current, options.print);
    }
    if (!options.verifySemantics)
      continue;
    if (options.times)
      options.times->beginPart("prove");
    if (failed(verify(*current, pass->name(), context))) {
      broken = true;
      return failure();
    }
  }
  return current;
}
