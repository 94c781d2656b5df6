//===- Order.cpp - List scheduling as an execution ------------------------===//
//
// Instructions are emitted one at a time, the one with the highest priority, then the smallest
// depth, then the longest remaining path first, as soon as the plan could execute it: its
// dependences are emitted, its message is the first one in its connection, a slot is free. The
// emitted order is therefore an execution, and a plan whose threadblocks and connections follow it
// is free of deadlock with this number of slots. This is list scheduling (Graham, SIAM Journal on
// Applied Mathematics 17(2), 1969); the longest remaining path is the level by which Hu (Operations
// Research 9(6), 1961) orders tasks.
//
// The first attempt emits sends as they become ready. Receives must then have the order of the
// sends, which their dependences may not allow, and then the emission is blocked. The second
// attempt fixes the order on every connection beforehand: by the positions of the sends in the
// unfused program, which executes with one slot in the order of positions, each receive right after
// its send. If the emission is blocked nevertheless, the first position that is not emitted yet
// belongs to an instruction that fusion moved:
//
//   * a fused instruction whose sending half cannot send yet: it is split into receive and send;
//   * or its connection is blocked by a receive that was moved to the position where its value is
//     used: it becomes a separate receive into scratch, and the use reads from there.
// Both cases make an instruction ready, and their number is bounded, so the second attempt always
// terminates.
//
// The phases of successive calls of collectives are emitted in sequence (segments,
// IR/Generations.h), so that a threadblock never returns to an earlier gate. Messages are sent and
// received in the same segment, so this blocks no instruction. It orders the steps of threadblocks,
// not of ranks: calls overlap when the plan is executed.
//
// If reductions are merged, those of an operation are emitted at the depth of the last one, and one
// directly after the other if they are ready, so that they follow each other in their threadblock.
//
// In lockstep, an instruction is emitted on all ranks at once. As all of them are in the same
// state, one of them may execute if all may, and this state remains the same.
//
//===----------------------------------------------------------------------===//

#include "EmissionKeys.h"

#include "cclc/Schedule/ReadySet.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace cclc;
using namespace cclc::schedule;

namespace {
class ListScheduler {
public:
  ListScheduler(const ProgramGraph &graph, const SuccessorGraph &successors,
                const EmissionKeys &keys, const ScheduleOptions &options,
                const Assignment &assignment, bool fixedOrder)
      : program(graph.program), nextInSum(graph.nextInSum), options(options),
        assignment(assignment), successors(successors), fixedOrder(fixedOrder),
        nodes(program.size()), segments(segmentsOf(program.info().phases)), keys(keys),
        ready(uint64_t(program.size()) * 3),
        inLockstep(options.inLockstep && keys.areInLockstep()) {
    prepareConnections();
    outstanding.resize(segments.back() + 1);
    later.resize(outstanding.size());
    for (const Instr &instr : program.instrs())
      ++outstanding[segments[instr.phase]];
    for (uint32_t id = 0; id < program.size(); ++id) {
      nodes[id].receives = op(id).receives;
      nodes[id].sends = op(id).sends;
      nodes[id].splitSend = assignment.splitSend[id];
      nodes[id].pending += program.dependences().preds(id).size();
      if (nodes[id].splitSend)
        addSendDependences(id);
    }
  }

  /// Returns false if the emission is blocked, which is possible in the first attempt only.
  bool run() {
    result.items.reserve(program.size());
    for (uint32_t id = 0; id < program.size(); ++id)
      if (nodes[id].pending == 0)
        pushWhole(id);
    while (true) {
      while (!ready.empty()) {
        uint64_t key = ready.pop();
        uint32_t id = keys.instrOf(key);
        Item::Part part = nextPart(id);
        // With priorities, each part has a key of its own.
        if ((!keys.areOfParts() || keys.of(id, part) == key) && mayExecute(id, part))
          emitWithMates(id, part);
      }
      if (outstanding[segment] == 0) {
        if (segment + 1 == outstanding.size())
          return true;
        for (auto [id, part] : later[++segment])
          makeReady(id, part);
        continue;
      }
      if (!fixedOrder)
        return false;
      advanceFront();
      takeApart(front);
    }
  }

  Order takeResult() {
    for (const Node &node : nodes) {
      result.splitSend.push_back(node.splitSend);
      result.splitRecv.push_back(node.splitRecv);
    }
    return std::move(result);
  }

private:
  struct Node {
    uint32_t pending = 0;         ///< number of dependences that are not emitted
    bool receives : 1 = false;    ///< of the instruction
    bool sends : 1 = false;       ///< likewise
    bool splitSend : 1 = false;   ///< the sending half is a separate item
    bool splitRecv : 1 = false;   ///< the receive is a separate item
    bool emitted : 1 = false;     ///< Part::Whole
    bool sendEmitted : 1 = false; ///< Part::Send
    bool recvEmitted : 1 = false; ///< Part::Recv
    bool held : 1 = false;        ///< ready except for its connection

