//===- PlanCheck.cpp - The numbers of an ExecPlan -------------------------===//
//
// One pass over ranks, threadblocks and steps compares each number with its limit as it is
// counted and stops at the first breach; a breach by a step is reported at the source line
// of the step.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/PlanCheck.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Limits/PlanMemory.h"
#include "cclc/Limits/PlanQueues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

Constraints cclc::constraintsOf(const Machine &machine) {
  Constraints result("target " + machine.name);
  result.atMost(Limit::Ranks, machine.numEndpoints())
      .atMost(Limit::Channels, machine.limits.channels)
      .atMost(Limit::Threadblocks, machine.limits.threadblocks)
      .atMost(Limit::Steps, machine.limits.stepsPerThreadblock)
      .atMost(Limit::Count, machine.limits.count)
      .atMost(Limit::QueuePairs, machine.limits.queuePairs);
  for (size_t m = 0; m < numPeMemories; ++m)
    if (std::optional<Bytes> capacity = machine.memory.capacity[m])
      result.atMost(limitOf(memoryRule(static_cast<PeMemory>(m))), capacity->count());
  for (size_t g = 0; g < numQueueGroups; ++g)
    result.atMost(limitOf(queueRule(static_cast<QueueGroup>(g))),
                  machine.directionQueues.number[g]);
  return result;
}

namespace {
/// Checks the numbers of a plan up to the first one that exceeds its limit.
class PlanChecker {
public:
  PlanChecker(const ExecPlan &plan, const Constraints &constraints)
      : plan(plan), constraints(constraints),
        limitsSteps(!constraints.allows(Rule::Count, plan.maxCount()) ||
                    constraints.most(limitOf(Rule::WaitTarget)) ||
                    constraints.most(limitOf(Rule::FusedReceives))) {}

  bool keeps() {
    if (!within(Rule::Ranks, plan.ranks()) || !within(Rule::Channels, plan.channels()))
      return false;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (!keepsRank(RankId(r)))
        return false;
    return true;
  }

  std::optional<Breach> breach; ///< the breach that keeps() found
  Location loc;                 ///< and its location

private:
  bool within(Rule rule, uint64_t found, Constraints::Where where) {
    if (constraints.allows(rule, found))
      return true;
    breach = constraints.check(rule, found, where);
    return false;
  }
  bool within(Rule rule, uint64_t found) {
    return within(rule, found, [] { return std::string(); });
  }

  bool keepsRank(RankId rank) {
    auto name = [&] { return formatv("r{0}", rank.index()).str(); };
    if (!within(Rule::Threadblocks, plan.numThreadblocks(rank), name))
      return false;
    uint32_t outgoing = 0, incoming = 0;
    std::map<ChannelId, uint32_t> outgoingOf, incomingOf;
    for (const Threadblock &tb : plan.threadblocks(rank)) {
      auto channel = [&] { return name() + formatv(" on channel {0}", tb.channel.index()).str(); };
      uint32_t to = plan.sendPeers(tb).size(), from = plan.recvPeers(tb).size();
      outgoing += to;
      incoming += from;
      uint32_t toAll = outgoingOf[tb.channel] += to, fromAll = incomingOf[tb.channel] += from;
      if (!within(Rule::Steps, tb.numSteps, name) ||
          (to && !within(Rule::OutgoingOfChannel, toAll, channel)) ||
          (from && !within(Rule::IncomingOfChannel, fromAll, channel)))
        return false;
      if (limitsSteps && !llvm::all_of(plan.steps(tb), [&](const Step &s) { return keepsStep(s); }))
        return false;
    }
    return within(Rule::Outgoing, outgoing, name) && within(Rule::Incoming, incoming, name);
  }

  bool keepsStep(const Step &step) {
    const OpTraits &op = traits(step.op);
    std::optional<Wait> wait = step.wait();
    if (within(Rule::Count, step.count) && (!wait || within(Rule::WaitTarget, wait->tb.index())) &&
        within(Rule::FusedReceives, op.isFusedReceive(), [&] { return std::string(op.mnemonic); }))
      return true;
    loc = plan.info().locate(step.loc);
    return false;
  }

  const ExecPlan &plan;
  const Constraints &constraints;
  const bool limitsSteps; ///< whether a step may exceed a limit
};
} // namespace

bool cclc::keeps(const ExecPlan &plan, const Constraints &constraints) {
  return PlanChecker(plan, constraints).keeps();
}

std::optional<Breach> cclc::findBreach(const ExecPlan &plan, const Constraints &constraints) {
  PlanChecker checker(plan, constraints);
  checker.keeps();
  return std::move(checker.breach);
}

LogicalResult cclc::checkPlan(const ExecPlan &plan, const Constraints &constraints,
                              DiagnosticEngine &diags) {
  PlanChecker checker(plan, constraints);
  if (checker.keeps())
    return success();
  return diags.error(checker.loc, checker.breach->message());
}

LogicalResult cclc::checkPlan(const ExecPlan &plan, const Machine &machine, Slots slots,
                              DiagnosticEngine &diags, std::optional<uint32_t> leastSlots) {
  if (failed(checkPlan(plan, constraintsOf(machine), diags)) ||
      failed(PlanQueues(plan, machine).check(diags)))
    return failure();
  return PlanMemory(plan, machine, slots).checkSlots(diags, leastSlots.value_or(1));
}

LogicalResult cclc::checkNoSwitches(const ExecPlan &plan, StringRef destination,
                                    DiagnosticEngine &diags, StringRef lacking) {
  for (uint32_t t = 0; plan.usesSwitches() && t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (!tb.usesSwitch())
      continue;
    std::string does = tb.multicasts() ? "multicasts to " + peerNames(plan.sendPeers(tb))
                                       : "adds the messages from " + peerNames(plan.recvPeers(tb));
    return diags.error(
        tb.numSteps ? stepLocation(plan, StepId(tb.firstStep)) : Location(),
        illegalFor(destination, formatv("{0} {1} by a switch, which {2} does not have; compile "
                                        "with --set switch=null to copy and reduce instead",
                                        threadblockName(plan, PlanThreadblockId(t)), does,
                                        lacking.empty() ? destination : lacking)
                                    .str()));
  }
  return success();
}
