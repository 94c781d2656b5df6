//===- PlanMinimizer.cpp - Delta debugging over messages, steps and waits -===//
//
// The ddmin algorithm of Zeller and Hildebrandt (IEEE Trans. Software Engineering 28(2), 2002) with
// removals only: runs of units are removed, first all, then halves, quarters and single ones, where
// a unit is the atoms of a rank, those of a connection, or one atom. This is repeated until a whole
// round removes nothing. Each candidate is rebuilt from the whole plan: a fused step may lose one
// of its halves, a wait for a removed step becomes a wait for the last remaining step before it,
// and ids become dense.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Minimize/PlanMinimizer.h"

#include "cclc/IR/Connections.h"

#include <map>

using namespace cclc;

namespace {
/// The simplification of the collective.
enum class Shell : uint8_t {
  Whole, ///< unchanged
  Ranks, ///< the same collective over the ranks that have steps
  Bare,  ///< only buffers: a custom collective over these ranks without post-condition
};

class PlanMinimizer {
public:
  PlanMinimizer(const ExecPlan &plan, const InterestingTest &isInteresting,
                const std::function<void(const MinimizedPlan &)> &onSmaller)
      : plan(plan), isInteresting(isInteresting), onSmaller(onSmaller),
        publishers(findPublishers(plan)) {
    findAtoms();
  }

  MinimizedPlan run() {
    best = build(state);
    bool simpler;
    do {
      size_t before = left();
      shrink(byRank);
      shrink(byConnection);
      shrink(single);
      shrinkPairs();
      simpler = simplify() || left() < before;
    } while (simpler);
    return std::move(*best);
  }

private:
  /// An atom is a message, a local step or a wait.
  struct State {
    std::vector<bool> atoms;
    bool countsAreOne = false;
    Shell shell = Shell::Whole;
  };
  using Unit = std::vector<uint32_t>; ///< atoms that are removed together

  uint32_t addAtom(uint32_t rank) {
    uint32_t atom = state.atoms.size();
    state.atoms.push_back(true);
    byRank[rank].push_back(atom);
    single.push_back({atom});
    return atom;
  }

  /// All messages of an operation of a switch are one atom.
  uint32_t atomOfMessage(RankId sender, uint32_t send, uint32_t recv) {
    std::optional<uint32_t> one = sent[send], other = received[recv];
    if (one && other && one != other)
      for (auto *table : {&sent, &received})
        std::replace(table->begin(), table->end(), other, one);
    else if (!one)
      one = other ? *other : addAtom(sender.index());
    sent[send] = received[recv] = one;
    return *one;
  }

