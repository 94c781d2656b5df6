//===- Comparison.cpp - Pairing the steps of two plans --------------------===//
//
// The threadblocks are matched (Matching.h), and the steps of each pair aligned by their longest
// common subsequence (Alignment.h). Unmatched steps are paired with equal ones in other
// threadblocks of their rank, then with similar ones in the same gap between paired steps; the
// remaining steps exist in one plan only. Dependences, connections and numbers are compared through
// these pairs.
//
// Plans with different collectives or numbers of ranks cannot be aligned and are compared by
// attributes and figures only. Reductions are compared when steps differ and the proofs of both
// plans do not already have equal reduction hashes.
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "Hash.h"
#include "Parts.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <unordered_map>

using namespace cclc;
using namespace cclc::diff;

bool PlanDiff::sameFigures() const {
  return figuresBefore.values == figuresAfter.values &&
         figuresBefore.proof.verdict == figuresAfter.proof.verdict;
}

bool PlanDiff::sameSteps() const {
  return connections.empty() && threadblocks.empty() && steps.empty() && operations.empty() &&
         dependences.empty() && order.empty();
}

bool PlanDiff::equivalent() const {
  return comparable && sameFigures() && attributes.empty() && kinds.empty() && transfers.empty() &&
         reductions.empty() && sameSteps();
}

namespace {
class Comparison {
public:
  Comparison(const ExecPlan &before, const ExecPlan &after, const PhaseNumbers &phases)
      : before(before, phases.before), after(after, phases.after), phases(phases),
        matching(matchThreadblocks(this->before, this->after)), newOf(before.steps().size()),
        oldOf(after.steps().size()) {
    result.before = before;
    result.after = after;
  }

  PlanDiff compare();

private:
  void alignThreadblocks();
  void recordOrder(uint32_t a, uint32_t b, const Alignment &alignment);
  void matchAcrossThreadblocks();
  void matchGap(ArrayRef<uint32_t> olds, ArrayRef<uint32_t> news);
  void matchInGaps();
  void collectSteps();
  void compareThreadblocks();
  void compareDependences();
  void countKinds();
  void listNumbering();
  void locate();

  void pair(uint32_t a, uint32_t b) {
    newOf[a] = StepId(b);
    oldOf[b] = StepId(a);
  }

