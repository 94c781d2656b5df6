#include "cclc/MscclppSim/ReportPlan.h"

#include <map>

using namespace cclc;
using namespace cclc::mscclpp;

FailureOr<ExecPlan> mscclpp::planForReports(const Plan &plan, DiagnosticEngine &diags) {
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

Sizing mscclpp::sizingForReports(const SizedPlan &sized) {
  Sizing sizing;
  sizing.requested = sized.requested;
  sizing.type = sized.type;
  sizing.chunkElements = sizing.pieceElements = sized.elementsOfFile();
  sizing.pieces = 1;
  return sizing;
}
