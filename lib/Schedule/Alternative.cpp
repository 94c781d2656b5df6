//===- Alternative.cpp - Figures of a schedule ----------------------------===//
//
// Counts over the assignment and the draft. A step with w > 1 waits counts as w steps, because all
// its waits except one become nops. The path is measured in units (StepTimes.h).
//
//===----------------------------------------------------------------------===//

#include "Alternative.h"

#include "StepTimes.h"

#include "cclc/Support/Units.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::schedule;

PlanCost schedule::costOf(const InstrProgram &program, const Draft &draft, const Waits &waits,
                          const Assignment &assignment, std::vector<uint32_t> &ends) {
  PlanCost cost;
  cost.path = unitPath(program, draft, waits, assignment, ends);
  cost.steps = draft.steps.size();
  for (uint32_t s = 0; s < draft.steps.size(); ++s)
    cost.steps += std::max<size_t>(waits.of(s).size(), 1) - 1;
  cost.threadblocks = mostThreadblocks(assignment, program.info().ranks());
  return cost;
}

namespace {
/// A lower bound of the nops of all plans with an assignment.
///
/// If no step of a threadblock U waits, and only steps of one threadblock T depend on U, a step of
/// T waits for U: no other threadblock could wait on its behalf. So a step of T needs a nop for
/// each U but one. A split adds a step, and saves at most one wait.
class LeastNops {
public:
  LeastNops(const ProgramGraph &graph, size_t threadblocks)
      : program(graph.program), threadblockOf(program.size()), facts(threadblocks),
        hasLocalWaits(program.info().ranks()),
        // Without dead writes, a split also changes which other instructions depend on each other.
        isKnown(!graph.hasDeadWrites()) {}

  /// Adds the next instruction, which \p threadblock executes, if this is known, and the sending
  /// half \p sender, if it is split.
  void add(uint32_t id, OptionalId<ThreadblockId> threadblock, OptionalId<ThreadblockId> sender) {
    if (!isKnown)
      return;
    threadblockOf[id] = threadblock;
    bool waits = false;
    for (DepEdge edge : program.dependences().preds(id))
      waits |= use(threadblockOf[edge.node()], threadblock);
    if (threadblock)
      of(threadblock).waiting += waits;
    else if (waits)
      hasLocalWaits[program.instrs()[id].rank.index()] = true;
    if (sender)
      of(sender).waiting += use(threadblock, sender);
  }

  uint64_t count(const Assignment &assignment) {
    for (uint32_t w = 0; w < facts.size(); ++w)
      if (facts[w].user && !facts[w].hasSeveralUsers && facts[w].waiting == 0 &&
          !hasLocalWaits[assignment.threadblocks[w].rank.index()])
        ++of(facts[w].user).awaited;
    uint64_t nops = 0;
    for (const Facts &threadblock : facts)
      nops += std::max(threadblock.awaited, threadblock.waiting) - threadblock.waiting;
    return nops;
  }

private:
  struct Facts {
    OptionalId<ThreadblockId> user; ///< the first one with a step that depends on this threadblock
    bool hasSeveralUsers = false;
    uint32_t waiting = 0; ///< steps that depend on other threadblocks
    uint32_t awaited = 0; ///< threadblocks that it must wait for
  };
  Facts &of(OptionalId<ThreadblockId> threadblock) { return facts[(*threadblock).index()]; }

  /// A step of \p user depends on \p threadblock. Returns whether it may have to wait.
  bool use(OptionalId<ThreadblockId> threadblock, OptionalId<ThreadblockId> user) {
    if (threadblock && threadblock == user)
      return false;
    if (threadblock) {
      Facts &used = of(threadblock);
      used.hasSeveralUsers |= !user || (used.user && used.user != user);
      used.user = user;
    }
    return true;
  }

  const InstrProgram &program;
  std::vector<OptionalId<ThreadblockId>> threadblockOf; ///< by instruction
  std::vector<Facts> facts;                             ///< by threadblock
  std::vector<bool> hasLocalWaits; ///< by rank: a local step, in any threadblock, may wait
  bool isKnown;
};
} // namespace

/// The steps of a threadblock take one unit each, one after the other.
PlanCost schedule::leastCost(const ProgramGraph &graph, const Assignment &assignment) {
  const InstrProgram &program = graph.program;
  std::vector<uint32_t> filled(assignment.threadblocks.size());
  LeastNops nops(graph, filled.size());
  PlanCost least;
  auto fill = [&](OptionalId<ThreadblockId> threadblock) {
    least.path = std::max(least.path, ++filled[(*threadblock).index()]);
    return threadblock;
  };
  auto connection = [&](uint32_t recv) -> const ConnectionDraft & {
    return assignment.connections[(*assignment.connectionOf[recv]).index()];
  };
  least.steps = program.size();
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    const OpTraits &op = traits(instr.op);
    least.steps += assignment.splitSend[id];
    OptionalId<ThreadblockId> receiver, sender;
    if (op.receives)
      receiver = fill(connection(id).receiver);
    if (op.sends && (!op.receives || assignment.splitSend[id]))
      sender = fill(connection((*instr.to).index()).sender);
    nops.add(id, op.receives ? receiver : sender,
             op.receives ? sender : OptionalId<ThreadblockId>());
  }
  least.steps += nops.count(assignment);
  least.threadblocks = mostThreadblocks(assignment, program.info().ranks());
  return least;
}