  IndexedPlan before, after;
  const PhaseNumbers &phases;
  Matching matching;
  std::vector<OptionalId<StepId>> newOf, oldOf; ///< by step
  bool allKept = true; ///< whether every step has an equal one in the matching threadblock
  PlanDiff result;
};

void Comparison::alignThreadblocks() {
  for (uint32_t a = 0; a < matching.newOf.size(); ++a) {
    if (!matching.newOf[a]) {
      allKept &= before.plan.threadblocks()[a].numSteps == 0;
      continue;
    }
    uint32_t b = *matching.newOf[a];
    ArrayRef<uint64_t> olds = before.keysOf(a), news = after.keysOf(b);
    Alignment alignment = align(olds, news);
    uint32_t firstOld = before.plan.threadblocks()[a].firstStep,
             firstNew = after.plan.threadblocks()[b].firstStep, kept = 0;
    bool moved = false;
    for (uint32_t i = 0; i < olds.size(); ++i)
      if (alignment.newOf[i]) {
        pair(firstOld + i, firstNew + *alignment.newOf[i]);
        ++kept;
        moved |= !alignment.inOrder[i];
      }
    allKept &= kept == olds.size() && kept == news.size();
    if (moved)
      recordOrder(a, b, alignment);
  }
  for (uint32_t b = 0; b < matching.oldOf.size(); ++b)
    if (!matching.oldOf[b])
      allKept &= after.plan.threadblocks()[b].numSteps == 0;
}

void Comparison::recordOrder(uint32_t a, uint32_t b, const Alignment &alignment) {
  uint32_t firstOld = before.plan.threadblocks()[a].firstStep;
  const Threadblock &tb = after.plan.threadblocks()[b];
  // By new step: whether it kept its place, and the adjacent steps that did.
  std::vector<bool> kept(tb.numSteps);
  for (uint32_t i = 0; i < alignment.newOf.size(); ++i)
    if (alignment.newOf[i] && alignment.inOrder[i])
      kept[*alignment.newOf[i]] = true;
  std::vector<OptionalId<StepId>> next(tb.numSteps), previous(tb.numSteps);
  OptionalId<StepId> last;
  for (uint32_t j = 0; j < tb.numSteps; ++j) {
    previous[j] = last;
    if (kept[j])
      last = StepId(tb.firstStep + j);
  }
  last = {};
  for (uint32_t j = tb.numSteps; j-- > 0;) {
    next[j] = last;
    if (kept[j])
      last = StepId(tb.firstStep + j);
  }
  for (uint32_t i = 0; i < alignment.newOf.size(); ++i) {
    if (!alignment.newOf[i] || alignment.inOrder[i])
      continue;
    uint32_t j = *alignment.newOf[i], count = 1;
    while (i + count < alignment.newOf.size() && alignment.newOf[i + count] == j + count &&
           !alignment.inOrder[i + count])
      ++count;
    result.order.push_back({b, StepId(firstOld + i), StepId(tb.firstStep + j), count,
                            next[j + count - 1], previous[j]});
    i += count - 1;
  }
}

/// Matches steps that moved to another threadblock of their rank; equal steps match in order.
void Comparison::matchAcrossThreadblocks() {
  using Row = std::pair<uint64_t, uint32_t>; // (hash of key and rank, step)
  auto freeSteps = [](const IndexedPlan &p, ArrayRef<OptionalId<StepId>> taken) {
    std::vector<Row> rows;
    for (const Threadblock &tb : p.plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        if (!taken[s])
          rows.emplace_back(mixed(tb.rank.index(), p.keys[s]), s);
    llvm::sort(rows);
    return rows;
  };
  std::vector<Row> olds = freeSteps(before, newOf), news = freeSteps(after, oldOf);
  for (size_t i = 0, j = 0; i < olds.size() && j < news.size();) {
    if (olds[i].first < news[j].first) {
      ++i;
    } else if (news[j].first < olds[i].first) {
      ++j;
    } else {
      StepId old(olds[i++].second), now(news[j++].second);
      pair(old.index(), now.index());
      result.steps.push_back({old, now, /*otherThreadblock=*/true});
    }
  }
}

/// Whether \p a may have been changed to \p b: they have a common part.
static bool isLike(const Step &a, const Step &b) {
  auto same = [](bool usedA, bool usedB, Operand x, Operand y) { return usedA && usedB && x == y; };
  const OpTraits &opA = traits(a.op), &opB = traits(b.op);
  return a.op == b.op || same(opA.readsSrc, opB.readsSrc, a.src, b.src) ||
         same(opA.writesDst, opB.writesDst, a.dst, b.dst);
}

/// Matches the steps of a gap: pairwise if their numbers are equal; otherwise, in order, those of
/// the same kind with a common operand.
void Comparison::matchGap(ArrayRef<uint32_t> olds, ArrayRef<uint32_t> news) {
  auto become = [&](uint32_t s, uint32_t t) {
    pair(s, t);
    const Step &a = before.plan.steps()[s], &b = after.plan.steps()[t];
    // Changes of nops are changes of dependences only.
    if (a.op != OpKind::Nop || b.op != OpKind::Nop ||
        phases.before[a.phase] != phases.after[b.phase])
      result.steps.push_back({StepId(s), StepId(t)});
  };
  ArrayRef<Step> oldSteps = before.plan.steps(), newSteps = after.plan.steps();
  if (olds.size() == news.size()) {
    for (size_t n = 0; n < olds.size(); ++n)
      if (isLike(oldSteps[olds[n]], newSteps[news[n]]))
        become(olds[n], news[n]);
    return;
  }
  size_t next = 0;
  for (uint32_t s : olds)
    for (size_t n = next; n < std::min(news.size(), next + 8); ++n) {
      const Step &a = oldSteps[s], &b = newSteps[news[n]];
      if (a.op == b.op && (a.src == b.src || a.dst == b.dst)) {
        become(s, news[n]);
        next = n + 1;
        break;
      }
    }
}

/// Matches steps in the same gap between matched steps.
void Comparison::matchInGaps() {
  for (uint32_t a = 0; a < matching.newOf.size(); ++a) {
    if (!matching.newOf[a])
      continue;
    const Threadblock &old = before.plan.threadblocks()[a],
                      &tb = after.plan.threadblocks()[*matching.newOf[a]];
    uint32_t endOld = old.firstStep + old.numSteps, endNew = tb.firstStep + tb.numSteps;
    uint32_t j = tb.firstStep;
    for (uint32_t i = old.firstStep; i < endOld; ++i) {
      if (newOf[i]) {
        // Only steps that kept their threadblock delimit gaps.
        uint32_t at = (*newOf[i]).index();
        if (at >= tb.firstStep && at < endNew)
          j = at + 1;
        continue;
      }
      std::vector<uint32_t> olds, news;
      for (; i < endOld && !newOf[i]; ++i)
        olds.push_back(i);
      --i;
      while (j < endNew && oldOf[j])
        ++j;
      for (; j < endNew && !oldOf[j]; ++j)
        news.push_back(j);
      matchGap(olds, news);
    }
  }
}

void Comparison::collectSteps() {
  if (!allKept) {
    matchAcrossThreadblocks();
    matchInGaps();
    for (uint32_t s = 0; s < newOf.size(); ++s)
      if (!newOf[s])
        result.steps.push_back({StepId(s), {}});
    llvm::sort(result.steps, [](const StepChange &x, const StepChange &y) {
      return (*x.before).index() < (*y.before).index();
    });
    for (uint32_t s = 0; s < oldOf.size(); ++s)
      if (!oldOf[s])
        result.steps.push_back({{}, StepId(s)});
  }
}

void Comparison::compareThreadblocks() {
  for (uint32_t a = 0; a < matching.newOf.size(); ++a) {
    const Threadblock &old = before.plan.threadblocks()[a];
    if (!matching.newOf[a]) {
      result.threadblocks.push_back({a, std::nullopt});
      continue;
    }
    const Threadblock &tb = after.plan.threadblocks()[*matching.newOf[a]];
    if (!(before.plan.sendPeers(old) == after.plan.sendPeers(tb) &&
          before.plan.recvPeers(old) == after.plan.recvPeers(tb)))
      result.threadblocks.push_back({a, matching.newOf[a]});
  }
  for (uint32_t b = 0; b < matching.oldOf.size(); ++b)
    if (!matching.oldOf[b])
      result.threadblocks.push_back({std::nullopt, b});
}

/// Whether the step \p earlier, if set, precedes \p step in the same threadblock.
static bool comesBefore(const ExecPlan &plan, OptionalId<StepId> earlier, uint32_t step) {
  return earlier && (*earlier).index() < step &&
         threadblockOf(plan, *earlier) == threadblockOf(plan, StepId(step));
}

void Comparison::compareDependences() {
  for (uint32_t a = 0; a < before.plan.threadblocks().size(); ++a) {
    const Threadblock &tb = before.plan.threadblocks()[a];
    std::optional<uint32_t> b = matching.newOf[a];
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      if (!newOf[s])
        continue;
      uint32_t t = (*newOf[s]).index();
      const Step &old = before.plan.steps()[s], &now = after.plan.steps()[t];
      if (old.publishes != now.publishes)
        result.dependences.push_back({DependenceChange::Kind::Publishes, StepId(s), StepId(t)});
      if (!old.waits() && !now.waits())
        continue;
      bool same = false;
      if (old.waits() && now.waits()) {
        // The number of a threadblock is relative to its rank, which is that of \p t.
        uint32_t inRank = b ? *b : after.plan.firstThreadblock(tb.rank);
        OptionalId<StepId> oldPublisher = before.publishers[before.waitedStep(a, *old.wait())],
                           publisher = after.publishers[after.waitedStep(inRank, *now.wait())];
        same = oldPublisher && publisher && newOf[(*oldPublisher).index()] == publisher;
      }
      if (same)
        continue;
      bool inOrder = false;
      if (!now.waits())
        inOrder = comesBefore(after.plan, newOf[before.waitedStep(a, *old.wait())], t);
      else if (!old.waits())
        inOrder = comesBefore(
            before.plan,
            oldOf[after.waitedStep(threadblockOf(after.plan, StepId(t)).index(), *now.wait())], s);
      result.dependences.push_back({DependenceChange::Kind::Wait, StepId(s), StepId(t), inOrder});
    }
  }
}

void Comparison::countKinds() {
  auto count = [](const ExecPlan &plan, RankId rank) {
    std::array<uint64_t, numOpKinds> counts{};
    for (const Threadblock &tb : plan.threadblocks(rank))
      for (const Step &step : plan.steps(tb))
        ++counts[static_cast<size_t>(step.op)];
    return counts;
  };
  for (uint32_t r = 0; r < before.plan.ranks(); ++r) {
    auto olds = count(before.plan, RankId(r)), news = count(after.plan, RankId(r));
    for (unsigned op = 0; op < numOpKinds; ++op)
      if (olds[op] != news[op])
        result.kinds.push_back({RankId(r), static_cast<OpKind>(op), olds[op], news[op]});
  }
}

void Comparison::listNumbering() {
  for (uint32_t a = 0; a < matching.newOf.size(); ++a)
    if (auto b = matching.newOf[a]) {
      uint32_t old = before.plan.localId(a).index(), now = after.plan.localId(*b).index();
      if (old != now)
        result.numbering.push_back({before.plan.threadblocks()[a].rank, old, now});
    }
  for (uint32_t c = 0; c < matching.newChannel.size(); ++c)
    if (auto now = matching.newChannel[c]; now && *now != c)
      result.numbering.push_back({std::nullopt, c, *now});
}

/// Maps locations by a majority of the matched steps, which includes lines that were changed.
void Comparison::locate() {
  std::unordered_map<uint64_t, uint32_t> votes; // by pair of locations
  for (uint32_t s = 0; s < newOf.size(); ++s)
    if (newOf[s])
      ++votes[uint64_t(before.plan.steps()[s].loc.index()) << 32 |
              after.plan.steps()[(*newOf[s]).index()].loc.index()];
  std::vector<uint32_t> most(before.plan.info().locs.entries().size());
  result.newLocation.resize(most.size());
  for (const auto &[locations, count] : votes) {
    uint32_t old = locations >> 32;
    LocId now(static_cast<uint32_t>(locations));
    // Equal steps of a program in another file are no move of a line.
    if (before.plan.info().locate(LocId(old)).file != after.plan.info().locate(now).file)
      continue;
    // Ties are broken by the lowest location, independent of the order of the map.
    if (count > most[old] ||
        (count == most[old] && now.index() < (*result.newLocation[old]).index())) {
      most[old] = count;
      result.newLocation[old] = now;
    }
  }
}

PlanDiff Comparison::compare() {
  alignThreadblocks();
  collectSteps();
  compareThreadblocks();
  result.connections = compareConnections(before, after, matching);
  compareDependences();
  countKinds();
  if (!result.sameSteps())
    result.transfers = compareTransfers(before, after);
  listNumbering();
  locate();
  return std::move(result);
}
} // namespace

