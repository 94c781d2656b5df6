#include "cclc/Limits/PlanReads.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

/// Implements rule 52.
bool cclc::fetchesMessages(const ExecPlan &plan, const Threadblock &receiver, OneSidedReads reads) {
  if (reads != OneSidedReads::Scratch)
    return reads == OneSidedReads::All && receiver.recvPeer;
  bool receives = false;
  for (const Step &step : plan.steps(receiver)) {
    const OpTraits &op = traits(step.op);
    if (!op.receives)
      continue;
    if (op.reduces() || !op.writesDst || step.dst.buffer() != Buffer::Scratch)
      return false;
    receives = true;
  }
  return receives;
}

bool cclc::hasReads(const ExecPlan &plan, OneSidedReads reads) {
  return reads != OneSidedReads::Off &&
         llvm::any_of(plan.threadblocks(),
                      [&](const Threadblock &tb) { return fetchesMessages(plan, tb, reads); });
}
