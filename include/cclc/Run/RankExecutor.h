//===- RankExecutor.h - The execution of one rank ---------------*- C++ -*-===//
//
// Every threadblock of the rank is a state machine that executes its steps, piece after piece, as
// far as messages, slots and other threadblocks permit. One thread drives all of them, so that
// waits inside a rank need no synchronisation. A step does not allocate, lock or call a virtual
// function.
//
// A transport has two types. Its Sender has
//   std::byte *reserve()        the next free slot, or null
//   void commit(size_t bytes)   sends the slot
// and its Receiver has
//   const std::byte *peek()     the oldest message, or null
//   void release()              frees its slot
//
// An observer has
//   bool admits()               whether the executor may try the next step now
//   void executed(block, step, piece)
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_RANKEXECUTOR_H
#define CCL_RUN_RANKEXECUTOR_H

#include "cclc/Run/Stall.h"

#include <array>
#include <cstring>

namespace cclc::run {

template <class Transport, class Observer> class RankExecutor {
public:
  RankExecutor(const RunPlan &plan, RankId rank, Transport &transport, Observer observer)
      : plan(plan), reduce(reduceFunction(plan.settings.type, plan.settings.op)),
        observer(observer) {
    uint32_t first = plan.plan.firstThreadblock(rank);
    for (const Threadblock &tb : plan.plan.threadblocks(rank)) {
      uint32_t index = first + blocks.size();
      Block block{&tb, PlanThreadblockId(index), plan.plan.steps(tb), {}, {}, {}, 0, 0, 0};
      if (OptionalId<ConnectionId> connection = plan.connections.sendOf(index))
        block.sender = &transport.sender(*connection);
      if (OptionalId<ConnectionId> connection = plan.connections.recvOf(index))
        block.receiver = &transport.receiver(*connection);
      for (const Step &step : block.steps)
        block.awaited.push_back(step.waits() ? plan.satisfiedBy(tb, *step.wait()) : std::nullopt);
      blocks.push_back(std::move(block));
    }
  }

  /// Begins another execution of the plan on \p memory.
  void start(const RankBuffers &memory) {
    buffers = memory;
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
  struct Block {
    const Threadblock *tb;
    PlanThreadblockId id;
    ArrayRef<Step> steps;
    /// By step: the step that satisfies its wait.
    std::vector<std::optional<uint32_t>> awaited;
    typename Transport::Sender *sender;
    typename Transport::Receiver *receiver;
    uint32_t piece, next; ///< the position: the next step
    uint64_t completed;   ///< the number of executed steps, over all pieces
  };

  bool isSatisfied(const Block &block) const {
    const Step &step = block.steps[block.next];
    if (!step.waits())
      return true;
    const std::optional<uint32_t> &until = block.awaited[block.next];
    const Block &other = blocks[step.wait()->tb.index()];
    return until && other.completed > uint64_t(block.piece) * other.steps.size() + *until;
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
      if (!observer.admits() || !execute(block))
        return moved;
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

  bool execute(Block &block) {
    if (!isSatisfied(block))
      return false;
    const Step &step = block.steps[block.next];
    const OpTraits &op = traits(step.op);
    const std::byte *in = nullptr;
    std::byte *out = nullptr;
    if (op.receives && !(in = block.receiver->peek()))
      return false;
    if (op.sends && !(out = block.sender->reserve()))
      return false;
    if (step.op != OpKind::Nop)
      moveChunks(step, op, block.piece, in, out);
    if (op.receives)
      block.receiver->release();
    if (op.sends)
      block.sender->commit(step.count * plan.pieceBytes());
    return true;
  }

  void moveChunks(const Step &step, const OpTraits &op, uint32_t piece, const std::byte *in,
                  std::byte *out) {
    // Adjacent chunks are moved at once.
    std::optional<RunPlan::Span> src, dst;
    if (step.count > 1 && (!op.readsSrc || (src = plan.wholeSpan(step.src, step.count))) &&
        (!op.writesDst || (dst = plan.wholeSpan(step.dst, step.count))))
      return moveSpan(step, src.value_or(RunPlan::Span{0, ~uint64_t(0)}),
                      dst.value_or(RunPlan::Span{0, ~uint64_t(0)}), in, out);
    for (uint32_t c = 0; c < step.count; ++c) {
      RunPlan::Span none{0, ~uint64_t(0)};
      size_t offset = c * plan.pieceBytes();
      moveSpan(step, op.readsSrc ? plan.span(step.src, c, piece) : none,
               op.writesDst ? plan.span(step.dst, c, piece) : none, in ? in + offset : nullptr,
               out ? out + offset : nullptr);
    }
  }

  std::byte *at(Operand operand, const RunPlan::Span &span) const {
    return buffers[static_cast<size_t>(operand.buffer())] + span.first * plan.elementSize();
  }

  /// The shorter of the two spans is that of the data: scratch is padded.
  void moveSpan(const Step &step, const RunPlan::Span &src, const RunPlan::Span &dst,
                const std::byte *in, std::byte *out) {
    size_t elements = std::min(src.count, dst.count);
    size_t bytes = elements * plan.elementSize();
    switch (step.op) {
    case OpKind::Send:
      std::memcpy(out, at(step.src, src), bytes);
      return;
    case OpKind::Recv:
      std::memcpy(at(step.dst, dst), in, bytes);
      return;
    case OpKind::Copy:
      std::memmove(at(step.dst, dst), at(step.src, src), bytes);
      return;
    case OpKind::Reduce:
      return reduce(at(step.dst, dst), at(step.dst, dst), at(step.src, src), elements);
    case OpKind::RecvCopySend:
      std::memcpy(out, in, bytes);
      std::memcpy(at(step.dst, dst), in, bytes);
      return;
    case OpKind::RecvReduceCopy:
      return reduce(at(step.dst, dst), at(step.src, src), in, elements);
    case OpKind::RecvReduceSend:
      return reduce(out, at(step.src, src), in, elements);
    case OpKind::RecvReduceCopySend:
      reduce(at(step.dst, dst), at(step.src, src), in, elements);
      std::memcpy(out, at(step.dst, dst), bytes);
      return;
    case OpKind::Nop:
      return;
    }
  }

  const RunPlan &plan;
  ReduceFn reduce;
  Observer observer;
  std::vector<Block> blocks;
  RankBuffers buffers{};
  uint32_t running = 0;
};

} // namespace cclc::run

#endif // CCL_RUN_RANKEXECUTOR_H
