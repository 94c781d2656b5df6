//===- Deadlock.cpp - Cycle of waits and number of slots ------------------===//
//
// When a run ends early, each blocked threadblock waits for exactly one other: the wait-for
// graph (Holt, ACM Computing Surveys 4(3), 1972) has one edge for each node, and following it
// from any blocked threadblock reaches a cycle in linear time.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Deadlock.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

std::optional<WaitCycle> cclc::findDeadlock(const ExecPlan &plan, PlanControlFlow &runner,
                                            Slots slots) {
  if (runner.run(slots))
    return std::nullopt;
  // A blocked threadblock waits for another blocked one: follow the waits until one repeats.
  std::vector<uint32_t> orderOf(plan.threadblocks().size());
  std::vector<WaitCycle::Wait> path;
  uint32_t at = 0;
  while (!runner.blockage(PlanThreadblockId(at), slots))
    ++at;
  while (!orderOf[at]) {
    PlanThreadblockId threadblock(at);
    path.push_back({threadblock, *runner.blockage(threadblock, slots)});
    orderOf[at] = path.size();
    at = path.back().blockage.otherTb.index();
  }
  // Begin with the lowest threadblock, so that the report does not depend on the start of the
  // search.
  WaitCycle cycle{{path.begin() + (orderOf[at] - 1), path.end()}};
  auto lowest =
      std::min_element(cycle.waits.begin(), cycle.waits.end(),
                       [](const auto &a, const auto &b) { return a.threadblock < b.threadblock; });
  std::rotate(cycle.waits.begin(), lowest, cycle.waits.end());
  return cycle;
}

std::optional<uint32_t> cclc::slotsNeeded(PlanControlFlow &runner) {
  return runner.runWithLeastSlots();
}

void cclc::reportDeadlock(const ExecPlan &plan, const WaitCycle &cycle, Slots slots,
                          DiagnosticEngine &diags, StringRef where) {
  const WaitCycle::Wait &first = cycle.waits.front();
  DiagnosticEngine::InFlight error = diags.error(
      stepLocation(plan, first.blockage.step),
      cycle.waits.size() == 1
          ? formatv("deadlock with {0}{1}: a threadblock waits for itself", slots.phrase(), where)
                .str()
          : formatv("deadlock with {0}{1}: cyclic wait of {2} threadblocks", slots.phrase(), where,
                    cycle.waits.size())
                .str());
  constexpr size_t shown = 16;
  for (const WaitCycle::Wait &wait : ArrayRef(cycle.waits).take_front(shown)) {
    const PlanControlFlow::Blockage &b = wait.blockage;
    const Threadblock &tb = plan.threadblocks()[wait.threadblock.index()];
    std::string what;
    switch (b.reason) {
    case PlanControlFlow::Blockage::Reason::Message:
      what = formatv("message {0} from {1}", b.message, threadblockName(plan, b.otherTb));
      break;
    case PlanControlFlow::Blockage::Reason::Slot:
      what = formatv("a free slot to r{0} channel {1}, which {2} has yet to receive from",
                     plan.threadblocks()[b.otherTb.index()].rank.index(), tb.channel.index(),
                     threadblockName(plan, b.otherTb));
      break;
    case PlanControlFlow::Blockage::Reason::Dependence:
      what = formatv("{0}", stepName(plan, b.otherTb, *b.otherStep));
      break;
    }
    error.note(stepLocation(plan, b.step),
               formatv("{0} waits for {1}", stepName(plan, wait.threadblock, b.step), what));
  }
  if (cycle.waits.size() > shown)
    error.note({}, formatv("and {0} more", cycle.waits.size() - shown));
}