    bool sendsWithWhole() const { return sends && !splitSend; }
    bool receivesWithWhole() const { return receives && !splitRecv; }
  };
  using Entry = std::pair<uint32_t, Item::Part>; ///< an instruction and the part to execute
  /// The state of a connection during emission.
  struct Fifo {
    uint32_t begin, end; ///< in fifoItems: the receives of its messages, in order
    uint32_t sent = 0, received = 0;
    std::vector<uint64_t> held = {}; ///< keys of sends that wait for a slot, a heap
  };

  const Instr &instr(uint32_t id) const { return program.instrs()[id]; }
  const OpTraits &op(uint32_t id) const { return traits(instr(id).op); }
  Fifo &inFifo(uint32_t id) { return fifos[(*assignment.connectionOf[id]).index()]; }
  Fifo &outFifo(uint32_t id) { return inFifo((*instr(id).to).index()); }

  /// Allocates the messages of every connection; with a fixed order, also fills them in, and
  /// `parts` by position.
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

  // --- Readiness --------------------------------------------------------------------

  bool mayReceive(uint32_t id) {
    const Fifo &fifo = inFifo(id);
    return fifo.received < fifo.sent && fifoItems[fifo.begin + fifo.received] == id;
  }

  /// Whether \p id may send now; if not, it is queued at the connection. Must be the last condition
  /// that is tested, because a queued send needs nothing else.
  bool maySend(uint32_t id) {
    Fifo &fifo = outFifo(id);
    bool itsTurn = !fixedOrder || fifoItems[fifo.begin + fifo.sent] == (*instr(id).to).index();
    if (itsTurn && options.slots.admits(fifo.sent - fifo.received))
      return true;
    if (!nodes[id].held) {
      nodes[id].held = true;
      if (!fixedOrder) {
        fifo.held.push_back(keys.of(id, sendPart(id)));
        std::push_heap(fifo.held.begin(), fifo.held.end(), std::greater<>());
      }
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
      return !node.emitted && node.pending == 0 && (!node.receivesWithWhole() || mayReceive(id)) &&
             (!node.sendsWithWhole() || maySend(id));
    }
    llvm_unreachable("unknown part");
  }

  void makeReady(uint32_t id, Item::Part part) { ready.insert(keys.of(id, part)); }
  /// The parts of an instruction are executed one after the other, whichever of them were queued.
  Item::Part nextPart(uint32_t id) const {
    const Node &node = nodes[id];
    if (node.splitRecv && !node.recvEmitted)
      return Item::Part::Recv;
    return node.emitted && node.splitSend ? Item::Part::Send : Item::Part::Whole;
  }
  uint32_t segmentOf(uint32_t id) const {
    return outstanding.size() == 1 ? 0 : segments[instr(id).phase];
  }
  void push(uint32_t id, Item::Part part) {
    if (uint32_t of = segmentOf(id); of > segment)
      later[of].emplace_back(id, part);
    else
      makeReady(id, part);
  }
  Item::Part sendPart(uint32_t id) const {
    return nodes[id].splitSend ? Item::Part::Send : Item::Part::Whole;
  }

  // --- Emission ------------------------------------------------------------------------

  /// The instructions that are equal to \p id on all ranks, in lockstep; else \p id alone.
  ArrayRef<uint32_t> matesOf(uint32_t id) const {
    return keys.run(id, inLockstep ? program.info().ranks() : 1);
  }

  void emitWithMates(uint32_t id, Item::Part part) {
    if (!inLockstep) {
      emit(id, part);
      return emitSum(id);
    }
    SmallVector<uint32_t, 16> together;
    for (uint32_t mate : matesOf(id))
      if (nextPart(mate) == part && mayExecute(mate, part))
        together.push_back(mate);
    for (uint32_t mate : together)
      emit(mate, part);
  }

  /// Emits the reductions after \p id in its operation, as far as they are ready.
  void emitSum(uint32_t id) {
    while (!nextInSum.empty() && nextInSum[id] &&
           mayExecute((*nextInSum[id]).index(), Item::Part::Whole)) {
      id = (*nextInSum[id]).index();
      emit(id, Item::Part::Whole);
    }
  }

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
    if (node.receivesWithWhole())
      receive(id);
    if (node.sendsWithWhole())
      send(id);
    else if (node.sends)
      push(id, Item::Part::Send);
    for (DepEdge edge : successors.succs(id))
      release(edge.node());
  }

  /// Records that one dependence of \p id is satisfied.
  void release(uint32_t id) {
    if (--nodes[id].pending == 0)
      pushWhole(id);
  }

