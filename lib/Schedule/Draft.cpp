//===- Draft.cpp - Assigning steps to threadblocks ------------------------===//
//
// One pass over the order of instructions. Communicating steps belong to the threadblock of their
// connection; a local step goes to the threadblock of its latest dependence, which is then ordered
// by the step list and needs no wait. Under a limit of steps, all communicating steps are counted
// first, and local steps beyond the limit go to the threadblock with the fewest steps. If
// reductions are merged, separate sums go to different threadblocks, because each reduces at its
// own rate.
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

Draft::Operands Draft::operandsOf(const DraftStep &step, const Instr &instr) const {
  const OpTraits &op = traits(step.op);
  if (step.op == OpKind::Send && instr.op != OpKind::Send)
    return {instr.dst, {}};
  if (auto it = received.find(step.instr.index()); it != received.end()) {
    if (step.op == OpKind::Recv)
      return {{}, it->second};
    bool isValue = step.op == OpKind::Reduce || !traits(instr.op).reduces();
    return {isValue ? it->second : instr.src, instr.dst};
  }
  return {op.readsSrc ? instr.src : Operand(), op.writesDst ? instr.dst : Operand()};
}

namespace {
class Drafter {
public:
  Drafter(const ProgramGraph &graph, const Order &order, std::optional<uint32_t> mostSteps,
          const ScheduleOptions &options, Assignment &assignment, DiagnosticEngine &diags)
      : program(graph.program), nextInSum(graph.nextInSum), order(order), mostSteps(mostSteps),
        options(options), assignment(assignment), diags(diags),
        threadblocksOf(program.info().ranks()), lastStepOf(program.size()),
        sumOf(nextInSum.size()) {
    draft.scratchChunks = program.scratchChunks().vec();
    draft.steps.reserve(order.items.size());
  }

  FailureOr<Draft> run() {
    if (failed(claimFixedLocals()))
      return failure();
    if (mostSteps)
      countTransfers();
    for (Item item : order.items)
      draftItem(item);
    return std::move(draft);
  }

private:
  using Load = std::pair<uint32_t, uint32_t>; ///< steps at some time, threadblock

  /// Local operations may be fixed to threadblocks that do not communicate.
  LogicalResult claimFixedLocals() {
    for (uint32_t w = 0; w < assignment.threadblocks.size(); ++w) {
      const ThreadblockDraft &threadblock = assignment.threadblocks[w];
      threadblocksOf[threadblock.rank.index()].push_back(ThreadblockId(w));
      if (threadblock.fixedId)
        fixedThreadblocks.try_emplace({threadblock.rank, *threadblock.fixedId}, ThreadblockId(w));
    }
    for (const Instr &instr : program.instrs())
      if (!traits(instr.op).communicates() && failed(claimFixedLocal(instr)))
        return failure();
    load.resize(assignment.threadblocks.size());
    return success();
  }

  LogicalResult claimFixedLocal(const Instr &instr) {
    const Directive &directive = program.info().directives[instr.directive];
    if (!directive.sendTb)
      return success();
    auto [it, inserted] = fixedThreadblocks.try_emplace(
        {instr.rank, *directive.sendTb}, ThreadblockId(assignment.threadblocks.size()));
    if (inserted) {
      assignment.threadblocks.push_back({instr.rank, {}, {}, {}, *directive.sendTb});
      threadblocksOf[instr.rank.index()].push_back(it->second);
    }
    if (!directive.channel || !options.keepChannels)
      return success();
    OptionalId<ChannelId> &channel = assignment.threadblocks[it->second.index()].channel;
    if (!channel)
      channel = ChannelId(*directive.channel);
    if (channel == ChannelId(*directive.channel))
      return success();
    return diags.error(program.info().locate(instr.loc),
                       formatv("the operation is fixed to channel {0}, but its threadblock tb{1} "
                               "on r{2} is on channel {3}",
                               *directive.channel, *directive.sendTb, instr.rank.index(),
                               (*channel).index()));
  }

  /// Counts the communicating steps of every threadblock, which cannot be moved.
  void countTransfers() {
    booked.resize(assignment.threadblocks.size());
    overflow.resize(assignment.threadblocks.size());
    for (const ConnectionDraft &connection : assignment.connections) {
      booked[(*connection.sender).index()] += connection.transfers;
      booked[(*connection.receiver).index()] += connection.receiveSteps;
    }
    for (uint32_t id = 0; id < program.size(); ++id)
      if (traits(program.instrs()[id].op).isFused() && !order.splitSend[id] && !order.splitRecv[id])
        --booked[(*assignment.connections[(*assignment.connectionOf[id]).index()].receiver)
                     .index()];
  }

