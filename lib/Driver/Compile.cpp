#include "cclc/Driver/Compile.h"

#include "Layout.h"
#include "Search.h"
#include "Text.h"

#include "cclc/DSL/Trace.h"
#include "cclc/IR/Printer.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Legality/Legality.h"
#include "cclc/Pass/PassRegistry.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Semantics/ChunkChecker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;

static Placements placementsFor(StringRef buffers) {
  if (buffers == "both")
    return Placements::both();
  return buffers == "in_place" ? Placements::inPlace() : Placements::outOfPlace();
}

std::vector<ParamSpec> cclc::allParameters(const Declaration &declaration) {
  std::vector<ParamSpec> specs = declaration.params();
  dsl::ChoiceParam buffers{"buffers", "whether input and output are the same memory", "", {}};
  std::string otherwise(buffersName(declaration.defaultBuffers()));
  buffers.value = otherwise.c_str();
  if (declaration.buffers() == dsl::Buffers::Both)
    buffers.choices = {"in_place", "out_of_place", "both"};
  else
    buffers.choices = {buffers.value};
  specs.emplace_back(buffers);
  dsl::ChoiceParam mapper{"mapper",
                          "who takes part on a machine with levels",
                          mapperName(declaration.mapper()).data(),
                          {"leader_only", "cube_leaders", "all_pes"}};
  if (declaration.fixesMapper())
    mapper.choices = {mapper.value};
  specs.emplace_back(mapper);
  return specs;
}

namespace {
/// One compilation; each step says how it fails.
class Compilation {
public:
  Compilation(const Declaration &declaration, const CompileRequest &request,
              DiagnosticEngine &diags)
      : declaration(declaration), request(request), diags(diags), context(diags) {
    context.remarks = request.remarks;
  }

  CompileOutcome run();

private:
  LogicalResult resolveParameters();
  LogicalResult resolveMachine();
  LogicalResult resolveRanks();
  LogicalResult checkLayout(Mapper mapper);
  std::string needsLayout() const;
  std::optional<std::string> parameter(StringRef name) const;

  Variant firstVariant() const;
  FailureOr<ExecPlan> tryVariant(const ChunkProgram &program, const Variant &variant) const;
  FailureOr<InstrProgram> optimise(ChunkProgram &&program, const Variant &variant,
                                   PassManager &manager, PassContext &context) const;
  FailureOr<ExecPlan> schedule(InstrProgram &&program, const Variant &variant, PassManager &manager,
                               PassContext &context) const;
  void place(InstrProgram &program) const;

  void stage(StringRef name) const {
    if (request.onStage)
      request.onStage(name);
  }
  CompileOutcome fail(ExitCode code) const { return {code, std::nullopt}; }

  const Declaration &declaration;
  const CompileRequest &request;
  DiagnosticEngine &diags;
  PassContext context;

  std::vector<std::pair<std::string, std::string>> values; ///< of every parameter
  std::optional<Machine> machine;
  Geometry places;                 ///< of the machine, those that the mapper leaves
  std::vector<uint32_t> endpoints; ///< of all places
  dsl::TraceOptions options;
  Slots slots = defaultSlots;
};

std::optional<std::string> Compilation::parameter(StringRef name) const {
  for (const auto &[key, value] : values)
    if (key == name)
      return value;
  return std::nullopt;
}

LogicalResult Compilation::resolveParameters() {
  std::vector<ParamSpec> specs = allParameters(declaration);
  std::vector<std::string> names;
  for (const ParamSpec &spec : specs) {
    names.push_back(spec.name);
    values.emplace_back(spec.name, spec.value);
  }
  for (const auto &[key, given] : request.parameters) {
    auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const ParamSpec &s) { return s.name == key; });
    if (spec == specs.end()) {
      std::string all;
      for (const std::string &name : names)
        all += (all.empty() ? "" : ", ") + name;
      return diags.error({}, formatv("program '{0}' has no parameter '{1}'{2}; it has {3}",
                                     declaration.name(), key, didYouMean(key, names), all));
    }
    std::string value = given;
    if (key == "mapper" && parseMapper(given) && failed(checkLayout(*parseMapper(given))))
      return failure();
    if (!spec->accept(value))
      return diags.error(
          {}, formatv("parameter '{0}' takes {1}, not '{2}'", key, spec->domain(), given));
    values[spec - specs.begin()].second = value;
  }
  options.placements = placementsFor(*parameter("buffers"));
  // The program sees, and the plan records, what the program itself declares.
  options.parameters = dsl::ParamValues(
      {values.begin(), values.begin() + std::ptrdiff_t(declaration.params().size())});
  return success();
}

