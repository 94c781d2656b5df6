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
#include "llvm/ADT/StringExtras.h"
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
  space.onStage = request.onStage;
  return space;
}

/// The options that the plan records (ProgramInfo::options).
std::vector<std::string> Compilation::recordedOptions(const Variant &variant) const {
  std::vector<std::string> options;
  for (const auto &[name, value] : request.parameters)
    if (name == "mapper" && value != mapperName(declaration.mapper()))
      options.push_back("-p mapper=" + value);
  if (!request.endpoints.empty())
    options.push_back(
        "--endpoints " +
        llvm::join(llvm::map_range(request.endpoints, [](uint32_t e) { return std::to_string(e); }),
                   ","));
  Variant recorded = variant;
  if (request.optimisation == 0) {
    options.emplace_back("-O0");
    recorded.goal = ScheduleGoal::Balance;
    recorded.fusion = FusionOptions();
  }
  if (request.maxChannels)
    recorded.maxChannels = std::min(*request.maxChannels, variant.maxChannels.value_or(~0u));
  llvm::append_range(options, optionsOf(recorded));
  if (request.maxThreadblocks)
    options.push_back(formatv("--max-threadblocks {0}", *request.maxThreadblocks));
  if (request.layout != InstanceLayout::Blocked && variant.instances > 1)
    options.push_back(formatv("--instance-layout {0}", instanceLayoutName(request.layout)));
  if (request.lowerFused)
    options.emplace_back("--fused-ops lower");
  return options;
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
    // Split again, reductions of different receives would be in different threadblocks, where the
    // runtimes of MSCCL-IR cannot merge them.
    if (!request.dialect || !request.lowerFused)
      manager.add(fuseReceiveReducePass());
    manager.add(fusePass(variant.fusion));
  }
  if (variant.placement != RankPlacement::Linear)
    manager.add(placePass(variant.placement, machine(), resolved.places, resolved.endpoints,
                          request.placementBytes, request.placements));
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
  if (failed(plan) || failed(lowerToMscclpp(*plan, machine(), /*prove=*/false, unheard)))
    return variant;
  return several;
}

dsl::TraceOptions Compilation::traceOptions() const {
  dsl::TraceOptions options = resolved.options;
  options.protocol = request.protocol.value_or(Protocol::Simple);
  options.minBytes = request.minBytes;
  options.maxBytes = request.maxBytes;
  options.file = request.userFile;
  options.limit = request.traceLimit;
  if (code.options.isGuarded)
    options.around = [&](llvm::function_ref<void()> body, const dsl::TraceCursor &reached) {
      UserCodeScope scope(code, reached);
      body();
    };
  return options;
}

/// Traces the program, unless its trace is \p known, and assigns the generations of its calls.
FailureOr<Compilation::Traced> Compilation::trace(dsl::TraceResult known,
                                                  PassContext &context) const {
  if (!known.program) {
    stage("trace");
    known = dsl::trace(declaration, traceOptions(), context.diags);
  }
  if (!known.program)
    return failure();
  Traced traced{std::move(*known.program), known.readsGeometry};
  if (traced.readsGeometry &&
      request.placement.value_or(RankPlacement::Linear) != RankPlacement::Linear)
    return context.diags.error(
        {}, formatv("program '{0}' reads the geometry and requires --placement=linear, not {1}",
                    declaration.name(), rankPlacementName(*request.placement)));
  if (request.passes.printAfterAll || request.passes.printAfter == "trace") {
    *request.passes.printTo << "// after trace\n";
    print(*request.passes.printTo, traced.program, request.passes.print);
  }
  if (traced.program.info().calls.empty())
    return traced;
  PassManager manager(request.passes);
  manager.add(allocateGenerationsPass(known.generationStride));
  FailureOr<Module> allocated = manager.run(std::move(traced.program), context);
  if (failed(allocated))
    return context.diags.fail(Failure::Unfit);
  traced.program = std::get<ChunkProgram>(std::move(*allocated));
  return traced;
}

