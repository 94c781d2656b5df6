//===- Order.cpp - List scheduling as an execution ------------------------===//
//
// Instructions are emitted one at a time, the one with the highest priority, then
// the smallest depth, then the longest remaining path first, as soon as the plan could execute it:
// its dependences are emitted, its message is the first one in its connection, a slot is free. What
// is emitted is therefore itself an execution, and every threadblock and connection that follows
// its order is free of deadlock with that many slots. This is list scheduling (Graham, SIAM
// Journal on Applied Mathematics 17(2), 1969); the longest remaining path is the level by which Hu
// (Operations Research 9(6), 1961) orders tasks.
//
// The first attempt sends whatever comes first. Receives must then come in the
// order of the sends, which may be an order that they cannot have, and then
// nothing can go on. The second attempt fixes the order on every connection
// beforehand: by the positions of the sends in the unfused program. There, in
// the order of positions and each receive right after its send, everything
// executes with one slot; so when nothing can go on, the first position that is
// not emitted yet belongs to something that fusion moved:
//
//   * a fused instruction whose sending half may not send yet: it is taken apart
//     into receive and send;
//   * or its connection is held up by a receive that was moved behind its
//     natural place, to where its value is used: that receive takes place on its
//     own, into scratch, and the use reads from there.
// Both make an instruction ready, and their number is bounded, so that the
// second attempt always terminates.
//
// Where calls of collectives follow each other, their phases are emitted one after
// the other (segments, IR/Generations.h): a threadblock never goes back through a
// gate. Each segment sends and receives all its messages itself, so this keeps
// nothing from executing. It orders threadblocks, not ranks: while executing, calls overlap.
//
//===----------------------------------------------------------------------===//

#include "Order.h"

#include <queue>

using namespace cclc;
using namespace cclc::schedule;

namespace {
class ListScheduler {
public:
  ListScheduler(const InstrProgram &program, const ScheduleOptions &options,
                const Assignment &assignment, bool fixedOrder)
      : program(program), options(options), assignment(assignment),
        successors(program.dependences()), fixedOrder(fixedOrder), depth(program.depths()),
        remaining(program.remainingPaths()), nodes(program.size()),
        segments(segmentsOf(program.info().phases)) {
    result.splitSend = assignment.splitSend;
    result.splitRecv.resize(program.size());
    prepareConnections();
    outstanding.resize(segments.back() + 1);
    later.resize(outstanding.size());
    for (const Instr &instr : program.instrs())
      ++outstanding[segments[instr.phase]];
    for (uint32_t id = 0; id < program.size(); ++id) {
      nodes[id].pending += program.dependences().preds(id).size();
      if (result.splitSend[id])
        addSendDependences(id);
    }
  }

  /// False when nothing could go on, which only the first attempt may end in.
  bool run() {
    result.items.reserve(program.size());
    for (uint32_t id = 0; id < program.size(); ++id)
      if (nodes[id].pending == 0)
        pushWhole(id);
    while (true) {
      while (!ready.empty()) {
        Entry next = ready.top();
        ready.pop();
        if (mayExecute(next.id, next.part))
          emit(next.id, next.part);
      }
      if (outstanding[segment] == 0) {
        if (segment + 1 == outstanding.size())
          return true;
        for (const Entry &entry : later[++segment])
          ready.push(entry);
        continue;
      }
      if (!fixedOrder)
        return false;
      advanceFront();
      takeApart(front);
    }
  }

  Order takeResult() { return std::move(result); }

private:
  struct Node {
    uint32_t pending = 0;     ///< dependences that are not emitted
    bool emitted = false;     ///< Part::Whole
    bool sendEmitted = false; ///< Part::Send
    bool recvEmitted = false; ///< Part::Recv
    bool held = false;        ///< could execute if its connection let it send
  };
  struct Entry {
    uint32_t priority, depth, remaining, id;
    Item::Part part;
    bool operator<(const Entry &other) const { // the top of the heap is the greatest
      if (priority != other.priority)
        return priority < other.priority;
      if (depth != other.depth)
        return depth > other.depth;
      if (remaining != other.remaining)
        return remaining < other.remaining;
      return id > other.id;
    }
  };
  /// A connection while it is filled and emptied.
  struct Fifo {
    uint32_t begin, end; ///< in fifoItems: the receives of its messages, in order
    uint32_t sent = 0, received = 0;
    std::priority_queue<Entry> held = {}; ///< what waits for a slot
  };

  const Instr &instr(uint32_t id) const { return program.instrs()[id]; }
  const OpTraits &op(uint32_t id) const { return traits(instr(id).op); }
  Fifo &inFifo(uint32_t id) { return fifos[(*assignment.connectionOf[id]).index()]; }
  Fifo &outFifo(uint32_t id) { return inFifo((*instr(id).to).index()); }