std::string Compilation::needsLayout() const {
  Layout layout = layoutOf(declaration.mapper());
  return formatv("program '{0}' needs layout {1}, {2}", declaration.name(), layout.name,
                 layout.meaning);
}

/// A program that fixes its mapper takes no other one.
LogicalResult Compilation::checkLayout(Mapper mapper) {
  if (!declaration.fixesMapper() || mapper == declaration.mapper())
    return success();
  Layout other = layoutOf(mapper);
  return diags.error({}, formatv("{0} (mapper={1}); mapper={2} is layout {3}, {4}", needsLayout(),
                                 mapperName(declaration.mapper()), mapperName(mapper), other.name,
                                 other.meaning));
}

LogicalResult Compilation::resolveMachine() {
  if (!request.target) {
    if (request.optimisation >= 3)
      return diags.error({}, "-O3 needs --target: it times variants of the plan there");
    if (request.placement != RankPlacement::Linear)
      return diags.error({}, formatv("--placement={0} needs --target: it says which PE of the "
                                     "target runs which rank",
                                     rankPlacementName(request.placement)));
    return success();
  }
  TargetRequest target = *request.target;
  target.ranks = options.ranks;
  FailureOr<Machine> loaded = loadTarget(target, diags);
  if (failed(loaded))
    return failure();
  machine.emplace(std::move(*loaded));
  if (!request.slots)
    slots = machine->slotsFor(request.protocol);
  return success();
}

/// What fixes the number of ranks: parameters of the program, else --ranks, else
/// the target, else the program's default.
LogicalResult Compilation::resolveRanks() {
  bool fixed = true;
  if (declaration.ranksFrom()) {
    options.ranks = declaration.ranksFrom()(options.parameters);
    if (request.ranks && *request.ranks != options.ranks)
      return diags.error({}, formatv("the parameters of '{0}' make {1} ranks, but --ranks says {2}",
                                     declaration.name(), options.ranks, *request.ranks));
  } else if (request.ranks) {
    options.ranks = *request.ranks;
  } else {
    options.ranks = declaration.defaultRanks();
    fixed = false;
  }
  if (options.ranks > maxRanks)
    return diags.error(
        {}, formatv("{0} ranks are more than the limit of {1}", options.ranks, uint32_t(maxRanks)));
  if (failed(resolveMachine()))
    return failure();
  if (machine) {
    std::string mapper = *parameter("mapper");
    Machine::Selection selection = machine->select(*parseMapper(mapper));
    if (!fixed)
      options.ranks = selection.endpoints.size();
    if (options.ranks > selection.endpoints.size())
      return diags.error({},
                         formatv("{0} ranks are asked for, but target {1} has room for {2} "
                                 "(mapper {3})",
                                 options.ranks, machine->name, selection.endpoints.size(), mapper));
    if (declaration.fixesMapper() && options.ranks < selection.endpoints.size())
      return diags.error({}, formatv("{0}: {1} tiles on target {2}, but {3} ranks are asked for",
                                     needsLayout(), selection.endpoints.size(), machine->name,
                                     options.ranks));
    places = selection.geometry;
    // Fewer ranks than the machine has room for are no longer a grid.
    if (options.ranks < selection.endpoints.size())
      selection.geometry = {{{"rank", GridKind::Flat, options.ranks, 1}}};
    options.geometry = std::move(selection.geometry);
    options.placementOnTarget.assign(selection.endpoints.begin(),
                                     selection.endpoints.begin() + options.ranks);
    endpoints = std::move(selection.endpoints);
    options.target = machine->name;
  } else {
    options.geometry = {{{"rank", GridKind::Flat, options.ranks, 1}}};
  }
  if (options.ranks < uint32_t(declaration.fewestRanks()))
    return diags.error({}, formatv("program '{0}' needs at least {1} ranks, not {2}",
                                   declaration.name(), declaration.fewestRanks(), options.ranks));
  return success();
}

