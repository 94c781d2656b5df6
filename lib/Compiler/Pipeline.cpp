//===- Pipeline.cpp - The stages of a compilation -------------------------===//
//
// Compiles a declared program to a verified plan for its destination. The stages and their results
// are:
//
//   resolve             parameters, ranks, machine, places   Resolve.cpp
//   trace               ChunkProgram                         DSL/Tracer.cpp
//   check               proof of the ChunkProgram            Proof/ChunkChecker.cpp
//   search              the Variant to compile (-O3)         Search/Tune/Search.cpp
//   transform chunks    ChunkProgram                         Transforms
//   lower and fuse      InstrProgram                         Transforms
//   place               endpoints of the ranks               Placement
//   schedule            ExecPlan                             SchedulePlan.cpp, Schedule
//   verify              proof of the ExecPlan                Proof/PlanVerifier.cpp
//   fit                 limits of machine and runtime        Limits, FitToRuntime.cpp
//   lower to a format   mscclpp::Plan                        LowerToMscclpp.cpp
//                       kernbench::AlgorithmModule           Formats/AhbmLower.cpp
//
// CompileRequest has every option and its default. Passes are made from typed options; their
// names and textual options are for ccl-opt alone.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Compile.h"

#include "Compilation.h"
#include "FitToRuntime.h"
#include "SchedulePlan.h"
#include "cclc/Compiler/LowerToMscclpp.h"

#include "cclc/DSL/Trace.h"
#include "cclc/IR/PlanAttributes.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Target/EqualRoutes.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;

Variant Compilation::firstVariant() const {
  Variant variant;
  variant.instances = request.instances.value_or(1);
  variant.sharing = request.sharing.value_or(1);
  variant.protocol = request.protocol.value_or(Protocol::Simple);
  variant.placement = request.placement.value_or(RankPlacement::Linear);
  variant.slotSize = request.slotSize;
  variant.goal = std::nullopt;
  if (request.optimisation >= 2)
    variant.goal = request.goal.value_or(ScheduleGoal::Balance);
  variant.aggregate = request.aggregate;
  variant.fusion =
      request.optimisation >= 1 ? request.fusion.value_or(FusionOptions()) : FusionOptions::none();
  return variant;
}

/// The choices that are open. The placement is not, if the program reads the geometry or the plan
/// is for MSCCL++ alone.
SearchSpace Compilation::openChoices(bool readsGeometry) const {
  SearchSpace space;
  space.program = &declaration;
  space.instances = !request.instances;
  space.sharing = !request.sharing;
  space.aggregate = !request.aggregate;
  space.fusion = !request.fusion;
  space.goal = !request.goal;
  space.mscclpp = request.onlyMscclpp;
  space.placement =
      !request.placement && !readsGeometry && request.endpoints.empty() && !request.onlyMscclpp;
  for (unsigned p = 0; p < numProtocols && !request.protocol; ++p)
    if (resolved.machine->protocols[p])
      space.protocols.push_back(static_cast<Protocol>(p));
  space.slots = request.slots;
  space.choosesSlots = !request.slots && !request.slotSize && !request.dialect &&
                       !request.mscclpp && !request.ahbmModule;
  space.minBytes = request.minBytes;
  space.maxBytes = request.maxBytes;
  space.jobs = request.jobs;
  return space;
}