  /// Room for the messages of every connection; with a fixed order, the messages
  /// themselves. `parts` lists what stands at every position.
  void prepareConnections() {
    uint32_t total = 0;
    for (const ConnectionDraft &connection : assignment.connections) {
      fifos.push_back({total, total + connection.transfers});
      total += connection.transfers;
    }
    fifoItems.resize(total);
    if (!fixedOrder)
      return;
    parts.assign(program.endPos(), {});
    for (uint32_t id = 0; id < program.size(); ++id) {
      parts[instr(id).pos] = InstrId(id);
      if (op(id).isFused())
        parts[instr(id).sendPos] = InstrId(id);
    }
    std::vector<uint32_t> filled(fifos.size());
    for (uint32_t pos = 0; pos < parts.size(); ++pos) {
      if (!parts[pos])
        continue;
      uint32_t id = (*parts[pos]).index();
      if (!op(id).sends || instr(id).sendPos != pos)
        continue;
      uint32_t recv = (*instr(id).to).index();
      uint32_t connection = (*assignment.connectionOf[recv]).index();
      fifoItems[fifos[connection].begin + filled[connection]++] = recv;
    }
  }

  // --- What can execute -------------------------------------------------------------

  bool sendsWithWhole(uint32_t id) const { return op(id).sends && !result.splitSend[id]; }
  bool receivesWithWhole(uint32_t id) const { return op(id).receives && !result.splitRecv[id]; }

  bool mayReceive(uint32_t id) {
    const Fifo &fifo = inFifo(id);
    return fifo.received < fifo.sent && fifoItems[fifo.begin + fifo.received] == id;
  }

  /// Whether \p id may send now; if not, the connection calls it later. Asked
  /// last: what is held back here only needs its connection.
  bool maySend(uint32_t id) {
    Fifo &fifo = outFifo(id);
    bool itsTurn = !fixedOrder || fifoItems[fifo.begin + fifo.sent] == (*instr(id).to).index();
    if (itsTurn && options.slots.admits(fifo.sent - fifo.received))
      return true;
    if (!nodes[id].held) {
      nodes[id].held = true;
      if (!fixedOrder)
        fifo.held.push(entry(id, sendPart(id)));
    }
    return false;
  }

  bool mayExecute(uint32_t id, Item::Part part) {
    const Node &node = nodes[id];
    switch (part) {
    case Item::Part::Recv:
      return !node.recvEmitted && mayReceive(id);
    case Item::Part::Send:
      return !node.sendEmitted && maySend(id);
    case Item::Part::Whole:
      return !node.emitted && node.pending == 0 && (!receivesWithWhole(id) || mayReceive(id)) &&
             (!sendsWithWhole(id) || maySend(id));
    }
    llvm_unreachable("unknown part");
  }

  Entry entry(uint32_t id, Item::Part part) const {
    return {priorityOf(id, part), depth[id], remaining[id], id, part};
  }
  /// What takes place together is as urgent as its more urgent half.
  uint32_t priorityOf(uint32_t id, Item::Part part) const {
    auto of = [&](DirectiveIndex index) { return program.info().directives[index].priority; };
    uint32_t receiving = of(instr(id).directive), sending = of(instr(id).sendDirective);
    return part == Item::Part::Send    ? sending
           : part == Item::Part::Whole ? std::max(receiving, sending)
                                       : receiving;
  }
  uint32_t segmentOf(uint32_t id) const { return segments[instr(id).phase]; }
  void push(uint32_t id, Item::Part part) {
    if (uint32_t of = segmentOf(id); of > segment)
      later[of].push_back(entry(id, part));
    else
      ready.push(entry(id, part));
  }
  Item::Part sendPart(uint32_t id) const {
    return result.splitSend[id] ? Item::Part::Send : Item::Part::Whole;
  }

  // --- Emission ------------------------------------------------------------------------

  void emit(uint32_t id, Item::Part part) {
    --outstanding[segment];
    result.items.push_back({InstrId(id), part});
    Node &node = nodes[id];
    switch (part) {
    case Item::Part::Recv:
      node.recvEmitted = true;
      receive(id);
      release(id);
      return;
    case Item::Part::Send:
      node.sendEmitted = true;
      send(id);
      for (DepEdge edge : successors.succs(id))
        if (waitsForSendHalf(id, edge))
          release(edge.node());
      return;
    case Item::Part::Whole:
      break;
    }
    node.emitted = true;
    if (receivesWithWhole(id))
      receive(id);
    if (sendsWithWhole(id))
      send(id);
    else if (op(id).sends)
      push(id, Item::Part::Send);
    for (DepEdge edge : successors.succs(id))
      release(edge.node());
  }

  /// One dependence of \p id is met.
  void release(uint32_t id) {
    if (--nodes[id].pending == 0)
      pushWhole(id);
  }

  /// A receive whose message is not the first one is announced when it is.
  void pushWhole(uint32_t id) {
    if (!receivesWithWhole(id) || mayReceive(id))
      push(id, Item::Part::Whole);
  }

  void receive(uint32_t id) {
    Fifo &fifo = inFifo(id);
    ++fifo.received;
    announceHead(fifo);
    callSender(fifo);
  }

  void send(uint32_t id) {
    Fifo &fifo = outFifo(id);
    if (!fixedOrder)
      fifoItems[fifo.begin + fifo.sent] = (*instr(id).to).index();
    ++fifo.sent;
    if (fifo.sent - fifo.received == 1)
      announceHead(fifo);
    if (fixedOrder)
      callSender(fifo);
  }

