#include "cclc/IR/Connections.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace cclc;

ConnectionTable::ConnectionTable(const ExecPlan &plan) {
  llvm::DenseMap<uint64_t, uint32_t> bySender;
  auto uses = [&](const Threadblock &tb, bool OpTraits::*direction) {
    return llvm::any_of(plan.steps(tb),
                        [&](const Step &step) { return traits(step.op).*direction; });
  };
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    Peers peers = plan.sendPeers(tb);
    if (!peers.empty() && uses(tb, &OpTraits::sends))
      for (size_t i = 0; i < peers.size(); ++i) {
        sends.ids.push_back(ConnectionId(table.size()));
        bySender[connectionKey(tb.rank, peers[i], tb.channel)] = table.size();
        table.push_back({t, t});
      }
    sends.begin.push_back(sends.ids.size());
  }
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    Peers peers = plan.recvPeers(tb);
    if (!peers.empty() && uses(tb, &OpTraits::receives))
      for (size_t i = 0; i < peers.size(); ++i) {
        auto it = bySender.find(connectionKey(peers[i], tb.rank, tb.channel));
        assert(it != bySender.end() && "the structural verifier matches connections");
        recvs.ids.push_back(ConnectionId(it->second));
        table[it->second].receiverTb = t;
      }
    recvs.begin.push_back(recvs.ids.size());
  }
  table.shrink_to_fit(); // proofs keep it
  for (Ends *ends : {&sends, &recvs}) {
    ends->ids.shrink_to_fit();
    ends->begin.shrink_to_fit();
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
