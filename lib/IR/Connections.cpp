#include "cclc/IR/Connections.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace cclc;

ConnectionTable::ConnectionTable(const ExecPlan &plan)
    : sends(plan.threadblocks().size()), recvs(plan.threadblocks().size()) {
  llvm::DenseMap<uint64_t, uint32_t> bySender;
  auto uses = [&](const Threadblock &tb, bool OpTraits::*direction) {
    return llvm::any_of(plan.steps(tb),
                        [&](const Step &step) { return traits(step.op).*direction; });
  };
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (!tb.sendPeer || !uses(tb, &OpTraits::sends))
      continue;
    sends[t] = ConnectionId(table.size());
    bySender[connectionKey(tb.rank, *tb.sendPeer, tb.channel)] = table.size();
    table.push_back({t, t});
  }
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (!tb.recvPeer || !uses(tb, &OpTraits::receives))
      continue;
    auto it = bySender.find(connectionKey(*tb.recvPeer, tb.rank, tb.channel));
    assert(it != bySender.end() && "the structural verifier matches connections");
    recvs[t] = ConnectionId(it->second);
    table[it->second].receiverTb = t;
  }
}

std::vector<OptionalId<StepId>> cclc::findPublishers(const ExecPlan &plan) {
  std::vector<OptionalId<StepId>> publisher(plan.steps().size());
  for (const Threadblock &tb : plan.threadblocks()) {
    OptionalId<StepId> next;
    for (uint32_t s = tb.firstStep + tb.numSteps; s-- > tb.firstStep;) {
      if (plan.steps()[s].publishes)
        next = StepId(s);
      publisher[s] = next;
    }
  }
  return publisher;
}
