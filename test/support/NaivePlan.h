//===- NaivePlan.h - A plan by the definition -------------------*- C++ -*-===//
//
// The semantics of plans from docs/Architecture.md, implemented as directly as
// possible and without code of the analyses: the happens-before graph as an edge
// list, its transitive closure, the accesses of every step, and a state-by-state
// executor. The cost is quadratic or higher; for plans of a few hundred steps.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_NAIVEPLAN_H
#define CCL_TEST_SUPPORT_NAIVEPLAN_H

#include "cclc/IR/ExecPlan.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace cclc::test {

class NaivePlan {
public:
  explicit NaivePlan(const ExecPlan &plan) : plan(plan) {
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = 0; s < tb.numSteps; ++s)
        tbOf.push_back(&tb);
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        if (doesSend(plan.steps()[s].op))
          for (const Connection &connection : out(s))
            sends[connection].push_back(s);
        if (doesReceive(plan.steps()[s].op))
          for (const Connection &connection : in(s))
            recvs[connection].push_back(s);
      }
  }

  using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

  static bool doesSend(OpKind op) {
    return op == OpKind::Send || op == OpKind::RecvCopySend || op == OpKind::RecvReduceSend ||
           op == OpKind::RecvReduceCopySend;
  }
  static bool doesReceive(OpKind op) {
    return op == OpKind::Recv || op == OpKind::RecvReduceCopy || op == OpKind::RecvCopySend ||
           op == OpKind::RecvReduceSend || op == OpKind::RecvReduceCopySend;
  }

  /// The step that satisfies the wait of \p step: the first one from the named one on that is
  /// published.
  std::optional<uint32_t> waitTarget(uint32_t step) const {
    std::optional<Wait> wait = plan.steps()[step].wait();
    if (!wait)
      return std::nullopt;
    const Threadblock &other = plan.threadblocks(tbOf[step]->rank)[wait->tb.index()];
    uint32_t s = other.firstStep + wait->step.index();
    while (!plan.steps()[s].publishes)
      ++s;
    return s;
  }

  /// The edges of G_c; \p slots 0 selects G_inf. With \p skipWaits the waits of these steps are
  /// omitted.
  Edges edges(uint32_t slots, std::optional<uint32_t> withoutWaitOf = std::nullopt) const {
    Edges list;
    for (uint32_t s = 0; s < plan.steps().size(); ++s) {
      if (s > 0 && tbOf[s] == tbOf[s - 1])
        list.emplace_back(s - 1, s);
      if (std::optional<uint32_t> target = waitTarget(s); target && s != withoutWaitOf)
        list.emplace_back(*target, s);
    }
    for (const auto &[connection, list1] : sends) {
      const std::vector<uint32_t> &list2 = recvs.at(connection);
      for (size_t i = 0; i < list1.size(); ++i) {
        list.emplace_back(list1[i], list2[i]);
        if (slots && i + slots < list1.size())
          list.emplace_back(list2[i], list1[i + slots]);
      }
    }
    return list;
  }

  /// reaches[a][b]: there is a path of at least one edge from a to b.
  std::vector<std::vector<bool>> closure(const Edges &list) const {
    uint32_t n = plan.steps().size();
    std::vector<std::vector<uint32_t>> next(n);
    for (auto [a, b] : list)
      next[a].push_back(b);
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (uint32_t a = 0; a < n; ++a) {
      std::vector<uint32_t> stack = {a};
      while (!stack.empty()) {
        uint32_t at = stack.back();
        stack.pop_back();
        for (uint32_t b : next[at])
          if (!reaches[a][b]) {
            reaches[a][b] = true;
            stack.push_back(b);
          }
      }
    }
    return reaches;
  }

  /// throughSteps(reaches)[a][b]: there is a path from a to b that contains the end of a step, that
  /// is, an edge that is no message. \p reaches: the closure of G_inf.
  std::vector<std::vector<bool>> throughSteps(const std::vector<std::vector<bool>> &reaches) const {
    uint32_t n = plan.steps().size();
    std::set<std::pair<uint32_t, uint32_t>> messages;
    for (const auto &[connection, list] : sends)
      for (size_t i = 0; i < list.size(); ++i)
        messages.emplace(list[i], recvs.at(connection)[i]);
    std::vector<std::vector<bool>> result(n, std::vector<bool>(n));
    for (auto [from, to] : edges(0))
      if (!messages.count({from, to}))
        for (uint32_t a = 0; a < n; ++a)
          for (uint32_t b = 0; b < n && (a == from || reaches[a][from]); ++b)
            if (b == to || reaches[to][b])
              result[a][b] = true;
    return result;
  }

  bool isCyclic(uint32_t slots) const {
    auto reaches = closure(edges(slots));
    for (uint32_t s = 0; s < reaches.size(); ++s)
      if (reaches[s][s])
        return true;
    return false;
  }

  /// Executes one ready step at a time until none is left; returns true if all steps were executed.
  /// The choice is made by \p pick(number of candidates).
  template <class Pick> bool completes(uint32_t slots, Pick pick) const {
    std::vector<bool> done(plan.steps().size());
    std::map<Connection, uint32_t> inFlight;
    while (true) {
      std::vector<uint32_t> able;
      for (uint32_t s = 0; s < done.size(); ++s) {
        if (done[s] || (s > 0 && tbOf[s] == tbOf[s - 1] && !done[s - 1]))
          continue;
        if (std::optional<uint32_t> target = waitTarget(s); target && !done[*target])
          continue;
        bool isAble = true;
        if (doesReceive(plan.steps()[s].op))
          for (const Connection &connection : in(s))
            isAble &= inFlight[connection] > 0;
        if (doesSend(plan.steps()[s].op) && slots)
          for (const Connection &connection : out(s))
            isAble &= inFlight[connection] < slots;
        if (isAble)
          able.push_back(s);
      }
      if (able.empty())
        break;
      uint32_t s = able[pick(able.size())];
      done[s] = true;
      if (doesReceive(plan.steps()[s].op))
        for (const Connection &connection : in(s))
          --inFlight[connection];
      if (doesSend(plan.steps()[s].op))
        for (const Connection &connection : out(s))
          ++inFlight[connection];
    }
    for (bool d : done)
      if (!d)
        return false;
    return true;
  }

  /// The cells that a step reads (writes): (memory, offset) in its rank.
  using Cells = std::set<std::pair<char, uint32_t>>;
  Cells reads(uint32_t step, Placement placement) const { return access(step, placement, false); }
  Cells writes(uint32_t step, Placement placement) const { return access(step, placement, true); }

  RankId rankOf(uint32_t step) const { return tbOf[step]->rank; }
  const Threadblock *threadblockOf(uint32_t step) const { return tbOf[step]; }

  /// True if two steps access a common cell, at least one of them writing, in some placement of the
  /// plan.
  bool conflict(uint32_t a, uint32_t b) const {
    if (rankOf(a) != rankOf(b))
      return false;
    for (Placement placement : plan.info().placements.list()) {
      Cells readA = reads(a, placement), writeA = writes(a, placement);
      Cells readB = reads(b, placement), writeB = writes(b, placement);
      for (const auto &cell : writeA)
        if (readB.count(cell) || writeB.count(cell))
          return true;
      for (const auto &cell : readA)
        if (writeB.count(cell))
          return true;
    }
    return false;
  }

