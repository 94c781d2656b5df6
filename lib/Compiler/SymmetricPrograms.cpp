//===- SymmetricPrograms.cpp - Compilation of one repetition --------------===//
//
// One repetition of each orbit is traced and compiled on folded ranks, by the stages of any other
// program. The plan of a folded rank is the rolled plan.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "SchedulePlan.h"

#include "cclc/Schedule/ThreadblockOrder.h"
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

/// Traces one repetition of each orbit; all of a program that does not begin with an orbit. Errors
/// are those of the trace of all ranks.
dsl::TraceResult Compilation::traceRepetition() const {
  stage("trace");
  DiagnosticEngine unheard;
  return dsl::traceSymmetricOrWhole(declaration, traceOptions(), unheard);
}

/// Whether a large program becomes a rolled plan, which has no advantage for few ranks.
bool Compilation::mayRoll() const {
  constexpr uint32_t manyRanks = 256;
  return !request.target && resolved.options.ranks >= manyRanks && whyNotRolled().empty();
}

bool Compilation::isLarge(const SymmetricProgram &program) {
  return isOrdered(program) && program.ops.size() * program.info.ranks() > mostUnrolledOps;
}

FailureOr<CompiledRolled> Compilation::runRolled(PassContext &context) const {
  if (std::string why = whyNotRolled(); !why.empty())
    return context.diags.error({}, why);
  stage("trace");
  dsl::TraceResult traced = dsl::traceSymmetric(declaration, traceOptions(), context.diags);
  if (!traced.symmetric)
    return failure();
  return compileRepetition(*traced.symmetric, context);
}

/// Compiles one repetition to a rolled plan.
FailureOr<CompiledRolled> Compilation::compileRepetition(const SymmetricProgram &program,
                                                         PassContext &context) const {
  DiagnosticEngine &diags = context.diags;
  if (llvm::any_of(program.info.directives, [](const Directive &d) { return d.parallel > 1; }))
    return diags.error({}, "a program with parallel parts has no rolled plan");
  if (!isOrdered(program))
    return diags.error({},
                       "the plan is not rolled: the rotations permute the chunks of an operation");
  FoldedRanks ranks = foldedRanks(program);
  FailureOr<RolledPlan> plan = failure();
  for (bool inLockstep : {false, true}) {
    FailureOr<ExecPlan> folded = compileFolded(program, ranks, inLockstep, context);
    if (failed(folded))
      return diags.fail(Failure::Unfit);
    DiagnosticEngine found;
    plan = roll(program, ranks, *folded, found);
    if (succeeded(plan))
      break;
    if (inLockstep) {
      diags.append(std::move(found));
      return diags.fail(Failure::Unusable);
    }
  }
  CompiledRolled compiled{std::move(*plan)};
  if (request.verify) {
    stage("verify");
    compiled.report = verifyRolled(compiled.plan, slotsOf(firstVariant()), diags);
    // Unlike an unrolled program, the folded one was not proved before.
    if (compiled.report->verdict != Verdict::Ok)
      return diags.fail(Failure::Wrong);
  }
  return compiled;
}

/// Compiles one repetition on \p ranks.
FailureOr<ExecPlan> Compilation::compileFolded(const SymmetricProgram &program,
                                               const FoldedRanks &ranks, bool inLockstep,
                                               PassContext &context) const {
  FailureOr<ChunkProgram> chunks = cclc::fold(program, ranks, context.diags);
  if (failed(chunks))
    return failure();
  Variant variant = firstVariant();
  chunks->setOptions(recordedOptions(variant));
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

/// Compiles one repetition, unrolls its plan and proves it. Fails if the plan is not symmetric, or
/// anything is wrong with the program: then all ranks are compiled, for the error.
FailureOr<Compiled> Compilation::compileUnrolled(const SymmetricProgram &program,
                                                 PassContext &context) const {
  auto dependsOnRank = [](const Directive &d) {
    return d.parallel > 1 || d.aggregate || d.sendTb || d.recvTb;
  };
  FoldedRanks ranks = foldedRanks(program);
  uint64_t chunkOps = program.ops.size() * program.info.ranks();
  if (!program.info.calls.empty() || llvm::any_of(program.info.directives, dependsOnRank) ||
      2 * ranks.ranks() > program.info.ranks() || chunkOps > request.traceLimit)
    return failure();
  FailureOr<ExecPlan> folded = compileFolded(program, ranks, /*inLockstep=*/false, context);
  if (failed(folded))
    return failure();
  FailureOr<RolledPlan> rolled = roll(program, ranks, *folded, context.diags);
  if (failed(rolled) || choosesChannels(*rolled) || context.statistics()["schedule.unfused"] != 0)
    return failure();
  stage("unroll");
  FailureOr<ExecPlan> plan = unroll(
      *rolled, context.diags,
      [&](RankId rank, ArrayRef<RankThreadblock> threadblocks, MutableArrayRef<uint32_t> order) {
        sortThreadblocks(program.info.ranks(), rank, threadblocks, order);
      });
  if (failed(plan))
    return failure();
  stage("verify");
  PlanProof proof = verifyPlan(*plan, slotsOf(firstVariant()), context.diags, request.reductionHash,
                               request.jobs);
  if (proof.verdict != Verdict::Ok)
    return failure();
  context.extrapolate(ranks.ranks(), program.info.ranks());
  return Compiled{std::move(*plan), proof, std::nullopt, chunkOps, context.statistics()};
}