  /// Queues an instruction if it is ready. A receive whose message is not the first one is queued
  /// later, by announceHead().
  void pushWhole(uint32_t id) {
    if (!nodes[id].receivesWithWhole() || mayReceive(id))
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
    if (nodes[head].splitRecv)
      push(head, Item::Part::Recv);
    else if (nodes[head].pending == 0)
      push(head, Item::Part::Whole);
  }

  /// Another message may fit: queues the sender whose turn it is, or the best one.
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
      std::pop_heap(fifo.held.begin(), fifo.held.end(), std::greater<>());
      uint32_t next = keys.instrOf(fifo.held.back());
      fifo.held.pop_back();
      nodes[next].held = false;
      bool sent = nodes[next].splitSend ? nodes[next].sendEmitted : nodes[next].emitted;
      if (sent)
        continue;
      push(next, sendPart(next));
      return;
    }
  }

  // --- Splitting ---------------------------------------------------------------------------

  /// Whether a later overwrite must also wait for the sending half, that is, unless it precedes the
  /// sending half in the unfused program.
  bool waitsForSendHalf(uint32_t id, DepEdge edge) const {
    return edge.isFalse() && instr(edge.node()).pos > instr(id).sendPos;
  }

  /// Adds the dependences of the sending half of \p id, which becomes a separate item.
  void addSendDependences(uint32_t id) {
    ++outstanding[segmentOf(id)];
    for (DepEdge edge : successors.succs(id))
      if (waitsForSendHalf(id, edge))
        ++nodes[edge.node()].pending;
  }

  void splitSend(uint32_t id) {
    assert(nodes[id].sendsWithWhole() && op(id).receives && !nodes[id].emitted);
    nodes[id].splitSend = true;
    addSendDependences(id);
    if (nodes[id].pending == 0)
      push(id, Item::Part::Whole);
  }

  void splitRecv(uint32_t id) {
    assert(nodes[id].receivesWithWhole() && !nodes[id].emitted);
    if (nodes[id].sendsWithWhole())
      splitSend(id);
    nodes[id].splitRecv = true;
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
      bool done = isSendHalf && nodes[id].splitSend ? nodes[id].sendEmitted : nodes[id].emitted;
      if (!done)
        return;
    }
  }

  /// The emission is blocked: splits the instruction that blocks the part at \p pos, on all ranks
  /// in lockstep.
  void takeApart(uint32_t pos) {
    auto splitReceives = [&](uint32_t id) {
      for (uint32_t mate : matesOf(id))
        splitRecv(mate);
    };
    uint32_t id = (*parts[pos]).index();
    bool isSendHalf = instr(id).sendPos == pos && op(id).sends;
    if (isSendHalf && (nodes[id].emitted || !op(id).receives)) {
      // All slots of its connection are taken: receive the first message.
      const Fifo &fifo = outFifo(id);
      splitReceives(fifoItems[fifo.begin + fifo.received]);
      return;
    }
    assert(op(id).receives && "only messages keep the first position from executing");
    const Fifo &fifo = inFifo(id);
    uint32_t head = fifoItems[fifo.begin + fifo.received];
    if (head != id || nodes[id].splitRecv)
      splitReceives(head);
    else
      for (uint32_t mate : matesOf(id))
        splitSend(mate);
  }

  const InstrProgram &program;
  const std::vector<OptionalId<InstrId>> &nextInSum;
  const ScheduleOptions &options;
  const Assignment &assignment;
  const SuccessorGraph &successors;
  bool fixedOrder;
  std::vector<Node> nodes;
  std::vector<Fifo> fifos;
  std::vector<uint32_t> fifoItems;
  std::vector<OptionalId<InstrId>> parts; ///< by position, with a fixed order
  uint32_t front = 0;                     ///< all parts before this position are emitted
  std::vector<uint32_t> segments;         ///< by phase
  const EmissionKeys &keys;
  ReadySet ready; ///< keys
  bool inLockstep;
  std::vector<uint32_t> outstanding;     ///< by segment: number of items that are not emitted
  std::vector<std::vector<Entry>> later; ///< by segment: items that are ready except for their
                                         ///< segment
  uint32_t segment = 0;                  ///< the current one
  Order result;
};
} // namespace

Order schedule::layOut(const ProgramGraph &graph, const ScheduleOptions &options,
                       const Assignment &assignment) {
  EmissionKeys keys(graph);
  SuccessorGraph successors(graph.program.dependences());
  for (bool fixedOrder : {false, true}) {
    ListScheduler scheduler(graph, successors, keys, options, assignment, fixedOrder);
    if (scheduler.run())
      return scheduler.takeResult();
  }
  llvm_unreachable("the second attempt always ends");
}