uint64_t schedule::hashOf(const Assignment &assignment) {
  uint64_t hash = 0;
  auto add = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  // The ranks of connections and the peers of threadblocks follow from the instructions.
  for (const ConnectionDraft &c : assignment.connections) {
    add(c.channel.index());
    add(uint64_t((*c.sender).index()) << 32 | (*c.receiver).index());
  }
  for (uint32_t id = 0; id < assignment.connectionOf.size(); ++id) {
    OptionalId<ConnectionId> connection = assignment.connectionOf[id];
    uint64_t number = connection ? (*connection).index() + uint64_t(1) : 0;
    add(number << 1 | assignment.splitSend[id]);
  }
  return hash;
}

uint32_t schedule::mostThreadblocks(const Assignment &assignment, uint32_t ranks) {
  std::vector<uint32_t> of(ranks);
  for (const ThreadblockDraft &threadblock : assignment.threadblocks)
    ++of[threadblock.rank.index()];
  return *std::max_element(of.begin(), of.end());
}

uint32_t schedule::mostConnections(const Assignment &assignment, uint32_t ranks) {
  std::vector<uint32_t> out(ranks), in(ranks);
  for (const ConnectionDraft &connection : assignment.connections) {
    ++out[connection.src.index()];
    ++in[connection.dst.index()];
  }
  return std::max(*std::max_element(out.begin(), out.end()),
                  *std::max_element(in.begin(), in.end()));
}

bool schedule::fitQueues(const Assignment &assignment, const QueueLimits &limits) {
  std::map<std::pair<RankId, RankId>, uint32_t> sent; // connections by sender and receiver
  for (const ConnectionDraft &c : assignment.connections) {
    ++sent[{c.src, c.dst}];
    sent.try_emplace({c.dst, c.src});
  }
  std::map<std::pair<RankId, uint32_t>, uint32_t> queues; // by rank and group
  for (const auto &[pair, there] : sent) {
    uint32_t back = sent[{pair.second, pair.first}],
             group = limits.groupOf(pair.first, pair.second);
    uint32_t &used = queues[{pair.first, group}];
    used += std::max(there, back);
    if (used > limits.most[group].value_or(~uint32_t(0)))
      return false;
  }
  return true;
}

uint32_t schedule::mostOnChannel(const Assignment &assignment) {
  std::map<std::pair<RankId, ChannelId>, uint32_t> out, in;
  uint32_t most = 0;
  for (const ConnectionDraft &c : assignment.connections)
    most = std::max({most, ++out[{c.src, c.channel}], ++in[{c.dst, c.channel}]});
  return most;
}

uint32_t schedule::mostWaitTargets(const Alternative &alternative, uint32_t ranks) {
  const std::vector<DraftStep> &steps = alternative.draft.steps;
  std::vector<bool> isTarget(alternative.assignment.threadblocks.size());
  for (uint32_t s = 0; s < steps.size(); ++s)
    if (alternative.waits.isTarget(s))
      isTarget[steps[s].threadblock.index()] = true;
  std::vector<uint32_t> of(ranks);
  for (uint32_t w = 0; w < isTarget.size(); ++w)
    of[alternative.assignment.threadblocks[w].rank.index()] += isTarget[w];
  return *std::max_element(of.begin(), of.end());
}

uint32_t schedule::mostTransferSteps(const Assignment &assignment) {
  uint32_t most = 0;
  for (const ThreadblockDraft &tb : assignment.threadblocks) {
    uint32_t sum = tb.send ? assignment.connections[(*tb.send).index()].transfers : 0;
    most = std::max(most,
                    sum + (tb.recv ? assignment.connections[(*tb.recv).index()].receiveSteps : 0));
  }
  return most;
}

uint32_t schedule::longestThreadblock(const InstrProgram &program, const Alternative &alternative,
                                      bool splitsFused) {
  const std::vector<DraftStep> &steps = alternative.draft.steps;
  std::vector<uint32_t> of(alternative.assignment.threadblocks.size());
  uint32_t longest = 0;
  for (uint32_t s = 0; s < steps.size(); ++s) {
    uint32_t &filled = of[steps[s].threadblock.index()];
    filled += std::max<size_t>(alternative.waits.of(s).size(), 1);
    Instr receive = program[steps[s].instr];
    receive.op = steps[s].op;
    const OpTraits &op = traits(receive.op);
    if (splitsFused && op.receives)
      filled += op.sends + receiveStepsOf(receive, true) - 1;
    longest = std::max(longest, filled);
  }
  return longest;
}

uint32_t schedule::fewestSteps(const Transfers &transfers, uint32_t channels, bool splitsFused) {
  std::vector<uint32_t> of(transfers.numPairs());
  uint32_t most = 1;
  for (uint32_t v = 0; v < transfers.numInstrs(); ++v)
    if (transfers.isTransfer(v))
      most = std::max(most,
                      of[transfers.pairOf(v)] += receiveStepsOf(transfers.instr(v), splitsFused));
  return ceilDiv(most, channels);
}
