//===- SymmetricPrograms.cpp - Compilation of one repetition --------------===//
//
// One repetition of each orbit is traced and compiled on folded ranks, by the stages of any other
// program. The plan of a folded rank is the rolled plan.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "SchedulePlan.h"

#include "cclc/Pass/PassManager.h"
#include "cclc/Rolled/VerifyRolled.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using dsl::Declaration;

/// Why the request has no rolled plan; empty if it has one.
std::string Compilation::whyNotRolled() const {
  if (machine())
    return "rolled plans have no target";
  if (request.instances.value_or(1) > 1 || request.optimisation >= 3)
    return "rolled plans have one instance and no search for variants";
  if (request.dialect || request.mscclpp || request.ahbmModule || request.lowerFused)
    return "a rolled plan is for no particular runtime";
  return "";
}

/// The number of operations on all ranks; 0 if the request has no rolled plan, or its ranks are so
/// few that the program is hardly large.
uint64_t Compilation::symmetricOps() {
  if (request.target)
    return 0;
  FailureOr<Resolved> all = resolve(declaration, request, code, diags);
  if (failed(all))
    return 0;
  resolved = std::move(*all);
  constexpr uint32_t manyRanks = 256;
  if (!whyNotRolled().empty() || resolved.options.ranks < manyRanks)
    return 0;
  dsl::TraceResult traced = dsl::traceSymmetric(declaration, traceOptions(), diags);
  return traced.symmetric ? traced.symmetric->ops.size() * traced.symmetric->info.ranks() : 0;
}

RolledOutcome Compilation::runRolled() {
  FailureOr<Resolved> all = resolve(declaration, request, code, diags);
  if (failed(all))
    return {ExitCode::Unusable, std::nullopt};
  resolved = std::move(*all);
  if (std::string why = whyNotRolled(); !why.empty()) {
    diags.error({}, why);
    return {ExitCode::Unusable, std::nullopt};
  }
  stage("trace");
  dsl::TraceResult traced = dsl::traceSymmetric(declaration, traceOptions(), diags);
  if (!traced.symmetric)
    return {traced.refused ? ExitCode::Unusable : ExitCode::Wrong, std::nullopt};
  const SymmetricProgram &program = *traced.symmetric;
  if (llvm::any_of(program.info.directives, [](const Directive &d) { return d.parallel > 1; })) {
    diags.error({}, "a program with parallel parts has no rolled plan");
    return {ExitCode::Unusable, std::nullopt};
  }
  FoldedRanks ranks = foldedRanks(program);
  FailureOr<ChunkProgram> chunks = cclc::fold(program, ranks, diags);
  if (failed(chunks))
    return {ExitCode::Wrong, std::nullopt};

  Variant variant = firstVariant();
  PassManager optimiser(request.passes), scheduler(request.passes);
  stage("lower and fuse");
  FailureOr<InstrProgram> instrs = optimise(std::move(*chunks), variant, optimiser, context);
  if (failed(instrs))
    return {ExitCode::Wrong, std::nullopt};
  stage("schedule");
  FailureOr<ExecPlan> folded =
      PlanScheduler(request, machine())
          .scheduleWithin(std::move(*instrs), variant, slotsOf(variant), scheduler, context);
  if (failed(folded))
    return {ExitCode::Wrong, std::nullopt};
  FailureOr<RolledPlan> plan = roll(program, ranks, *folded, diags);
  if (failed(plan))
    return {ExitCode::Unusable, std::nullopt};
  RolledOutcome outcome{ExitCode::Success, std::move(*plan)};
  if (request.verify) {
    stage("verify");
    outcome.report = verifyRolled(*outcome.plan, slotsOf(variant), diags);
    // Unlike an unrolled program, the folded one was not proved before.
    if (outcome.report->verdict != Verdict::Ok)
      return {ExitCode::Wrong, std::nullopt};
  }
  return outcome;
}
RolledOutcome cclc::compileRolled(const Declaration &declaration, const CompileRequest &request,
                                  DiagnosticEngine &diags) {
  MemoryBudget::Work work("the compilation");
  return Compilation(declaration, request, diags).runRolled();
}

bool cclc::rollsByDefault(const Declaration &declaration, const CompileRequest &request) {
  DiagnosticEngine unused; // the compilation reports errors
  return Compilation(declaration, request, unused).symmetricOps() > mostUnrolledOps;
}