/// Checks that machine and runtime execute the plan; lowers it to other forms if requested.
LogicalResult Compilation::fit(Compiled &compiled, const Variant &variant,
                               DiagnosticEngine &diags) const {
  stage("fit");
  if (machine()) {
    Slots slots = compiled.plan.slots().value_or(Slots::unlimited());
    std::optional<uint32_t> needed;
    if (compiled.report)
      needed = compiled.report->slotsNeeded;
    if (failed(checkPlan(compiled.plan, *machine(), slots, diags, needed)))
      return diags.fail(Failure::Unfit);
    compiled.memory = PlanMemory(compiled.plan, *machine(), slots).busiest(Bytes());
    compiled.queues = PlanQueues(compiled.plan, *machine()).busiest();
    ArrayRef<uint32_t> places = compiled.plan.info().placementOnTarget;
    compiled.equalRoutes = equalRoutesText(
        *machine(), std::vector<EndpointId>(places.begin(), places.end()), compiled.plan);
  }
  if (request.dialect &&
      failed(fitToRuntime(compiled, *request.dialect, UnsafeSizes::Refuse, diags)))
    return diags.fail(Failure::Unfit);
  if (machine() && !request.onlyMscclpp &&
      failed(fitSizes(compiled, *machine(), UnsafeSizes::Refuse, diags)))
    return diags.fail(Failure::Unfit);
  if (request.ahbmModule) {
    stage("lower to an algorithm module");
    auto module = kernbench::lowerToModule(compiled.plan, machine(), request.worldSize, diags);
    if (failed(module))
      return diags.fail(Failure::Unfit);
    compiled.ahbmModule = std::move(*module);
  }
  if (!request.mscclpp)
    return success();
  stage("lower to MSCCL++");
  FailureOr<LoweredPlan> lowered =
      lowerToMscclpp(compiled.plan, machine(), request.verify, diags, variant.sharing);
  if (failed(lowered))
    return failure();
  if (request.onlyMscclpp && compiled.report && lowered->reductionHash) {
    compiled.report->reductionHash = lowered->reductionHash;
    compiled.report->sameBits = lowered->sameBits;
  }
  compiled.otherOrder = std::move(lowered->otherOrder);
  compiled.mscclpp = std::move(lowered->plan);
  return success();
}

/// The context of an attempt, which goes on from \p context.
static PassContext attemptFrom(const PassContext &context, DiagnosticEngine &own) {
  PassContext attempt(own);
  attempt.append(context);
  return attempt;
}

FailureOr<std::variant<Compiled, CompiledRolled>> Compilation::run(Rolling rolling,
                                                                   DiagnosticEngine &diags) {
  FailureOr<Resolved> all = resolve(declaration, request, code, diags);
  if (failed(all))
    return diags.fail(Failure::Unusable);
  resolved = std::move(*all);
  PassContext context(diags);
  context.remarks = request.remarks;
  if (rolling == Rolling::All)
    return runRolled(context);

  dsl::TraceResult known;
  bool rolls = rolling == Rolling::Large && mayRoll(), folds = mayFold();
  if (rolls || folds) {
    known = traceRepetition();
    if (rolls && known.symmetric && isLarge(*known.symmetric))
      return compileRepetition(*known.symmetric, context);
  }
  if (folds && known.symmetric) {
    DiagnosticEngine own;
    PassContext attempt = attemptFrom(context, own);
    FailureOr<Compiled> compiled = compileUnrolled(*known.symmetric, attempt);
    if (succeeded(compiled)) {
      diags.append(std::move(own));
      if (failed(fit(*compiled, firstVariant(), diags)))
        return failure();
      return compiled;
    }
  }
  return runOnAllRanks(std::move(known), context);
}

