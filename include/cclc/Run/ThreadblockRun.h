//===- ThreadblockRun.h - The execution of one threadblock ------*- C++ -*-===//

#ifndef CCL_RUN_THREADBLOCKRUN_H
#define CCL_RUN_THREADBLOCKRUN_H

#include "cclc/Run/Ordering.h"
#include "cclc/Run/Stall.h"
#include "cclc/Run/StepCounts.h"

namespace cclc::run {

/// The position of a threadblock in its steps, and whether it can go on. Ranks in other threads do
/// not share its cache lines.
template <class Transport> struct alignas(cacheLines) ThreadblockRun {
  ThreadblockRun(const PreparedPlan &plan, uint32_t index, StepCounts &counts, Transport &transport)
      : id(index), firstStep(plan.plan.threadblocks()[index].firstStep),
        steps(plan.plan.steps(plan.plan.threadblocks()[index])), pieces(plan.pieces()),
        number(plan.plan.localId(index).index()), transport(&transport), count(&counts.of(index)) {
    for (ConnectionId connection : plan.connections.sendsOf(index))
      senders.push_back(&transport.sender(connection));
    for (ConnectionId connection : plan.connections.recvsOf(index))
      receivers.push_back(&transport.receiver(connection));
    RankId rank = plan.plan.threadblocks()[index].rank;
    for (const Step &step : steps) {
      Await &await = awaits.emplace_back();
      if (!step.waits())
        continue;
      uint32_t other = plan.plan.firstThreadblock(rank) + step.wait()->tb.index();
      const Threadblock &awaitedTb = plan.plan.threadblocks()[other];
      uint32_t satisfying = plan.satisfiedBy(rank, *step.wait());
      await = {&counts.of(other), satisfying, awaitedTb.numSteps,
               &plan.plan.steps(awaitedTb)[satisfying]};
    }
  }

  void start() { piece = next = 0; }
  bool done() const { return piece == pieces || steps.empty(); }
  const Step &step() const { return steps[next]; }
  Position position() { return {id, StepId(firstStep + next), piece, waitsFor(), unsent()}; }

  /// What the next step waits for. If nothing, \c in and \c out are its message and its slot.
  Position::Reason waitsFor() {
    const OpTraits &op = traits(step().op);
    if (!isSatisfied())
      return Position::Reason::Dependence;
    // The first peer is last, since its message and its slot are kept.
    if (op.receives)
      for (auto *receiver : llvm::reverse(receivers)) {
        in = receiver->peek();
        if (!in)
          return Position::Reason::Message;
      }
    if (op.writesDst && unsent())
      return Position::Reason::Unsent;
    if (op.sends)
      for (auto *sender : llvm::reverse(senders)) {
        out = sender->reserve(step(), piece);
        if (!out)
          return Position::Reason::Slot;
      }
    return Position::Reason::None;
  }

  /// Goes on to the next step, after the current one has been executed.
  void advance() {
    happens(&step());
    count->store(++executed, published);
    if (++next < steps.size())
      return;
    next = 0;
    ++rounds;
    ++piece;
  }

  const PlanThreadblockId id;
  const uint32_t firstStep;
  const ArrayRef<Step> steps;
  const uint32_t pieces;
  const uint32_t number; ///< in its rank
  SmallVector<typename Transport::Sender *, 1> senders;
  SmallVector<typename Transport::Receiver *, 1> receivers;
  std::vector<std::byte> sum;   ///< of the messages from several ranks
  uint32_t piece = 0, next = 0; ///< the current step
  const std::byte *in = nullptr;
  std::byte *out = nullptr;

private:
  /// The wait of a step: until a threadblock has executed its step \c step of the same piece.
  struct Await {
    const std::atomic<uint64_t> *count = nullptr;
    uint32_t step = 0, stepsOfPiece = 0;
    const Step *event = nullptr;
  };

  /// The threadblock of the rank with a message that the step would overwrite.
  std::optional<uint32_t> unsent() const { return transport->unsent(number, next, piece); }

  bool isSatisfied() const {
    const Await &await = awaits[next];
    if (!await.count)
      return true;
    if (await.count->load(observed) <= rounds * await.stepsOfPiece + await.step)
      return false;
    awaited(await.event);
    return true;
  }

  Transport *transport;
  std::vector<Await> awaits; ///< by step
  std::atomic<uint64_t> *count;
  uint64_t rounds = 0;   ///< executed pieces, over all executions
  uint64_t executed = 0; ///< steps, over all executions
};

} // namespace cclc::run

#endif // CCL_RUN_THREADBLOCKRUN_H