static FailureOr<Module> runPasses(StringRef pipeline, Module &&module, PassManager &manager,
                                   PassContext &context) {
  PassRegistry registry;
  registerAllPasses(registry);
  FailureOr<std::vector<std::unique_ptr<Pass>>> passes =
      registry.parsePipeline(pipeline, context.diags);
  if (failed(passes))
    return failure();
  manager.add(std::move(*passes));
  return manager.run(std::move(module), context);
}

Variant Compilation::firstVariant() const {
  Variant variant;
  variant.instances = request.instances.value_or(1);
  variant.goal = std::nullopt;
  if (request.optimisation >= 2)
    variant.goal = request.goal.value_or(ScheduleGoal::Balance);
  variant.aggregate = request.aggregate;
  variant.fusion =
      request.optimisation >= 1 ? request.fusion.value_or(FusionOptions()) : FusionOptions::none();
  return variant;
}

FailureOr<InstrProgram> Compilation::optimise(ChunkProgram &&program, const Variant &variant,
                                              PassManager &manager, PassContext &context) const {
  std::string pipeline;
  ArrayRef<Directive> directives = program.info().directives;
  if (variant.aggregate)
    pipeline += "aggregate{which=all},";
  else if (llvm::any_of(directives, [](const Directive &d) { return d.aggregate != 0; }))
    pipeline += "aggregate,";
  if (llvm::any_of(directives, [](const Directive &d) { return d.parallel > 1; }))
    pipeline += "parallelize,";
  if (variant.instances > 1)
    pipeline += formatv("replicate-instances{n={0},layout={1}},", variant.instances,
                        instanceLayoutName(request.layout));
  pipeline += "lower-to-instr";
  if (request.optimisation >= 1)
    pipeline += ",remove-dead-copies";
  const FusionOptions &fusion = variant.fusion;
  auto yes = [](bool on) { return on ? "yes" : "no"; };
  if (fusion != FusionOptions::none())
    pipeline += ",fuse-receive-reduce,fuse{rcs=" + std::string(yes(fusion.rcs)) +
                ",rrcs=" + yes(fusion.rrcs) + ",rrs=" + yes(fusion.rrs) + "}";
  FailureOr<Module> result = runPasses(pipeline, std::move(program), manager, context);
  if (failed(result))
    return failure();
  return std::get<InstrProgram>(std::move(*result));
}

void Compilation::place(InstrProgram &program) const {
  if (request.placement != RankPlacement::Linear)
    program.placeRanks(placeRanks(request.placement, program, *machine, places, endpoints));
}