  void findAtoms() {
    size_t steps = plan.steps().size();
    sent.resize(steps);
    received.resize(steps);
    local.resize(steps);
    waiting.resize(steps);
    byRank.resize(plan.ranks());
    ConnectionTable connections(plan);
    for (const Connection &connection : connections.connections()) {
      Unit &all = byConnection.emplace_back();
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t recv) {
        uint32_t to = plan.threadblocks()[connection.receiverTb].rank.index();
        uint32_t atom = atomOfMessage(plan.threadblocks()[connection.senderTb].rank, send, recv);
        byRank[to].push_back(atom);
        all.push_back(atom);
      });
    }
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        const OpTraits &op = traits(plan.steps()[s].op);
        if (op.writesDst && !op.receives)
          local[s] = addAtom(tb.rank.index());
      }
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        if (plan.steps()[s].waits())
          waiting[s] = addAtom(tb.rank.index());
  }

  size_t left() const { return llvm::count(state.atoms, true); }

  /// Removes runs of the remaining units: halves, quarters, ..., single units. The remaining units
  /// are compacted, so that the next round combines other units.
  void shrink(std::vector<Unit> &units) {
    for (Unit &unit : units)
      llvm::erase_if(unit, [&](uint32_t atom) { return !state.atoms[atom]; });
    llvm::erase_if(units, [](const Unit &unit) { return unit.empty(); });
    for (size_t length = units.size(); length > 0; length /= 2)
      for (size_t begin = 0; begin < units.size(); begin += length) {
        State smaller = state;
        for (const Unit &unit :
             ArrayRef(units).slice(begin, std::min(length, units.size() - begin)))
          for (uint32_t atom : unit)
            smaller.atoms[atom] = false;
        if (smaller.atoms != state.atoms)
          accept(std::move(smaller));
      }
  }

  /// In a small plan, tries to remove any two parts together.
  void shrinkPairs() {
    constexpr size_t fewAtoms = 48;
    for (size_t a = 0; left() <= fewAtoms && a < state.atoms.size(); ++a)
      for (size_t b = a + 1; state.atoms[a] && b < state.atoms.size(); ++b)
        if (state.atoms[b]) {
          State smaller = state;
          smaller.atoms[a] = smaller.atoms[b] = false;
          accept(std::move(smaller));
        }
  }

  /// Tries once to simplify the collective and to reduce counts to one.
  bool simplify() {
    if (state.shell != Shell::Whole || state.countsAreOne)
      return false;
    for (auto [shell, one] : {std::pair(Shell::Bare, true), std::pair(Shell::Bare, false),
                              std::pair(Shell::Ranks, true), std::pair(Shell::Ranks, false),
                              std::pair(Shell::Whole, true)}) {
      State smaller = state;
      smaller.shell = shell;
      smaller.countsAreOne = one;
      if (accept(std::move(smaller)))
        return true;
    }
    return false;
  }

  bool accept(State smaller) {
    std::optional<MinimizedPlan> candidate = build(smaller);
    if (!candidate || !isInteresting(*candidate))
      return false;
    state = std::move(smaller);
    best = std::move(candidate);
    if (onSmaller)
      onSmaller(*best);
    return true;
  }

  // --- Candidates ------------------------------------------------------------------------

  bool has(const State &from, std::optional<uint32_t> atom) const {
    return atom && from.atoms[*atom];
  }

  /// The step after its message is removed: the remaining part of the operation, if there is one.
  std::optional<Step> stepOf(const State &from, uint32_t s) const {
    Step step = plan.steps()[s];
    const OpTraits &op = traits(step.op);
    bool receives = has(from, received[s]), sends = has(from, sent[s]), works = has(from, local[s]);
    if (op.receives != receives || op.sends != sends) {
      if (receives && op.readsSrc && !op.writesDst)
        step.dst = step.src; // rrs
      if (receives)
        step.op = op.readsSrc ? OpKind::RecvReduceCopy : OpKind::Recv;
      else if (sends)
        step.op = OpKind::Send;
      if (sends && !op.readsSrc)
        step.src = step.dst; // rcs
      if (!traits(step.op).readsSrc)
        step.src = {};
      if (!traits(step.op).writesDst)
        step.dst = {};
    }
    if (!receives && !sends && !works) {
      if (!has(from, waiting[s]))
        return std::nullopt;
      step.op = OpKind::Nop;
      step.src = step.dst = {};
    }
    if (from.countsAreOne && step.op != OpKind::Nop)
      step.count = 1;
    step.setWait({});
    step.publishes = false;
    return step;
  }

  std::optional<MinimizedPlan> build(const State &from) const {
    std::vector<std::optional<Step>> steps(plan.steps().size());
    std::vector<uint32_t> indexIn(steps.size()); // index in its threadblock
    std::vector<std::optional<ThreadblockId>> newId(plan.threadblocks().size());
    std::vector<bool> busy(plan.ranks());
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      uint32_t next = 0;
      for (uint32_t t = plan.firstThreadblock(RankId(r));
           t < plan.firstThreadblock(RankId(r)) + plan.numThreadblocks(RankId(r)); ++t) {
        const Threadblock &tb = plan.threadblocks()[t];
        uint32_t index = 0;
        for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
          steps[s] = stepOf(from, s);
          if (steps[s])
            indexIn[s] = index++;
        }
        if (index > 0)
          newId[t] = ThreadblockId(next++);
      }
      busy[r] = next > 0;
    }
    if (from.shell == Shell::Bare)
      for (Buffer buffer : {Buffer::Input, Buffer::Output, Buffer::Scratch})
        closeGaps(steps, buffer);
    setWaits(from, steps, indexIn, newId);
    return assemble(from, steps, newId, busy);
  }

  /// Removes unused chunks of \p buffer and renumbers the others.
  static void closeGaps(std::vector<std::optional<Step>> &steps, Buffer buffer) {
    std::map<uint32_t, uint32_t> numbers;
    auto forEachOperand = [&](auto &&fn) {
      for (std::optional<Step> &step : steps)
        if (step)
          for (Operand *operand : {&step->src, &step->dst})
            if (!operand->isNone() && operand->buffer() == buffer)
              fn(*operand, step->count);
    };
    forEachOperand([&](Operand &operand, uint32_t count) {
      for (uint32_t c = 0; c < count; ++c)
        numbers[operand.index() + c];
    });
    uint32_t next = 0;
    for (auto &[index, number] : numbers)
      number = next++;
    forEachOperand(
        [&](Operand &operand, uint32_t) { operand = Operand(buffer, numbers[operand.index()]); });
  }

  /// Sets the waits. A wait for a removed step becomes one for the last remaining step before it.
  void setWaits(const State &from, std::vector<std::optional<Step>> &steps,
                ArrayRef<uint32_t> indexIn, ArrayRef<std::optional<ThreadblockId>> newId) const {
    for (const Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        if (!steps[s] || !has(from, waiting[s]))
          continue;
        Wait wait = *plan.steps()[s].wait();
        uint32_t owner = plan.firstThreadblock(tb.rank) + wait.tb.index();
        uint32_t first = plan.threadblocks()[owner].firstStep;
        uint32_t end = (*publishers[first + wait.step.index()]).index() + 1;
        while (end > first && !steps[end - 1])
          --end;
        if (end == first)
          continue;
        steps[end - 1]->publishes = true;
        steps[s]->setWait(Wait{*newId[owner], StepIndex(indexIn[end - 1])});
      }
  }

  std::optional<MinimizedPlan> assemble(const State &from, ArrayRef<std::optional<Step>> steps,
                                        ArrayRef<std::optional<ThreadblockId>> newId,
                                        const std::vector<bool> &busy) const {
    std::vector<RankId> ranks;
    std::vector<uint32_t> newRank(plan.ranks());
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (from.shell == Shell::Whole || busy[r]) {
        newRank[r] = ranks.size();
        ranks.push_back(RankId(r));
      }
    if (ranks.empty())
      return std::nullopt;
    ExecPlanBuilder builder(infoOf(from, ranks.size(), steps));
    std::vector<uint32_t> origin;
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      if (!newId[t])
        continue;
      const Threadblock &tb = plan.threadblocks()[t];
      RankId rank(newRank[tb.rank.index()]);
      bool sends = false, receives = false;
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        sends |= has(from, sent[s]);
        receives |= has(from, received[s]);
      }
      auto renumbered = [&](bool used, const Peers &peers) {
        SmallVector<RankId, 8> list;
        for (size_t i = 0; used && i < peers.size(); ++i)
          list.push_back(RankId(newRank[peers[i].index()]));
        return list;
      };
      SmallVector<RankId, 8> to = renumbered(sends, plan.sendPeers(tb)),
                             of = renumbered(receives, plan.recvPeers(tb));
      builder.beginThreadblock(rank, Peers(to), Peers(of), tb.channel);
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        if (steps[s]) {
          builder.addStep(*steps[s]);
          origin.push_back(s);
        }
    }
    for (uint32_t r = 0; r < ranks.size(); ++r)
      builder.setScratch(RankId(r), from.shell == Shell::Whole
                                        ? plan.scratchChunks()[ranks[r].index()]
                                        : chunksUsed(steps, ranks[r], Buffer::Scratch));
    DiagnosticEngine diags; // an unsound plan is not a candidate
    FailureOr<ExecPlan> reduced = std::move(builder).finish(diags);
    if (failed(reduced))
      return std::nullopt;
    return MinimizedPlan{std::move(*reduced), std::move(origin), std::move(ranks)};
  }

  ProgramInfo infoOf(const State &from, uint32_t ranks, ArrayRef<std::optional<Step>> steps) const {
    ProgramInfo info = plan.info();
    if (from.shell == Shell::Whole)
      return info;
    if (from.shell == Shell::Bare) {
      CustomSpec spec;
      for (uint32_t r = 0; r < plan.ranks(); ++r) {
        spec.inputChunks = std::max(spec.inputChunks, chunksUsed(steps, RankId(r), Buffer::Input));
        spec.outputChunks =
            std::max(spec.outputChunks, chunksUsed(steps, RankId(r), Buffer::Output));
      }
      info.collective = Collective(ranks, std::move(spec));
      info.placements = Placements::outOfPlace();
    } else {
      const Collective &whole = plan.info().collective;
      if (whole.kind() == CollectiveKind::Custom || whole.isRooted())
        return info; // the collective has ranks with roles, so this is unsound and not a candidate
      info.collective = Collective(whole.kind(), ranks, whole.chunks());
    }
    info.geometry = {};
    info.target = {};
    info.placementOnTarget.clear();
    info.neighbours.clear();
    info.communicators.clear();
    info.calls.clear();
    for (Phase &phase : info.phases)
      phase = Phase{phase.name};
    return info;
  }

  uint32_t chunksUsed(ArrayRef<std::optional<Step>> steps, RankId rank, Buffer buffer) const {
    uint32_t used = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        if (steps[s])
          for (Operand operand : {steps[s]->src, steps[s]->dst})
            if (!operand.isNone() && operand.buffer() == buffer)
              used = std::max(used, operand.index() + steps[s]->count);
    return used;
  }

  const ExecPlan &plan;
  const InterestingTest &isInteresting;
  const std::function<void(const MinimizedPlan &)> &onSmaller;
  std::vector<OptionalId<StepId>> publishers;
  /// By step: its atoms.
  std::vector<std::optional<uint32_t>> sent, received, local, waiting;
  std::vector<Unit> byRank, byConnection, single;
  State state;
  std::optional<MinimizedPlan> best;
};
} // namespace

/// Maps \p part, a part of \p whole, to the plan that \p whole is a part of.
static MinimizedPlan partOfAll(MinimizedPlan part, const MinimizedPlan &whole) {
  for (uint32_t &step : part.origin)
    step = whole.origin[step];
  for (RankId &rank : part.ranks)
    rank = whole.ranks[rank.index()];
  return part;
}

MinimizedPlan cclc::minimizePlan(const ExecPlan &plan, const InterestingTest &isInteresting,
                                 const std::function<void(const MinimizedPlan &)> &onSmaller) {
  MinimizedPlan best = PlanMinimizer(plan, isInteresting, onSmaller).run();
  // Repeat, since the halves and quarters of a smaller plan are different.
  while (true) {
    InterestingTest test = [&](const MinimizedPlan &part) {
      return isInteresting(partOfAll(part, best));
    };
    MinimizedPlan smaller = PlanMinimizer(best.plan, test, onSmaller).run();
    if (smaller.plan.steps().size() == best.plan.steps().size())
      return best;
    best = partOfAll(std::move(smaller), best);
  }
}
