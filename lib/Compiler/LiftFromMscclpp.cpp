//===- LiftFromMscclpp.cpp - Plans of MSCCL++ as plans of steps -----------===//
//
// The operations become a program of chunks, which is optimised and scheduled as that of a user.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/LiftFromMscclpp.h"

#include "SchedulePlan.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/Mscclpp/Lift/Lift.h"
#include "cclc/Mscclpp/Lift/Nodes.h"
#include "cclc/Mscclpp/Proof/Verify.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

void cclc::warnOfLostProperties(const mscclpp::Plan &plan, bool keepsNodes,
                                DiagnosticEngine &diags) {
  const mscclpp::Header &header = plan.header();
  std::vector<std::string> lost;
  if (header.bufferAlignment != mscclpp::Header::defaultAlignment)
    lost.push_back("buffer_alignment " + std::to_string(header.bufferAlignment));
  if (header.threadsPerBlock != mscclpp::Header::defaultThreads)
    lost.push_back("num_threads_per_block " + std::to_string(header.threadsPerBlock));
  if (header.reuseResources)
    lost.push_back("reuse_resources");
  std::optional<uint32_t> perNode = mscclpp::ranksPerNode(plan);
  if (!perNode || (!keepsNodes && *perNode < plan.ranks().size()))
    lost.push_back(perNode ? "the nodes of the ranks" : "nodes of unequal or scattered ranks");
  if (!lost.empty())
    diags.warning(plan.whole(), "the result does not have " + llvm::join(lost, ", "));
}

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

FailureOr<ExecPlan> cclc::liftProved(const mscclpp::Plan &plan, DiagnosticEngine &diags) {
  Verdict verdict = mscclpp::verifyForExecutor(plan, diags).verdict;
  if (verdict != Verdict::Ok)
    return diags.fail(failureOf(verdict));
  FailureOr<ExecPlan> lifted = liftFromMscclpp(plan, /*dialect=*/nullptr, diags);
  if (failed(lifted))
    return diags.fail(Failure::Unfit);
  return lifted;
}
