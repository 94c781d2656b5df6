//===- RankExecutor.h - The execution of one rank ---------------*- C++ -*-===//
//
// Every threadblock of the rank is a state machine that executes its steps, piece after piece, as
// far as messages, slots and other threadblocks permit. One thread drives all of them, so that
// waits inside a rank need no synchronisation. A step does not allocate, lock or call a virtual
// function.
//
// A transport has two types:
//   Sender    std::byte *reserve(): the next free slot, or null; void commit(size_t bytes): sends
//   it Receiver  const std::byte *peek(): the oldest message, or null; void release(): frees its
//   slot
// An observer has bool admits(), whether the next step may be tried now, and
// void executed(threadblock, step, piece).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_RANKEXECUTOR_H
#define CCL_RUN_RANKEXECUTOR_H

#include "cclc/Run/Stall.h"
#include "cclc/Run/StepMover.h"

namespace cclc::run {

/// Two lines, because processors fetch them in pairs.
inline constexpr size_t cacheLines = 128;

template <class Transport, class Observer> class alignas(cacheLines) RankExecutor {
public:
  RankExecutor(const RunPlan &plan, RankId rank, Transport &transport, Observer observer)
      : plan(plan), mover(plan), observer(observer) {
    uint32_t first = plan.plan.firstThreadblock(rank);
    for (const Threadblock &tb : plan.plan.threadblocks(rank)) {
      uint32_t index = first + blocks.size();
      Block block{&tb, PlanThreadblockId(index), plan.plan.steps(tb), {}, {}, {}, 0, 0, 0};
      if (OptionalId<ConnectionId> connection = plan.connections.sendOf(index))
        block.sender = &transport.sender(*connection);
      if (OptionalId<ConnectionId> connection = plan.connections.recvOf(index))
        block.receiver = &transport.receiver(*connection);
      for (const Step &step : block.steps)
        block.awaited.push_back(step.waits() ? plan.satisfiedBy(rank, *step.wait()) : 0);
      blocks.push_back(std::move(block));
    }
  }

  /// Begins another execution of the plan on \p memory.
  void start(const RankBuffers &memory) {
    mover.buffers = memory;
    running = 0;
    for (Block &block : blocks) {
      block.piece = block.next = 0;
      block.completed = 0;
      running += !block.steps.empty();
    }
  }

  /// Executes what can be executed now. Returns whether a step was executed.
  bool progress() {
    bool moved = false;
    for (Block &block : blocks)
      moved |= advance(block);
    return moved;
  }
  bool done() const { return running == 0; }

  /// Appends where each unfinished threadblock stands.
  void addPositions(std::vector<Position> &positions) const {
    for (const Block &block : blocks)
      if (!block.steps.empty() && block.piece < plan.pieces())
        positions.push_back(
            {block.id, StepId(block.tb->firstStep + block.next), block.piece, waitsFor(block)});
  }

private:
  /// Ranks in other threads do not share its cache lines.
  struct alignas(cacheLines) Block {
    const Threadblock *tb;
    PlanThreadblockId id;
    ArrayRef<Step> steps;
    /// By step: the step that satisfies its wait.
    std::vector<uint32_t> awaited;
    typename Transport::Sender *sender;
    typename Transport::Receiver *receiver;
    uint32_t piece, next; ///< the position: the next step
    uint64_t completed;   ///< the number of executed steps, over all pieces
  };

  bool isSatisfied(const Block &block) const {
    const Step &step = block.steps[block.next];
    if (!step.waits())
      return true;
    const Block &other = blocks[step.wait()->tb.index()];
    return other.completed > uint64_t(block.piece) * other.steps.size() + block.awaited[block.next];
  }

  Position::Reason waitsFor(const Block &block) const {
    const OpTraits &op = traits(block.steps[block.next].op);
    if (!isSatisfied(block))
      return Position::Reason::Dependence;
    if (op.receives && !block.receiver->peek())
      return Position::Reason::Message;
    if (op.sends && !block.sender->reserve())
      return Position::Reason::Slot;
    return Position::Reason::None;
  }

  bool advance(Block &block) {
    bool moved = false;
    while (block.piece < plan.pieces() && !block.steps.empty()) {
      if (!observer.admits() || waitsFor(block) != Position::Reason::None)
        return moved;
      execute(block);
      moved = true;
      observer.executed(block.id, block.tb->firstStep + block.next, block.piece);
      ++block.completed;
      if (++block.next < block.steps.size())
        continue;
      block.next = 0;
      if (++block.piece == plan.pieces())
        --running;
    }
    return moved;
  }

  void execute(Block &block) {
    const Step &step = block.steps[block.next];
    const OpTraits &op = traits(step.op);
    const std::byte *in = op.receives ? block.receiver->peek() : nullptr;
    std::byte *out = op.sends ? block.sender->reserve() : nullptr;
    if (step.op != OpKind::Nop)
      mover.move(step, block.piece, in, out);
    if (op.receives)
      block.receiver->release();
    if (op.sends)
      block.sender->commit(step.count * plan.pieceBytes());
  }

  const RunPlan &plan;
  StepMover mover;
  Observer observer;
  std::vector<Block> blocks;
  uint32_t running = 0;
};

} // namespace cclc::run

#endif // CCL_RUN_RANKEXECUTOR_H
