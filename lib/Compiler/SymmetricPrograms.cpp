//===- SymmetricPrograms.cpp - Compilation of one repetition --------------===//
//
// One repetition of each orbit is traced and compiled on folded ranks, by the stages of any other
// program. The plan of a folded rank is the rolled plan.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "SchedulePlan.h"

#include "cclc/Schedule/ThreadblockOrder.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"
#include "cclc/Transforms/Pass/PassManager.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using dsl::Declaration;

/// Whether relative indices of ranges are in the order of their chunks on every rank, as the proof
/// of rolled plans requires.
static bool isOrdered(const SymmetricProgram &program) {
  auto keeps = [&](ChunkBuffer buffer, uint32_t index, uint32_t count) {
    return program.group.keepsOrder(buffer.kind(), index, count);
  };
  return llvm::all_of(program.ops, [&](const ChunkOp &op) {
    return keeps(op.src, op.srcIndex, op.count) && keeps(op.dst, op.dstIndex, op.count);
  });
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

/// Traces one repetition of each orbit; all of a program that does not begin with an orbit. None if
/// the program is not symmetric. Errors are those of the trace of all ranks.
std::optional<SymmetricProgram> Compilation::traceRepetition() {
  stage("trace");
  DiagnosticEngine unheard;
  dsl::TraceOptions kept = resolved.options; // tracing consumes them
  dsl::TraceOptions options = traceOptions();
  dsl::TraceResult result = dsl::traceSymmetricOrWhole(declaration, options, unheard);
  resolved.options = std::move(kept);
  std::optional<SymmetricProgram> symmetric = std::move(result.symmetric);
  if (result.program)
    traced = std::move(result);
  return symmetric;
}

/// Whether a large program becomes a rolled plan, which has no advantage for few ranks.
bool Compilation::mayRoll() const {
  constexpr uint32_t manyRanks = 256;
  return request.mayRoll && !request.target && resolved.options.ranks >= manyRanks &&
         whyNotRolled().empty();
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
  if (!isOrdered(program)) {
    diags.error({}, "the plan is not rolled: the rotations permute the chunks of an operation");
    return {ExitCode::Unusable, std::nullopt};
  }
  FoldedRanks ranks = foldedRanks(program);
  FailureOr<RolledPlan> plan = failure();
  for (bool inLockstep : {false, true}) {
    FailureOr<ExecPlan> folded = compileFolded(program, ranks, inLockstep);
    if (failed(folded))
      return {ExitCode::Wrong, std::nullopt};
    DiagnosticEngine found;
    plan = roll(program, ranks, *folded, found);
    if (succeeded(plan))
      break;
    if (inLockstep) {
      diags.append(std::move(found));
      return {ExitCode::Unusable, std::nullopt};
    }
  }
  RolledOutcome outcome{ExitCode::Success, std::move(*plan)};
  if (request.verify) {
    stage("verify");
    outcome.report = verifyRolled(*outcome.plan, slotsOf(firstVariant()), diags);
    // Unlike an unrolled program, the folded one was not proved before.
    if (outcome.report->verdict != Verdict::Ok)
      return {ExitCode::Wrong, std::nullopt};
  }
  return outcome;
}

/// Compiles one repetition on \p ranks.
FailureOr<ExecPlan> Compilation::compileFolded(const SymmetricProgram &program,
                                               const FoldedRanks &ranks, bool inLockstep) {
  FailureOr<ChunkProgram> chunks = cclc::fold(program, ranks, diags);
  if (failed(chunks))
    return failure();
  Variant variant = firstVariant();
  PassManager optimiser(request.passes), scheduler(request.passes);
  stage("lower and fuse");
  FailureOr<InstrProgram> instrs = optimise(std::move(*chunks), variant, optimiser, context);
  if (failed(instrs))
    return failure();
  stage("schedule");
  PlanScheduler plans(request, machine());
  plans.inLockstep = inLockstep;
  return plans.scheduleWithin(std::move(*instrs), variant, slotsOf(variant), scheduler, context);
}

// --- Plans of all ranks -------------------------------------------------------------------

/// Whether the request asks for more than the plan.
bool Compilation::isWatched() const {
  const PassManagerOptions &passes = request.passes;
  return request.remarks || request.onChunkProgram || request.onInstrProgram ||
         passes.printAfterAll || !passes.printAfter.empty() || passes.verifySemantics;
}

/// Whether the request asks for nothing but the plan, and treats all ranks alike. Under a limit of
/// steps, chains are distributed over channels in the order of all ranks.
bool Compilation::mayFold() const {
  constexpr uint32_t manyRanks = 64; // of fewer, all are compiled in milliseconds
  Variant variant = firstVariant();
  bool isVaried = request.optimisation >= 3 || variant.instances > 1 || variant.aggregate ||
                  variant.placement != RankPlacement::Linear;
  return resolved.options.ranks >= manyRanks && request.verify && !isWatched() && !isVaried &&
         !request.mscclpp && !constraintsOf(request, machine()).most(Limit::Steps) &&
         !(machine() && machine()->directionQueues.areLimited());
}

/// Sorts the threadblocks of \p rank as the scheduler does.
static void sortThreadblocks(uint32_t ranks, RankId rank, ArrayRef<RankThreadblock> threadblocks,
                             MutableArrayRef<uint32_t> order) {
  SmallVector<RankId, 4> peers;
  for (const RankThreadblock &tb : threadblocks)
    if (tb.send && !llvm::is_contained(peers, *tb.send))
      peers.push_back(*tb.send);
  ThreadblockOrder by(ranks, rank, peers.size());
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    auto key = [&](uint32_t t) {
      const RankThreadblock &tb = threadblocks[t];
      return std::pair(by.key(tb.channel, tb.send, tb.recv), t);
    };
    return key(a) < key(b);
  });
}

