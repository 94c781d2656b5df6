//===- RankExecutor.h - The execution of one rank ---------------*- C++ -*-===//
//
// Every threadblock of the rank is a state machine that executes its steps, piece after piece, as
// far as messages, slots and other threadblocks permit. One thread drives all of them, or each is
// driven by a thread of its own; waits inside the rank read counts of executed steps. A step does
// not allocate, lock or call a virtual function.
//
// A transport has two types:
//   Sender    std::byte *reserve(step, piece): where the message is composed, or null if no slot is
//             free; void commit(size_t bytes): sends it
//   Receiver  const std::byte *peek(): the oldest message, or null; void release(): frees its slot
// and functions with numbers of threadblocks and steps in the rank:
//   std::optional<uint32_t> unsent(threadblock, step, piece): the threadblock with a message that
//     is being sent from the destination of the step
//   void executed(threadblock), and void poll(bool moved) after every round
// An observer has bool admits(), whether the next step may be tried now, void blocked(threadblock,
// reason), void begins(), and void executed(threadblock, step, piece).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_RANKEXECUTOR_H
#define CCL_RUN_RANKEXECUTOR_H

#include "cclc/Run/StepMover.h"
#include "cclc/Run/ThreadblockRun.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <memory>
#include <utility>

namespace cclc::run {

template <class Transport, class Observer> class alignas(cacheLines) RankExecutor {
public:
  /// Drives all threadblocks of \p rank.
  RankExecutor(const PreparedPlan &plan, RankId rank, Transport &transport, Observer observer)
      : plan(plan), transport(transport), mover(plan, rank), observer(std::move(observer)),
        ownCounts(std::make_unique<StepCounts>(plan.plan)) {
    uint32_t first = plan.plan.firstThreadblock(rank);
    for (uint32_t t = 0; t < plan.plan.numThreadblocks(rank); ++t)
      blocks.emplace_back(plan, first + t, *ownCounts, transport);
  }
  /// Drives one threadblock; \p counts is shared by the threadblocks of the plan.
  RankExecutor(const PreparedPlan &plan, PlanThreadblockId threadblock, StepCounts &counts,
               Transport &transport, Observer observer)
      : plan(plan), transport(transport),
        mover(plan, plan.plan.threadblocks()[threadblock.index()].rank),
        observer(std::move(observer)) {
    blocks.emplace_back(plan, threadblock.index(), counts, transport);
  }

  /// Begins another execution of the plan on \p memory.
  void start(const RankBuffers &memory) {
    mover.buffers = memory;
    running = 0;
    for (Block &block : blocks) {
      block.start();
      running += !block.done();
    }
  }

  /// Executes what can be executed now. Returns whether a step was executed.
  bool progress() {
    bool moved = false;
    for (Block &block : blocks)
      moved |= advance(block);
    transport.poll(moved);
    return moved;
  }
  bool done() const { return running == 0; }
  /// Whether a step can be executed now, even if the observer would delay it.
  bool canGoOn() {
    return llvm::any_of(blocks, [](Block &block) {
      return !block.done() && block.waitsFor() == Position::Reason::None;
    });
  }

  /// Appends where each unfinished threadblock stands.
  void addPositions(std::vector<Position> &positions) {
    for (Block &block : blocks)
      if (!block.done())
        positions.push_back(block.position());
  }

private:
  using Block = ThreadblockRun<Transport>;

  bool advance(Block &block) {
    bool moved = false;
    while (!block.done()) {
      if (!observer.admits())
        return moved;
      if (Position::Reason reason = block.waitsFor(); reason != Position::Reason::None) {
        observer.blocked(block.id, reason);
        return moved;
      }
      observer.begins();
      execute(block);
      moved = true;
      observer.executed(block.id, block.firstStep + block.next, block.piece);
      transport.executed(block.number);
      block.advance();
      running -= block.done();
    }
    return moved;
  }

  void execute(Block &block) {
    const Step &step = block.step();
    const OpTraits &op = traits(step.op);
    const size_t bytes = step.count * plan.pieceBytes();
    const std::byte *in = op.receives ? block.in : nullptr;
    if (op.receives && block.receivers.size() > 1)
      in = sumOfMessages(block, bytes);
    if (step.op != OpKind::Nop)
      mover.move(step, block.piece, in, op.sends ? block.out : nullptr);
    if (op.receives)
      for (auto *receiver : block.receivers)
        receiver->release();
    if (!op.sends)
      return;
    for (auto *sender : ArrayRef(block.senders).drop_front())
      std::memcpy(sender->reserve(step, block.piece), block.out, bytes);
    for (auto *sender : block.senders)
      sender->commit(bytes);
  }

  /// Adds the messages in the order of the peers, as the simulator does for a switch.
  const std::byte *sumOfMessages(Block &block, size_t bytes) {
    block.sum.assign(block.in, block.in + bytes);
    for (auto *receiver : ArrayRef(block.receivers).drop_front())
      mover.add(block.sum.data(), receiver->peek(), bytes);
    return block.sum.data();
  }

  const PreparedPlan &plan;
  Transport &transport;
  StepMover mover;
  Observer observer;
  std::unique_ptr<StepCounts> ownCounts;
  std::vector<Block> blocks;
  uint32_t running = 0;
};

} // namespace cclc::run

#endif // CCL_RUN_RANKEXECUTOR_H