/// The smaller of two limits, if there is one.
static std::optional<uint32_t> least(std::optional<uint32_t> a, std::optional<uint32_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

FailureOr<ExecPlan> Compilation::schedule(InstrProgram &&program, const Variant &variant,
                                          PassManager &manager, PassContext &context) const {
  TargetLimits limits = machine ? machine->limits : TargetLimits();
  std::string how = "slots=" + slots.str();
  how += variant.goal ? ",goal=" + goalName(*variant.goal).str() : ",weigh=no";
  if (auto channels = least(least(limits.channels, request.maxChannels), variant.maxChannels))
    how += formatv(",channels={0}", *channels);
  if (auto threadblocks = least(limits.threadblocks, request.maxThreadblocks))
    how += formatv(",threadblocks={0}", *threadblocks);
  if (limits.queuePairs)
    how += formatv(",queue_pairs={0}", *limits.queuePairs);
  if (request.maxPerChannel)
    how += formatv(",per_channel={0}", *request.maxPerChannel);
  FailureOr<Module> result =
      runPasses("schedule{" + how + (request.lowerFused ? "},lower-fused" : "}"),
                std::move(program), manager, context);
  if (failed(result))
    return failure();
  return std::get<ExecPlan>(std::move(*result));
}

/// The plan of a variant that may come to nothing: whatever goes wrong is not said.
FailureOr<ExecPlan> Compilation::tryVariant(const ChunkProgram &program,
                                            const Variant &variant) const {
  DiagnosticEngine unheard;
  PassContext context(unheard);
  PassManagerOptions quiet;
  PassManager optimiser(quiet), scheduler(quiet);
  FailureOr<InstrProgram> instrs = optimise(ChunkProgram(program), variant, optimiser, context);
  if (failed(instrs))
    return failure();
  place(*instrs);
  FailureOr<ExecPlan> plan = schedule(std::move(*instrs), variant, scheduler, context);
  if (succeeded(plan) && failed(checkLegality(*plan, *machine, unheard)))
    return failure();
  return plan;
}

CompileOutcome Compilation::run() {
  if (failed(resolveParameters()) || failed(resolveRanks()))
    return fail(ExitCode::Unusable);
  if (request.slots)
    slots = *request.slots;
  options.protocol = request.protocol;
  options.minBytes = request.minBytes;
  options.maxBytes = request.maxBytes;

  stage("trace");
  dsl::TraceResult traced = dsl::trace(declaration, options, diags);
  if (!traced.program)
    return fail(traced.refused ? ExitCode::Unusable : ExitCode::Wrong);
  if (traced.readsGeometry && request.placement != RankPlacement::Linear) {
    diags.error({}, formatv("program '{0}' reads the geometry and runs each rank where it belongs: "
                            "--placement=linear only, not {1}",
                            declaration.name(), rankPlacementName(request.placement)));
    return fail(ExitCode::Unusable);
  }
  if (request.passes.printAfterAll || request.passes.printAfter == "trace") {
    *request.passes.printTo << "// after trace\n";
    print(*request.passes.printTo, *traced.program, request.passes.print);
  }
  if (!traced.program->info().calls.empty()) {
    PassManager manager(request.passes);
    FailureOr<Module> allocated =
        runPasses(formatv("allocate-generations{{stride={0}}", traced.generationStride).str(),
                  std::move(*traced.program), manager, context);
    if (failed(allocated))
      return fail(ExitCode::Wrong);
    traced.program = std::get<ChunkProgram>(std::move(*allocated));
  }
  if (request.onChunkProgram)
    request.onChunkProgram(*traced.program);
  uint64_t chunkOps = traced.program->ops().size();

  if (request.verify) {
    stage("check");
    if (failed(checkProgram(*traced.program, diags)))
      return fail(ExitCode::Wrong);
  }

  Variant variant = firstVariant();
  if (request.optimisation >= 3) {
    stage("search");
    SearchSpace space{!request.instances,
                      !request.aggregate,
                      !request.fusion,
                      !request.goal,
                      representativeSizes(request.minBytes, request.maxBytes),
                      request.jobs};
    variant = findFastest(
        variant, space, *machine, slots,
        [&](const Variant &next) { return tryVariant(*traced.program, next); }, request.remarks);
  }

  // From here on the algorithm is known to be right: unless its directives contradict
  // each other, whatever goes wrong is ours.
  PassManager optimiser(request.passes), scheduler(request.passes);
  auto failedIn = [&](const PassManager &manager) {
    return fail(manager.brokenByPass() && request.verify ? ExitCode::Internal : ExitCode::Wrong);
  };
  stage("lower and fuse");
  FailureOr<InstrProgram> instrs =
      optimise(std::move(*traced.program), variant, optimiser, context);
  if (failed(instrs))
    return failedIn(optimiser);
  if (request.placement != RankPlacement::Linear)
    stage("place");
  place(*instrs);
  if (request.onInstrProgram)
    request.onInstrProgram(*instrs);
  stage("schedule");
  FailureOr<ExecPlan> plan = schedule(std::move(*instrs), variant, scheduler, context);
  if (failed(plan))
    return failedIn(scheduler);

  std::optional<PlanReport> proof;
  if (request.verify) {
    stage("verify");
    proof = verifyPlan(*plan, slots, diags);
    if (proof->verdict != Verdict::Ok)
      return fail(ExitCode::Internal);
  }
  if (machine && failed(checkLegality(*plan, *machine, diags)))
    return fail(ExitCode::Wrong);
  std::vector<PassManager::Timing> timings = optimiser.timings();
  timings.insert(timings.end(), scheduler.timings().begin(), scheduler.timings().end());
  return {ExitCode::Success,
          Compiled{std::move(*plan), proof, chunkOps, context.statistics(), std::move(timings)}};
}
} // namespace

void cclc::registerAllPasses(PassRegistry &registry) {
  registerTransforms(registry);
  registerSchedulers(registry);
  registerChecks(registry);
}

CompileOutcome cclc::compile(const Declaration &declaration, const CompileRequest &request,
                             DiagnosticEngine &diags) {
  return Compilation(declaration, request, diags).run();
}