  void draftItem(Item item) {
    const Instr &instr = program[item.instr];
    const OpTraits &op = traits(instr.op);
    if (item.part == Item::Part::Send)
      return add(item, OpKind::Send);
    if (item.part == Item::Part::Recv) {
      uint32_t &chunks = draft.scratchChunks[instr.rank.index()];
      draft.received.try_emplace(item.instr.index(), Operand(Buffer::Scratch, chunks));
      chunks += instr.count;
      return add(item, OpKind::Recv);
    }
    if (op.receives && order.splitRecv[item.instr.index()]) {
      if (!op.reduces() || instr.src != instr.dst)
        add(item, OpKind::Copy);
      if (op.reduces())
        add(item, OpKind::Reduce);
      return;
    }
    bool isSplit = op.isFused() && order.splitSend[item.instr.index()];
    add(item, !isSplit ? instr.op : op.reduces() ? OpKind::RecvReduceCopy : OpKind::Recv);
  }

  void add(Item item, OpKind op) {
    ThreadblockId threadblock = threadblockOf(item, op);
    ++load[threadblock.index()];
    lastStepOf[item.instr.index()] = StepId(draft.steps.size());
    draft.steps.push_back({item.instr, threadblock, op});
  }

  ThreadblockId threadblockOf(Item item, OpKind op) {
    const Instr &instr = program[item.instr];
    auto connection = [&](InstrId recv) -> const ConnectionDraft & {
      return assignment.connections[(*assignment.connectionOf[recv.index()]).index()];
    };
    if (traits(op).receives)
      return *connection(item.instr).receiver;
    if (traits(op).sends)
      return *connection(*instr.to).sender;
    return localThreadblock(item.instr);
  }

  /// The threadblock for a local operation: that of its latest dependence, so that most of its
  /// dependences need no wait.
  ThreadblockId localThreadblock(InstrId id) {
    const Instr &instr = program[id];
    const Directive &directive = program.info().directives[instr.directive];
    if (directive.sendTb && !traits(instr.op).communicates())
      return fixedThreadblocks.at({instr.rank, *directive.sendTb});
    OptionalId<StepId> latest = lastStepOf[id.index()]; // the receive of the same instruction, if
                                                        // it is separate
    if (!latest)
      for (DepEdge edge : program.dependences().preds(id.index())) {
        OptionalId<StepId> step = lastStepOf[edge.node()];
        if (step && (!latest || *latest < *step))
          latest = step;
      }
    ThreadblockId threadblock =
        latest ? draft.steps[(*latest).index()].threadblock : leastLoaded(instr.rank);
    if (!nextInSum.empty() && instr.op == OpKind::Reduce) {
      bool addsSum = latest && draft.steps[(*latest).index()].op == OpKind::Reduce;
      threadblock = threadblockOfSum(id, threadblock, addsSum);
    }
    return mostSteps ? withRoom(threadblock) : threadblock;
  }

  /// The threadblock of the previous reduction of the operation. That of the first one is \p latest
  /// if it adds to or reads the sum that was computed there (\p addsSum), else one that reduces
  /// least.
  ThreadblockId threadblockOfSum(InstrId id, ThreadblockId latest, bool addsSum) {
    sums.resize(assignment.threadblocks.size());
    OptionalId<ThreadblockId> &threadblock = sumOf[id.index()];
    if (!threadblock) {
      threadblock = addsSum ? latest : leastReducing(latest);
      ++sums[(*threadblock).index()];
    }
    if (nextInSum[id.index()])
      sumOf[(*nextInSum[id.index()]).index()] = threadblock;
    return *threadblock;
  }

  /// One of the threadblocks on the channel of \p latest with the fewest operations; a new one if
  /// all have some, and all of them communicate.
  ThreadblockId leastReducing(ThreadblockId latest) {
    const ThreadblockDraft like = assignment.threadblocks[latest.index()];
    ArrayRef<ThreadblockId> others = threadblocksOf[like.rank.index()];
    ThreadblockId best = latest;
    bool mayAdd =
        !like.fixedId && (!options.maxThreadblocks || others.size() < *options.maxThreadblocks);
    for (ThreadblockId w : others) {
      const ThreadblockDraft &other = assignment.threadblocks[w.index()];
      if (other.fixedId || other.channel != like.channel)
        continue;
      mayAdd &= other.send || other.recv;
      if (sums[w.index()] < sums[best.index()])
        best = w;
    }
    if (sums[best.index()] == 0 || !mayAdd)
      return best;
    ThreadblockId added = addThreadblock(like.rank);
    assignment.threadblocks[added.index()].channel = like.channel;
    sums.push_back(0);
    return added;
  }

