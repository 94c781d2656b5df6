#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

std::string cclc::threadblockName(const ExecPlan &plan, PlanThreadblockId threadblock) {
  return formatv("r{0} tb{1}", plan.threadblocks()[threadblock.index()].rank.index(),
                 plan.localId(threadblock.index()).index());
}

std::string cclc::stepName(const ExecPlan &plan, PlanThreadblockId threadblock, StepId step) {
  return formatv("{0} step {1} ({2})", threadblockName(plan, threadblock),
                 step.index() - plan.threadblocks()[threadblock.index()].firstStep,
                 traits(plan.steps()[step.index()].op).mnemonic);
}

std::string cclc::stepName(const ExecPlan &plan, StepId step) {
  return stepName(plan, threadblockOf(plan, step), step);
}

void cclc::printOperation(raw_ostream &os, OpKind op, Operand src, Operand dst, uint32_t count) {
  os << traits(op).mnemonic;
  if (traits(op).readsSrc) {
    os << ' ';
    printRange(os, src, count);
  }
  if (traits(op).writesDst) {
    os << " -> ";
    printRange(os, dst, count);
  }
}

std::string cclc::peerNames(const Peers &peers) {
  std::string names;
  for (size_t i = 0; i < peers.size(); ++i)
    names += (i == 0                  ? "r"
              : i + 1 == peers.size() ? " and r"
                                      : ", r") +
             std::to_string(peers[i].index());
  return names;
}

PlanThreadblockId cclc::threadblockOf(const ExecPlan &plan, StepId step) {
  auto tbs = plan.threadblocks();
  auto it =
      std::upper_bound(tbs.begin(), tbs.end(), step.index(),
                       [](uint32_t step, const Threadblock &tb) { return step < tb.firstStep; });
  // Empty threadblocks share their first step with the next one; the last of them is not empty.
  return PlanThreadblockId(it - tbs.begin() - 1);
}

Location cclc::stepLocation(const ExecPlan &plan, StepId step) {
  return plan.info().locate(plan.steps()[step.index()].loc);
}