PlanDiff diff::comparePlans(const ExecPlan &before, const ExecPlan &after,
                            const CompareOptions &options) {
  // A plan without a number of slots is verified with that of the other plan.
  auto measured = [&](const ExecPlan &plan, const ExecPlan &other) {
    std::optional<Slots> own = plan.slots() ? plan.slots() : other.slots();
    return measure(plan, options.slots.value_or(own.value_or(defaultSlots)));
  };
  PlanDiff diff{};
  Figures olds = measured(before, after), news = measured(after, before);
  auto cells = [](const ExecPlan &plan) {
    const Collective &c = plan.info().collective;
    return std::tuple(plan.ranks(), c.inputChunks(), c.outputChunks());
  };
  bool comparable = !whyIncomparable(before, after);
  if (comparable) {
    PhaseNumbers phases;
    if (options.incomplete) {
      phases.before.assign(before.info().phases.size(), 0);
      phases.after.assign(after.info().phases.size(), 0);
    } else {
      phases = numberPhases(before.info(), after.info());
    }
    diff = Comparison(before, after, phases).compare();
    auto runs = [](const Figures &figures) { return figures.proof.reductionHash.has_value(); };
    // A successful proof has executed the plan under all placements.
    auto proved = [](const Figures &figures) { return figures.proof.verdict == Verdict::Ok; };
    bool known = proved(olds) && proved(news) &&
                 before.info().placements == after.info().placements &&
                 olds.proof.reductionHash == news.proof.reductionHash;
    if (!diff.sameSteps() && !known && runs(olds) && runs(news) && cells(before) == cells(after))
      diff.reductions = compareReductions({before, {}}, {after, {}});
  } else {
    diff.before = before;
    diff.after = after;
    diff.comparable = false;
  }
  diff.figuresBefore = std::move(olds);
  diff.figuresAfter = std::move(news);
  diff.attributes = compareAttributes(before, after, options.incomplete);
  return diff;
}