private:
  using Connection = std::tuple<uint32_t, uint32_t, uint32_t>;
  std::vector<Connection> in(uint32_t s) const {
    std::vector<Connection> list;
    Peers peers = plan.recvPeers(*tbOf[s]);
    for (size_t i = 0; i < peers.size(); ++i)
      list.emplace_back(peers[i].index(), tbOf[s]->rank.index(), tbOf[s]->channel.index());
    return list;
  }
  std::vector<Connection> out(uint32_t s) const {
    std::vector<Connection> list;
    Peers peers = plan.sendPeers(*tbOf[s]);
    for (size_t i = 0; i < peers.size(); ++i)
      list.emplace_back(tbOf[s]->rank.index(), peers[i].index(), tbOf[s]->channel.index());
    return list;
  }

  Cells access(uint32_t s, Placement placement, bool write) const {
    const Step &step = plan.steps()[s];
    Cells cells;
    auto add = [&](Operand operand) {
      for (uint32_t c = 0; c < step.count; ++c)
        cells.insert(cellOf(tbOf[s]->rank.index(), operand, c, placement));
    };
    switch (step.op) {
    case OpKind::Send:
    case OpKind::RecvReduceSend:
      if (!write)
        add(step.src);
      break;
    case OpKind::Recv:
    case OpKind::RecvCopySend:
      if (write)
        add(step.dst);
      break;
    case OpKind::Copy:
    case OpKind::RecvReduceCopy:
    case OpKind::RecvReduceCopySend:
      add(write ? step.dst : step.src);
      break;
    case OpKind::Reduce:
      add(step.dst);
      if (!write)
        add(step.src);
      break;
    case OpKind::Nop:
      break;
    }
    return cells;
  }

  /// The cell by the alias table in Collective.h.
  std::pair<char, uint32_t> cellOf(uint32_t rank, Operand operand, uint32_t c,
                                   Placement placement) const {
    const Collective &collective = plan.info().collective;
    char letter = bufferLetter(operand.buffer());
    uint32_t index = operand.index() + c;
    if (letter == 's' || placement == Placement::OutOfPlace)
      return {letter, index};
    if (collective.kind() == CollectiveKind::AllGather && letter == 'i')
      return {'u', rank * collective.chunks() + index};
    if (collective.kind() == CollectiveKind::ReduceScatter && letter == 'o')
      return {'u', rank * collective.chunks() + index};
    return {'u', index};
  }

  const ExecPlan &plan;
  std::vector<const Threadblock *> tbOf; ///< by step
  std::map<Connection, std::vector<uint32_t>> sends, recvs;
};

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_NAIVEPLAN_H
