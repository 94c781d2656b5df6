//===- ReportPlan.cpp - The operations of MSCCL++ in reports --------------===//
//
// Every operation becomes a step of its threadblock that moves nothing, so that reports, traces and
// comparisons show operations where they show steps. The times are those of the operations.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/ReportPlan.h"

#include "cclc/Mscclpp/Json.h"

#include <map>

namespace cclc::mscclpp {

FailureOr<ExecPlan> planForReports(const Plan &plan, DiagnosticEngine &diags) {
  ProgramInfo info = programInfoOf(plan.header());
  std::map<OpKind, uint16_t> phases;
  for (const Operation &op : plan.ops())
    if (phases.try_emplace(op.op, info.phases.size()).second)
      info.phases.push_back({traits(op.op).mnemonic});
  ExecPlanBuilder builder(std::move(info));
  builder.reserveSteps(plan.ops().size());
  for (uint32_t r = 0; r < plan.ranks().size(); ++r)
    builder.setScratch(RankId(r), plan.ranks()[r].scratchChunks);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, {}, {}, ChannelId(0));
    for (const Operation &op : plan.ops(tb)) {
      Step step(cclc::OpKind::Nop, Operand(), Operand(), 1, op.loc, op.loc);
      step.phase = phases.at(op.op);
      builder.addStep(step);
    }
  }
  return std::move(builder).finish(diags);
}

Sizing sizingForReports(const SizedPlan &sized) {
  Sizing sizing;
  sizing.requested = sized.requested;
  sizing.type = sized.type;
  sizing.chunkElements = sizing.pieceElements = sized.elementsOfFile();
  sizing.pieces = 1;
  return sizing;
}

FailureOr<ShownPlan> ShownPlan::read(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  FailureOr<Plan> plan = readJson(text, fileName, diags);
  if (failed(plan))
    return failure();
  FailureOr<ExecPlan> steps = planForReports(*plan, diags);
  if (failed(steps))
    return failure();
  return ShownPlan{std::move(*plan), std::move(*steps)};
}

FailureOr<ShownOnMachine> ShownOnMachine::create(const ShownPlan &plan, const Machine &machine,
                                                 DiagnosticEngine &diags) {
  FailureOr<BoundPlan> bound = BoundPlan::create(plan.plan, machine, diags);
  if (failed(bound))
    return failure();
  FailureOr<cclc::BoundPlan> shown =
      cclc::BoundPlan::create(plan.steps, machine, Slots::unlimited(), diags);
  if (failed(shown))
    return failure();
  return ShownOnMachine{std::move(*bound), std::move(*shown)};
}

} // namespace cclc::mscclpp
