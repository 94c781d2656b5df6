//===- Stall.cpp - The state of a stalled execution -----------------------===//
//
// Each unfinished threadblock waits for exactly one other, as in the proof of a plan (Deadlock.h),
// so following the waits from any of them ends in a cycle, or at a threadblock that waits for
// nothing: its rank is stopped, slow or lost.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/Stall.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Proof/Deadlock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

namespace {
using Blockage = PlanControlFlow::Blockage;

/// The number of the message that the step at \p position waits to receive or to send.
uint32_t messageNumber(const PreparedPlan &run, const Position &position, bool receives) {
  const Threadblock &tb = run.plan.threadblocks()[position.threadblock.index()];
  auto moves = [&](const Step &step) {
    return receives ? traits(step.op).receives : traits(step.op).sends;
  };
  ArrayRef<Step> steps = run.plan.steps(tb);
  uint32_t next = position.step.index() - tb.firstStep;
  return position.piece * llvm::count_if(steps, moves) +
         llvm::count_if(steps.take_front(next), moves);
}

using Positions = std::map<uint32_t, const Position *>; ///< by threadblock

/// The threadblock at the other end of the connections of \p position that has not sent message
/// \p number, or not received message \p number: the first of those of several peers.
PlanThreadblockId lateEnd(const PreparedPlan &run, const Position &position, uint32_t number,
                          bool receives, const Positions &at) {
  uint32_t threadblock = position.threadblock.index();
  ArrayRef<ConnectionId> connections =
      receives ? run.connections.recvsOf(threadblock) : run.connections.sendsOf(threadblock);
  auto endOf = [&](ConnectionId id) {
    const Connection &connection = run.connections.connections()[id.index()];
    return receives ? connection.senderTb : connection.receiverTb;
  };
  for (ConnectionId id : connections) {
    auto other = at.find(endOf(id));
    if (other != at.end() && messageNumber(run, *other->second, !receives) <= number)
      return PlanThreadblockId(endOf(id));
  }
  return PlanThreadblockId(endOf(connections.front()));
}

/// What the threadblock at \p position waits for; none if it waits for nothing.
std::optional<Blockage> blockage(const PreparedPlan &run, const Position &position,
                                 const Positions &at) {
  uint32_t threadblock = position.threadblock.index();
  switch (position.reason) {
  case Position::Reason::None:
    return std::nullopt;
  case Position::Reason::Message: {
    uint32_t number = messageNumber(run, position, true);
    return Blockage{Blockage::Reason::Message, position.step,
                    lateEnd(run, position, number, true, at), number, std::nullopt};
  }
  case Position::Reason::Slot: {
    uint32_t number = messageNumber(run, position, false);
    // With s slots, the receiver has not received message number - s.
    uint32_t late = number - std::min(number, run.settings.slots);
    return Blockage{Blockage::Reason::Slot, position.step, lateEnd(run, position, late, false, at),
                    number, std::nullopt};
  }
  case Position::Reason::Unsent: {
    RankId rank = run.plan.threadblocks()[threadblock].rank;
    uint32_t sender = run.plan.firstThreadblock(rank) + *position.unsent;
    return Blockage{
        Blockage::Reason::Slot, position.step,
        PlanThreadblockId(
            run.connections.connections()[run.connections.sendsOf(sender).front().index()]
                .receiverTb),
        0, std::nullopt};
  }
  case Position::Reason::Dependence: {
    const Threadblock &tb = run.plan.threadblocks()[threadblock];
    Wait wait = *run.plan.steps()[position.step.index()].wait();
    uint32_t other = run.plan.firstThreadblock(tb.rank) + wait.tb.index();
    StepId step(run.plan.threadblocks()[other].firstStep + wait.step.index());
    return Blockage{Blockage::Reason::Dependence, position.step, PlanThreadblockId(other), 0, step};
  }
  }
  llvm_unreachable("unknown reason");
}

std::string waitText(const PreparedPlan &run, const Blockage &blockage) {
  switch (blockage.reason) {
  case Blockage::Reason::Message:
    return formatv("message {0} from {1}", blockage.message,
                   threadblockName(run.plan, blockage.otherTb));
  case Blockage::Reason::Slot:
    return "a free slot to " + threadblockName(run.plan, blockage.otherTb);
  case Blockage::Reason::Dependence:
    return stepName(run.plan, blockage.otherTb, *blockage.otherStep);
  }
  llvm_unreachable("unknown reason");
}
} // namespace

void run::reportStall(const PreparedPlan &run, ArrayRef<Position> positions,
                      const std::string &cause, DiagnosticEngine &diags) {
  Positions at;
  for (const Position &position : positions)
    at[position.threadblock.index()] = &position;
  if (at.empty()) {
    diags.error({}, cause + ", and no threadblock is known");
    return;
  }
  std::map<uint32_t, size_t> orderOf;
  WaitCycle path;
  std::optional<PlanThreadblockId> end; // of a chain
  for (uint32_t next = at.begin()->first;;) {
    auto position = at.find(next);
    std::optional<Blockage> wait;
    if (position != at.end())
      wait = blockage(run, *position->second, at);
    if (!wait) {
      end = PlanThreadblockId(next);
      break;
    }
    if (auto [known, inserted] = orderOf.try_emplace(next, path.waits.size()); !inserted) {
      path.waits.erase(path.waits.begin(), path.waits.begin() + known->second);
      return reportDeadlock(run.plan, path, Slots(run.settings.slots), diags, " (" + cause + ")");
    }
    path.waits.push_back({PlanThreadblockId(next), *wait});
    next = wait->otherTb.index();
  }
  DiagnosticEngine::InFlight error =
      diags.error({}, formatv("{0}: all wait for {1}, which does not answer", cause,
                              threadblockName(run.plan, *end)));
  for (const WaitCycle::Wait &wait : path.waits)
    error.note(stepLocation(run.plan, wait.blockage.step),
               formatv("{0} waits for {1}",
                       stepName(run.plan, wait.threadblock, wait.blockage.step),
                       waitText(run, wait.blockage)));
}
