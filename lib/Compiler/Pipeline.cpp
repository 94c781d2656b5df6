//===- Pipeline.cpp - The stages of a compilation -------------------------===//
//
// Compiles a declared program to a verified plan for its destination. The stages and their results
// are:
//
//   resolve             parameters, ranks, machine, places   Resolve.cpp
//   trace               ChunkProgram                         DSL/Tracer.cpp
//   check               proof of the ChunkProgram            Semantics/ChunkChecker.cpp
//   search              the Variant to compile (-O3)         Tune/Search.cpp
//   transform chunks    ChunkProgram                         Transforms
//   lower and fuse      InstrProgram                         Transforms
//   place               endpoints of the ranks               Placement
//   schedule            ExecPlan                             SchedulePlan.cpp, Schedule
//   verify              proof of the ExecPlan                Semantics/PlanVerifier.cpp
//   fit                 constraints of machine and runtime   Constraints, FitToRuntime.cpp
//   lower to a format   mscclpp::Plan                        LowerToMscclpp.cpp
//                       kernbench::AlgorithmModule           Formats/AhbmLower.cpp
//
// CompileRequest has every option and its default. Passes are made from typed options; their
// names and textual options are for ccl-opt alone.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Compile.h"

#include "FitToRuntime.h"
#include "Resolve.h"
#include "SchedulePlan.h"
#include "cclc/Compiler/CompileRolled.h"
#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Frontend/UserCode.h"

#include "cclc/Constraints/PlanCheck.h"
#include "cclc/DSL/Trace.h"
#include "cclc/IRText/Printer.h"
#include "cclc/IR/Verifier.h"
#include "cclc/MscclppEmit/Lower.h"
#include "cclc/Pass/PassRegistry.h"
#include "cclc/Rolled/VerifyRolled.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Semantics/ChunkChecker.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;

namespace {
/// One compilation; each step returns an exit code or reports its error.
class Compilation {
public:
  Compilation(const Declaration &declaration, const CompileRequest &request,
              DiagnosticEngine &diags)
      : declaration(declaration), request(request), diags(diags), context(diags) {
    context.remarks = request.remarks;
    code = {"program '" + declaration.name() + "'", request.userFile, request.userCode};
  }

  CompileOutcome run();
  RolledOutcome runRolled();
  uint64_t symmetricOps();

private:
  Variant firstVariant() const;
  dsl::TraceOptions traceOptions();
  std::string whyNotRolled() const;
  FailureOr<ExecPlan> tryVariant(const ChunkProgram &program, const Variant &variant) const;
  FailureOr<ChunkProgram> trace(bool &readsGeometry, CompileOutcome &failed);
  FailureOr<InstrProgram> optimise(ChunkProgram &&program, const Variant &variant,
                                   PassManager &manager, PassContext &context) const;
  ExitCode fit(Compiled &compiled) const;
  const Machine *machine() const { return resolved.machine ? &*resolved.machine : nullptr; }
  SearchSpace openChoices(bool readsGeometry) const;
  Slots slotsOf(const Variant &variant) const {
    Slots usual = resolved.machine ? resolved.machine->slotsFor(variant.protocol) : defaultSlots;
    return request.slots.value_or(usual);
  }

  void stage(StringRef name) const {
    if (request.onStage)
      request.onStage(name);
  }
  CompileOutcome fail(ExitCode code) const { return {code, std::nullopt}; }