  /// \p threadblock, or the one that takes over its local operations once it is full.
  ThreadblockId withRoom(ThreadblockId threadblock) {
    if (booked[threadblock.index()] >= *mostSteps) {
      OptionalId<ThreadblockId> next = overflow[threadblock.index()];
      if (!next || booked[(*next).index()] >= *mostSteps) {
        RankId rank = assignment.threadblocks[threadblock.index()].rank;
        next = idleThreadblock(rank, booked);
        if (booked[(*next).index()] >= *mostSteps)
          next = addThreadblock(rank);
      }
      overflow[threadblock.index()] = next;
      threadblock = *next;
    }
    ++booked[threadblock.index()];
    return threadblock;
  }

  void addIdle(std::vector<Load> &heap, ThreadblockId threadblock) {
    heap.emplace_back(load[threadblock.index()], threadblock.index());
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }

  /// The threadblock of the rank with the fewest steps so far, the first of equal ones. Loads only
  /// increase, so an outdated entry at the top of the heap moves down until the top is up to date.
  ThreadblockId leastLoaded(RankId rank) {
    if (idle.empty())
      idle.resize(threadblocksOf.size());
    std::vector<Load> &heap = idle[rank.index()];
    if (heap.empty())
      for (ThreadblockId w : threadblocksOf[rank.index()])
        if (!assignment.threadblocks[w.index()].fixedId)
          addIdle(heap, w);
    if (heap.empty())
      return addThreadblock(rank);
    while (true) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      uint32_t now = load[heap.back().second];
      ThreadblockId best(heap.back().second);
      bool upToDate = heap.back().first == now;
      heap.back().first = now;
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
      if (upToDate)
        return best;
    }
  }

  /// The threadblock of the rank with the fewest \p steps; a new one if the user fixed all ids.
  ThreadblockId idleThreadblock(RankId rank, ArrayRef<uint32_t> steps) {
    std::optional<ThreadblockId> best;
    for (ThreadblockId w : threadblocksOf[rank.index()])
      if (!assignment.threadblocks[w.index()].fixedId &&
          (!best || steps[w.index()] < steps[best->index()]))
        best = w;
    return best ? *best : addThreadblock(rank);
  }

  ThreadblockId addThreadblock(RankId rank) {
    ThreadblockId added(assignment.threadblocks.size());
    assignment.threadblocks.push_back({rank, {}, {}, {}, std::nullopt});
    threadblocksOf[rank.index()].push_back(added);
    load.push_back(0);
    booked.push_back(0);
    overflow.emplace_back();
    if (!idle.empty() && !idle[rank.index()].empty())
      addIdle(idle[rank.index()], added);
    return added;
  }

  const InstrProgram &program;
  const std::vector<OptionalId<InstrId>> &nextInSum;
  const Order &order;
  std::optional<uint32_t> mostSteps;
  const ScheduleOptions &options;
  Assignment &assignment;
  DiagnosticEngine &diags;
  Draft draft;
  std::vector<std::vector<ThreadblockId>> threadblocksOf; ///< by rank
  std::map<std::pair<RankId, uint32_t>, ThreadblockId> fixedThreadblocks;
  std::vector<uint32_t> load; ///< by threadblock: number of steps so far
  /// By rank, once it is needed: a heap of the loads of threadblocks whose id is not fixed.
  std::vector<std::vector<Load>> idle;
  /// By threadblock, under a limit: the number of its communicating steps and of its local ones so
  /// far, and the threadblock that takes further local ones.
  std::vector<uint32_t> booked;
  std::vector<OptionalId<ThreadblockId>> overflow;
  std::vector<OptionalId<StepId>> lastStepOf;   ///< by instruction
  std::vector<OptionalId<ThreadblockId>> sumOf; ///< by instruction, if reductions are merged
  std::vector<uint32_t> sums; ///< by threadblock: the number of its operations of reductions
};
} // namespace

FailureOr<Draft> schedule::draftSteps(const ProgramGraph &graph, const Order &order,
                                      std::optional<uint32_t> mostSteps,
                                      const ScheduleOptions &options, Assignment &assignment,
                                      DiagnosticEngine &diags) {
  return Drafter(graph, order, mostSteps, options, assignment, diags).run();
}