/// The proof of the plan implies what the check of the program finds out, apart from the place of
/// an error. So a large program is checked, and traced again, only if its plan is wrong.
FailureOr<Compiled> Compilation::runOnAllRanks(dsl::TraceResult known, PassContext &context) const {
  FailureOr<Traced> traced = trace(std::move(known), context);
  if (failed(traced))
    return failure();
  if (!mayOmitCheck())
    return compileTraced(std::move(*traced), Check::First, context);
  DiagnosticEngine own;
  PassContext attempt = attemptFrom(context, own);
  FailureOr<Compiled> compiled = compileTraced(std::move(*traced), Check::WithPlan, attempt);
  if (succeeded(compiled)) {
    context.diags.append(std::move(own));
    return compiled;
  }
  traced = trace({}, context);
  if (failed(traced))
    return failure();
  return compileTraced(std::move(*traced), Check::First, context);
}

bool Compilation::mayOmitCheck() const {
  constexpr uint32_t manyRanks = 64; // programs of fewer are checked in microseconds
  return resolved.options.ranks >= manyRanks && request.verify && !isWatched() &&
         request.optimisation < 3 && !request.mscclpp;
}

Variant Compilation::chooseVariant(const Traced &traced) const {
  if (request.optimisation < 3)
    return loadingSwitches(traced.program, firstVariant());
  stage("search");
  return request.search(
      firstVariant(), openChoices(traced.readsGeometry), *machine(),
      [&](const Variant &next) { return tryVariant(traced.program, next); }, request.remarks);
}

FailureOr<Compiled> Compilation::compileTraced(Traced traced, Check when,
                                               PassContext &context) const {
  DiagnosticEngine &diags = context.diags;
  if (request.onChunkProgram)
    request.onChunkProgram(traced.program);
  uint64_t chunkOps = traced.program.ops().size();
  if (request.mscclpp && failed(mscclpp::checkProgram(traced.program.info(), diags)))
    return diags.fail(Failure::Unfit);
  if (request.verify && when == Check::First) {
    stage("check");
    if (failed(checkProgram(traced.program, diags, request.jobs)))
      return diags.fail(Failure::Wrong);
  }

  // A program that was checked is correct from here on, so any error other than contradicting
  // directives is a defect of the compiler.
  Variant variant = chooseVariant(traced);
  PassManager optimiser(request.passes), scheduler(request.passes);
  auto failedIn = [&](const PassManager &manager) {
    return diags.fail(manager.brokenByPass() && request.verify ? Failure::Defect : Failure::Unfit);
  };
  stage("lower and fuse");
  traced.program.setOptions(recordedOptions(variant));
  FailureOr<InstrProgram> instrs = optimise(std::move(traced.program), variant, optimiser, context);
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
      return diags.fail(Failure::Defect);
  }
  Compiled compiled{std::move(*plan), proof, std::nullopt, chunkOps, context.statistics()};
  if (failed(fit(compiled, variant, diags)))
    return failure();
  return compiled;
}

void cclc::registerAllPasses(PassRegistry &registry, const Machine *machine) {
  registerTransforms(registry);
  registerPlacement(registry, machine);
  registerSchedulers(registry);
  registerChecks(registry);
}

FailureOr<std::variant<Compiled, CompiledRolled>> cclc::compileAny(const Declaration &declaration,
                                                                   const CompileRequest &request,
                                                                   Rolling rolling,
                                                                   DiagnosticEngine &diags) {
  MemoryBudget::Work work("the compilation");
  return Compilation(declaration, request).run(rolling, diags);
}

FailureOr<Compiled> cclc::compile(const Declaration &declaration, const CompileRequest &request,
                                  DiagnosticEngine &diags) {
  auto made = compileAny(declaration, request, Rolling::None, diags);
  if (failed(made))
    return failure();
  return std::get<Compiled>(std::move(*made));
}

FailureOr<CompiledRolled> cclc::compileRolled(const Declaration &declaration,
                                              const CompileRequest &request,
                                              DiagnosticEngine &diags) {
  auto made = compileAny(declaration, request, Rolling::All, diags);
  if (failed(made))
    return failure();
  return std::get<CompiledRolled>(std::move(*made));
}