/// Runs the stages between the traced program and its schedule.
FailureOr<InstrProgram> Compilation::optimise(ChunkProgram &&program, const Variant &variant,
                                              PassManager &manager, PassContext &context) const {
  program.setProtocol(variant.protocol);
  if (variant.slotSize)
    program.setSlotBytes(variant.slotSize->count());
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
  if (marksSwitchOperations(program.info())) {
    // In LL the executor of MSCCL++ moves the packets of one in one operation.
    std::optional<uint32_t> most;
    if (request.onlyMscclpp && variant.protocol == Protocol::LL)
      most = mscclpp::executorConstraints().most(Limit::PlacesOfOperation);
    manager.add(formSwitchOperationsPass(
        switchOperations(program.info(), machine(), variant.placement, most)));
  }
  manager.add(lowerToInstrPass());
  if (request.optimisation >= 1)
    manager.add(removeDeadCopiesPass());
  if (variant.fusion != FusionOptions::none()) {
    manager.add(fuseReceiveReducePass());
    manager.add(fusePass(variant.fusion));
  }
  if (variant.placement != RankPlacement::Linear)
    manager.add(placePass(variant.placement, machine(), resolved.places, resolved.endpoints,
                          request.placementBytes));
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

/// One threadblock does not load a switch: a program on switches has several instances for large
/// buffers, if the executor of MSCCL++ has room for them. For small ones they take the same time,
/// but the size of a message must be a multiple of more chunks.
Variant Compilation::loadingSwitches(const ChunkProgram &program, const Variant &variant) const {
  constexpr uint64_t largeBuffer = uint64_t(64) << 10;
  if (request.instances || request.sharing || !request.onlyMscclpp ||
      request.minBytes < largeBuffer || variant.protocol != Protocol::Simple || !machine() ||
      !machine()->switches || !marksSwitchOperations(program.info()))
    return variant;
  Variant several = variant;
  several.instances = 8;
  DiagnosticEngine unheard;
  FailureOr<ExecPlan> plan = tryVariant(program, several);
  if (failed(plan) || !std::holds_alternative<LoweredPlan>(
                          lowerToMscclpp(*plan, machine(), /*prove=*/false, unheard)))
    return variant;
  return several;
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
  if (!traced) {
    stage("trace");
    dsl::TraceOptions options = traceOptions();
    traced = dsl::trace(declaration, options, diags);
  }
  dsl::TraceResult result = *std::exchange(traced, std::nullopt);
  if (!result.program) {
    outcome = result.refused ? fail(ExitCode::Unusable) : failWrongProgram();
    return failure();
  }
  readsGeometry = result.readsGeometry;
  if (readsGeometry && request.placement.value_or(RankPlacement::Linear) != RankPlacement::Linear) {
    outcome = fail(ExitCode::Unusable);
    return diags.error(
        {}, formatv("program '{0}' reads the geometry and requires --placement=linear, not {1}",
                    declaration.name(), rankPlacementName(*request.placement)));
  }
  if (request.passes.printAfterAll || request.passes.printAfter == "trace") {
    *request.passes.printTo << "// after trace\n";
    print(*request.passes.printTo, *result.program, request.passes.print);
  }
  if (result.program->info().calls.empty())
    return std::move(*result.program);
  PassManager manager(request.passes);
  manager.add(allocateGenerationsPass(result.generationStride));
  FailureOr<Module> allocated = manager.run(std::move(*result.program), context);
  if (failed(allocated)) {
    outcome = fail(ExitCode::Wrong);
    return failure();
  }
  return std::get<ChunkProgram>(std::move(*allocated));
}

/// Checks that machine and runtime execute the plan; lowers it to MSCCL++ if requested.
ExitCode Compilation::fit(Compiled &compiled, const Variant &variant) const {
  if (machine()) {
    Slots slots = compiled.plan.slots().value_or(Slots::unlimited());
    std::optional<uint32_t> needed;
    if (compiled.report)
      needed = compiled.report->slotsNeeded;
    if (failed(checkPlan(compiled.plan, *machine(), slots, diags, needed)))
      return ExitCode::Wrong;
    compiled.memory = PlanMemory(compiled.plan, *machine(), slots).busiest(Bytes());
    compiled.queues = PlanQueues(compiled.plan, *machine()).busiest();
    ArrayRef<uint32_t> places = compiled.plan.info().placementOnTarget;
    compiled.equalRoutes = equalRoutesText(
        *machine(), std::vector<EndpointId>(places.begin(), places.end()), compiled.plan);
  }
  if (request.dialect &&
      failed(fitToRuntime(compiled, *request.dialect, UnsafeSizes::Refuse, diags)))
    return ExitCode::Wrong;
  if (machine() && !request.onlyMscclpp &&
      failed(fitSizes(compiled, *machine(), UnsafeSizes::Refuse, diags)))
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
  auto lowered = lowerToMscclpp(compiled.plan, machine(), request.verify, diags, variant.sharing);
  if (const ExitCode *failed = std::get_if<ExitCode>(&lowered))
    return *failed;
  auto &made = std::get<LoweredPlan>(lowered);
  if (request.onlyMscclpp && compiled.report && made.reductionHash) {
    compiled.report->reductionHash = made.reductionHash;
    compiled.report->sameBits = made.sameBits;
  }
  compiled.otherOrder = std::move(made.otherOrder);
  compiled.mscclpp = std::move(made.plan);
  return ExitCode::Success;
}

CompileOutcome Compilation::run() {
  FailureOr<Resolved> all = resolve(declaration, request, code, diags);
  if (failed(all))
    return fail(ExitCode::Unusable);
  resolved = std::move(*all);

  if (std::optional<CompileOutcome> outcome = trySymmetric())
    return std::move(*outcome);
  if (std::optional<CompileOutcome> outcome = tryWithoutCheck())
    return std::move(*outcome);
  return runOnAllRanks(Check::First);
}

/// The proof of the plan implies what the check of the program finds out, apart from the place of
/// an error. So the program is checked only if its plan is wrong. None if it has to be checked.
std::optional<CompileOutcome> Compilation::tryWithoutCheck() {
  constexpr uint32_t manyRanks = 64; // programs of fewer are checked in microseconds
  if (resolved.options.ranks < manyRanks || !request.verify || isWatched() ||
      request.optimisation >= 3 || request.mscclpp)
    return std::nullopt;
  DiagnosticEngine own;
  Compilation attempt(declaration, request, own);
  dsl::TraceOptions options = resolved.options; // tracing consumes those of the attempt
  attempt.resolved = std::move(resolved);
  attempt.traced = std::exchange(traced, std::nullopt);
  CompileOutcome outcome = attempt.runOnAllRanks(Check::WithPlan);
  resolved = std::move(attempt.resolved);
  resolved.options = std::move(options);
  if (outcome.code != ExitCode::Success && attempt.isTraced)
    return std::nullopt;
  diags.append(std::move(own));
  return outcome;
}

CompileOutcome Compilation::runOnAllRanks(Check when) {
  CompileOutcome outcome = fail(ExitCode::Wrong);
  bool readsGeometry = false;
  FailureOr<ChunkProgram> chunks = trace(readsGeometry, outcome);
  if (failed(chunks))
    return outcome;
  isTraced = true;
  if (request.onChunkProgram)
    request.onChunkProgram(*chunks);
  uint64_t chunkOps = chunks->ops().size();
  if (request.mscclpp && failed(mscclpp::checkProgram(chunks->info(), diags)))
    return fail(ExitCode::Wrong);

  if (request.verify && when == Check::First) {
    stage("check");
    if (failed(checkProgram(*chunks, diags, request.jobs)))
      return failWrongProgram();
  }

  Variant variant = firstVariant();
  if (request.optimisation >= 3) {
    stage("search");
    variant = request.search(
        variant, openChoices(readsGeometry), *machine(),
        [&](const Variant &next) { return tryVariant(*chunks, next); }, request.remarks);
  } else {
    variant = loadingSwitches(*chunks, variant);
  }

  // A program that was checked is correct from here on, so any error other than contradicting
  // directives is a defect of the compiler.
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
  if (ExitCode code = fit(compiled, variant); code != ExitCode::Success)
    return fail(code);
  return {ExitCode::Success, std::move(compiled)};
}

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