/// Whether the scheduler chose channels. It places chains one after the other: where some fit on no
/// channel together, the choice depends on all ranks, of which folded ones have several chains.
static bool choosesChannels(const RolledPlan &plan) {
  return llvm::any_of(plan.threadblocks, [&](const RolledPlan::Threadblock &tb) {
    return tb.channel.index() != 0 &&
           llvm::none_of(plan.info.directives, [&](const Directive &directive) {
             return directive.channel && *directive.channel == tb.channel.index();
           });
  });
}

/// Compiles one repetition, unrolls its plan and proves it. None if the plan is not symmetric, or
/// anything is wrong with the program: then all ranks are compiled, for the error.
std::optional<Compiled> Compilation::runFolded(const SymmetricProgram &program) {
  auto dependsOnRank = [](const Directive &d) {
    return d.parallel > 1 || d.aggregate || d.sendTb || d.recvTb;
  };
  FoldedRanks ranks = foldedRanks(program);
  uint64_t chunkOps = program.ops.size() * program.info.ranks();
  if (!program.info.calls.empty() || llvm::any_of(program.info.directives, dependsOnRank) ||
      2 * ranks.ranks() > program.info.ranks() || chunkOps > request.traceLimit)
    return std::nullopt;
  auto compileAndRoll = [&]() -> FailureOr<RolledPlan> {
    FailureOr<ExecPlan> folded = compileFolded(program, ranks, /*inLockstep=*/false);
    if (failed(folded))
      return failure();
    return roll(program, ranks, *folded, diags);
  };
  FailureOr<RolledPlan> rolled = compileAndRoll();
  if (failed(rolled) || choosesChannels(*rolled) || context.statistics()["schedule.unfused"] != 0)
    return std::nullopt;
  stage("unroll");
  FailureOr<ExecPlan> plan = unroll(
      *rolled, diags,
      [&](RankId rank, ArrayRef<RankThreadblock> threadblocks, MutableArrayRef<uint32_t> order) {
        sortThreadblocks(program.info.ranks(), rank, threadblocks, order);
      });
  if (failed(plan))
    return std::nullopt;
  stage("verify");
  PlanProof proof =
      verifyPlan(*plan, slotsOf(firstVariant()), diags, request.reductionHash, request.jobs);
  if (proof.verdict != Verdict::Ok)
    return std::nullopt;
  context.extrapolate(ranks.ranks(), program.info.ranks());
  return Compiled{std::move(*plan), proof, std::nullopt, chunkOps, context.statistics()};
}

std::optional<Compiled> Compilation::tryFolded(const SymmetricProgram &program) {
  DiagnosticEngine own;
  Compilation attempt(declaration, request, own);
  attempt.resolved = std::move(resolved);
  std::optional<Compiled> compiled = attempt.runFolded(program);
  resolved = std::move(attempt.resolved);
  if (compiled)
    diags.append(std::move(own));
  return compiled;
}

/// None if the plan has to be compiled on all ranks.
std::optional<CompileOutcome> Compilation::trySymmetric() {
  if (!mayRoll() && !mayFold())
    return std::nullopt;
  std::optional<SymmetricProgram> program = traceRepetition();
  if (!program)
    return std::nullopt;
  if (mayRoll() && isOrdered(*program) &&
      program->ops.size() * program->info.ranks() > mostUnrolledOps)
    return CompileOutcome{ExitCode::Success, std::nullopt};
  std::optional<Compiled> compiled = mayFold() ? tryFolded(*program) : std::nullopt;
  if (!compiled)
    return std::nullopt;
  stage("fit");
  ExitCode code = fit(*compiled, firstVariant());
  return code == ExitCode::Success ? CompileOutcome{code, std::move(compiled)} : fail(code);
}

RolledOutcome cclc::compileRolled(const Declaration &declaration, const CompileRequest &request,
                                  DiagnosticEngine &diags) {
  MemoryBudget::Work work("the compilation");
  return Compilation(declaration, request, diags).runRolled();
}