  /// The receive of the first message may have become executable.
  void announceHead(const Fifo &fifo) {
    if (fifo.received == fifo.sent)
      return;
    uint32_t head = fifoItems[fifo.begin + fifo.received];
    if (result.splitRecv[head])
      push(head, Item::Part::Recv);
    else if (nodes[head].pending == 0)
      push(head, Item::Part::Whole);
  }

  /// One more message fits: calls the one whose turn it is, or the best one.
  void callSender(Fifo &fifo) {
    if (fixedOrder) {
      if (fifo.begin + fifo.sent == fifo.end)
        return;
      uint32_t next = (*instr(fifoItems[fifo.begin + fifo.sent]).from).index();
      if (nodes[next].held) {
        nodes[next].held = false;
        push(next, sendPart(next));
      }
      return;
    }
    while (!fifo.held.empty()) {
      uint32_t next = fifo.held.top().id;
      fifo.held.pop();
      nodes[next].held = false;
      bool sent = result.splitSend[next] ? nodes[next].sendEmitted : nodes[next].emitted;
      if (sent)
        continue;
      push(next, sendPart(next));
      return;
    }
  }

  // --- Taking apart ------------------------------------------------------------------------

  /// Whether a later overwrite must wait for the sending half, too: those that
  /// stand in front of it in the unfused program do not concern it.
  bool waitsForSendHalf(uint32_t id, DepEdge edge) const {
    return edge.isFalse() && instr(edge.node()).pos > instr(id).sendPos;
  }

  /// \p id comes as two items from now on.
  void addSendDependences(uint32_t id) {
    ++outstanding[segmentOf(id)];
    for (DepEdge edge : successors.succs(id))
      if (waitsForSendHalf(id, edge))
        ++nodes[edge.node()].pending;
  }

  void splitSend(uint32_t id) {
    assert(sendsWithWhole(id) && op(id).receives && !nodes[id].emitted);
    result.splitSend[id] = true;
    addSendDependences(id);
    if (nodes[id].pending == 0)
      push(id, Item::Part::Whole);
  }

  void splitRecv(uint32_t id) {
    assert(receivesWithWhole(id) && !nodes[id].emitted);
    if (sendsWithWhole(id))
      splitSend(id);
    result.splitRecv[id] = true;
    ++outstanding[segmentOf(id)];
    ++nodes[id].pending;
    push(id, Item::Part::Recv);
  }

  /// Moves `front` to the first position that is not emitted.
  void advanceFront() {
    for (;; ++front) {
      assert(front < parts.size());
      if (!parts[front])
        continue;
      uint32_t id = (*parts[front]).index();
      bool isSendHalf = op(id).isFused() && instr(id).sendPos == front;
      bool done = isSendHalf && result.splitSend[id] ? nodes[id].sendEmitted : nodes[id].emitted;
      if (!done)
        return;
    }
  }

  /// Nothing can go on: removes what keeps the part at \p pos from executing.
  void takeApart(uint32_t pos) {
    uint32_t id = (*parts[pos]).index();
    bool isSendHalf = instr(id).sendPos == pos && op(id).sends;
    if (isSendHalf && (nodes[id].emitted || !op(id).receives)) {
      // Every slot of its connection is taken: receive the first message.
      const Fifo &fifo = outFifo(id);
      splitRecv(fifoItems[fifo.begin + fifo.received]);
      return;
    }
    assert(op(id).receives && "only messages keep the first position from executing");
    const Fifo &fifo = inFifo(id);
    uint32_t head = fifoItems[fifo.begin + fifo.received];
    if (head != id || result.splitRecv[id])
      splitRecv(head);
    else
      splitSend(id);
  }

  const InstrProgram &program;
  const ScheduleOptions &options;
  const Assignment &assignment;
  SuccessorGraph successors;
  bool fixedOrder;
  std::vector<uint32_t> depth, remaining; ///< of the program as it came
  std::vector<Node> nodes;
  std::vector<Fifo> fifos;
  std::vector<uint32_t> fifoItems;
  std::vector<OptionalId<InstrId>> parts; ///< by position, with a fixed order
  uint32_t front = 0;                     ///< everything before this position is emitted
  std::vector<uint32_t> segments;         ///< by phase
  std::vector<uint32_t> outstanding;      ///< by segment: items that are not emitted
  std::vector<std::vector<Entry>> later;  ///< by segment: what could execute but for it
  uint32_t segment = 0;                   ///< the current one
  std::priority_queue<Entry> ready;
  Order result;
};
} // namespace

Order schedule::layOut(const InstrProgram &program, const ScheduleOptions &options,
                       const Assignment &assignment) {
  ListScheduler free(program, options, assignment, /*fixedOrder=*/false);
  if (free.run())
    return free.takeResult();
  ListScheduler fixed(program, options, assignment, /*fixedOrder=*/true);
  bool done = fixed.run();
  assert(done && "the second attempt always ends");
  (void)done;
  return fixed.takeResult();
}