  const Declaration &declaration;
  const CompileRequest &request;
  DiagnosticEngine &diags;
  PassContext context;
  UserCode code;
  Resolved resolved; ///< its options are consumed by tracing
};

Variant Compilation::firstVariant() const {
  Variant variant;
  variant.instances = request.instances.value_or(1);
  variant.protocol = request.protocol.value_or(Protocol::Simple);
  variant.placement = request.placement.value_or(RankPlacement::Linear);
  variant.goal = std::nullopt;
  if (request.optimisation >= 2)
    variant.goal = request.goal.value_or(ScheduleGoal::Balance);
  variant.aggregate = request.aggregate;
  variant.fusion =
      request.optimisation >= 1 ? request.fusion.value_or(FusionOptions()) : FusionOptions::none();
  return variant;
}

/// The choices that are open. The placement is not, if the program reads the geometry.
SearchSpace Compilation::openChoices(bool readsGeometry) const {
  SearchSpace space;
  space.program = &declaration;
  space.instances = !request.instances;
  space.aggregate = !request.aggregate;
  space.fusion = !request.fusion;
  space.goal = !request.goal;
  space.placement = !request.placement && !readsGeometry && request.endpoints.empty();
  for (unsigned p = 0; p < numProtocols && !request.protocol; ++p)
    if (resolved.machine->protocols[p])
      space.protocols.push_back(static_cast<Protocol>(p));
  space.slots = request.slots;
  space.minBytes = request.minBytes;
  space.maxBytes = request.maxBytes;
  space.jobs = request.jobs;
  return space;
}

/// Runs the stages between the traced program and its schedule.
FailureOr<InstrProgram> Compilation::optimise(ChunkProgram &&program, const Variant &variant,
                                              PassManager &manager, PassContext &context) const {
  program.setProtocol(variant.protocol);
  ArrayRef<Directive> directives = program.info().directives;
  std::optional<uint32_t> maxCount = constraintsOf(request, machine()).most(Limit::Count);
  if (variant.aggregate ||
      llvm::any_of(directives, [](const Directive &d) { return d.aggregate != 0; })) {
    AggregateOptions which;
    which.all = variant.aggregate;
    which.max = std::min(which.max, maxCount.value_or(which.max));
    manager.add(aggregatePass(which));
  }
  if (llvm::any_of(directives, [](const Directive &d) { return d.parallel > 1; }))
    manager.add(parallelizePass());
  if (variant.instances > 1)
    manager.add(replicateInstancesPass(variant.instances, request.layout));
  if (maxCount)
    manager.add(splitCountsPass(*maxCount));
  manager.add(lowerToInstrPass());
  if (request.optimisation >= 1)
    manager.add(removeDeadCopiesPass());
  if (variant.fusion != FusionOptions::none()) {
    manager.add(fuseReceiveReducePass());
    manager.add(fusePass(variant.fusion));
  }
  if (variant.placement != RankPlacement::Linear)
    manager.add(placePass(variant.placement, machine(), resolved.places, resolved.endpoints));
  FailureOr<Module> result = manager.run(std::move(program), context);
  if (failed(result))
    return failure();
  return std::get<InstrProgram>(std::move(*result));
}

/// Compiles a variant. Its errors are not reported, since the search discards variants that fail.
FailureOr<ExecPlan> Compilation::tryVariant(const ChunkProgram &program,
                                            const Variant &variant) const {
  DiagnosticEngine unheard;
  PassContext context(unheard);
  PassManagerOptions quiet;
  PassManager optimiser(quiet), scheduler(quiet);
  FailureOr<InstrProgram> instrs = optimise(ChunkProgram(program), variant, optimiser, context);
  if (failed(instrs))
    return failure();
  FailureOr<ExecPlan> plan =
      PlanScheduler(request, machine())
          .schedule(std::move(*instrs), variant, slotsOf(variant), scheduler, context);
  if (succeeded(plan) && failed(checkPlan(*plan, *resolved.machine, slotsOf(variant), unheard)))
    return failure();
  return plan;
}

dsl::TraceOptions Compilation::traceOptions() {
  dsl::TraceOptions options = std::move(resolved.options);
  options.protocol = request.protocol.value_or(Protocol::Simple);
  options.minBytes = request.minBytes;
  options.maxBytes = request.maxBytes;
  options.file = request.userFile;
  options.limit = request.traceLimit;
  options.around = [&](llvm::function_ref<void()> body, const dsl::TraceCursor &reached) {
    UserCodeScope scope(code, reached);
    body();
  };
  return options;
}

/// Traces the program and assigns the generations of its calls. On failure sets the exit code of
/// \p outcome.
FailureOr<ChunkProgram> Compilation::trace(bool &readsGeometry, CompileOutcome &outcome) {
  stage("trace");
  dsl::TraceOptions options = traceOptions();
  dsl::TraceResult traced = dsl::trace(declaration, options, diags);
  if (!traced.program) {
    outcome = fail(traced.refused ? ExitCode::Unusable : ExitCode::Wrong);
    return failure();
  }
  readsGeometry = traced.readsGeometry;
  if (readsGeometry && request.placement.value_or(RankPlacement::Linear) != RankPlacement::Linear) {
    outcome = fail(ExitCode::Unusable);
    return diags.error(
        {}, formatv("program '{0}' reads the geometry and requires --placement=linear, not {1}",
                    declaration.name(), rankPlacementName(*request.placement)));
  }
  if (request.passes.printAfterAll || request.passes.printAfter == "trace") {
    *request.passes.printTo << "// after trace\n";
    print(*request.passes.printTo, *traced.program, request.passes.print);
  }
  if (traced.program->info().calls.empty())
    return std::move(*traced.program);
  PassManager manager(request.passes);
  manager.add(allocateGenerationsPass(traced.generationStride));
  FailureOr<Module> allocated = manager.run(std::move(*traced.program), context);
  if (failed(allocated)) {
    outcome = fail(ExitCode::Wrong);
    return failure();
  }
  return std::get<ChunkProgram>(std::move(*allocated));
}

/// Checks that machine and runtime execute the plan; lowers it to MSCCL++ if requested.
ExitCode Compilation::fit(Compiled &compiled) const {
  if (machine()) {
    Slots slots = compiled.plan.slots().value_or(Slots::unlimited());
    std::optional<uint32_t> needed;
    if (compiled.report)
      needed = compiled.report->slotsNeeded;
    if (failed(checkPlan(compiled.plan, *machine(), slots, diags, needed)))
      return ExitCode::Wrong;
    compiled.memory = PlanMemory(compiled.plan, *machine(), slots).busiest(Bytes());
    compiled.queues = PlanQueues(compiled.plan, *machine()).busiest();
  }
  if (request.dialect &&
      failed(fitToRuntime(compiled, *request.dialect, UnsafeSizes::Refuse, diags)))
    return ExitCode::Wrong;
  if (request.ahbmModule) {
    stage("lower to an algorithm module");
    auto module = kernbench::lowerToModule(compiled.plan, request.worldSize, diags);
    if (failed(module))
      return ExitCode::Wrong;
    compiled.ahbmModule = std::move(*module);
  }
  if (!request.mscclpp)
    return ExitCode::Success;
  stage("lower to MSCCL++");
  auto lowered = lowerToMscclpp(compiled.plan, machine(), request.verify, diags);
  if (const ExitCode *failed = std::get_if<ExitCode>(&lowered))
    return *failed;
  compiled.mscclpp = std::get<mscclpp::Plan>(std::move(lowered));
  return ExitCode::Success;
}

CompileOutcome Compilation::run() {
  FailureOr<Resolved> all = resolve(declaration, request, code, diags);
  if (failed(all))
    return fail(ExitCode::Unusable);
  resolved = std::move(*all);

  CompileOutcome outcome = fail(ExitCode::Wrong);
  bool readsGeometry = false;
  FailureOr<ChunkProgram> chunks = trace(readsGeometry, outcome);
  if (failed(chunks))
    return outcome;
  if (request.onChunkProgram)
    request.onChunkProgram(*chunks);
  uint64_t chunkOps = chunks->ops().size();
  if (request.mscclpp && failed(mscclpp::checkProgram(chunks->info(), diags)))
    return fail(ExitCode::Wrong);

  if (request.verify) {
    stage("check");
    if (failed(checkProgram(*chunks, diags, request.jobs)))
      return fail(ExitCode::Wrong);
  }

  Variant variant = firstVariant();
  if (request.optimisation >= 3) {
    stage("search");
    variant = request.search(
        variant, openChoices(readsGeometry), *machine(),
        [&](const Variant &next) { return tryVariant(*chunks, next); }, request.remarks);
  }

  // The algorithm is correct from here on, so any error other than contradicting directives is a
  // defect of the compiler.
  PassManager optimiser(request.passes), scheduler(request.passes);
  auto failedIn = [&](const PassManager &manager) {
    return fail(manager.brokenByPass() && request.verify ? ExitCode::Internal : ExitCode::Wrong);
  };
  stage("lower and fuse");
  FailureOr<InstrProgram> instrs = optimise(std::move(*chunks), variant, optimiser, context);
  if (failed(instrs))
    return failedIn(optimiser);
  if (request.onInstrProgram)
    request.onInstrProgram(*instrs);

  stage("schedule");
  FailureOr<ExecPlan> plan =
      PlanScheduler(request, machine())
          .scheduleWithin(std::move(*instrs), variant, slotsOf(variant), scheduler, context);
  if (failed(plan))
    return failedIn(scheduler);

  std::optional<PlanProof> proof;
  if (request.verify) {
    stage("verify");
    proof = verifyPlan(*plan, slotsOf(variant), diags, request.reductionHash, request.jobs);
    if (proof->verdict != Verdict::Ok)
      return fail(ExitCode::Internal);
  }

  stage("fit");
  Compiled compiled{std::move(*plan), proof, std::nullopt, chunkOps, context.statistics()};
  if (ExitCode code = fit(compiled); code != ExitCode::Success)
    return fail(code);
  return {ExitCode::Success, std::move(compiled)};
}

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
} // namespace

void cclc::registerAllPasses(PassRegistry &registry, const Machine *machine) {
  registerTransforms(registry);
  registerPlacement(registry, machine);
  registerSchedulers(registry);
  registerChecks(registry);
}

CompileOutcome cclc::compile(const Declaration &declaration, const CompileRequest &request,
                             DiagnosticEngine &diags) {
  MemoryBudget::Work work("the compilation");
  return Compilation(declaration, request, diags).run();
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
