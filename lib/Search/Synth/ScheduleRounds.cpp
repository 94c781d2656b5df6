//===- ScheduleRounds.cpp - The times of the transfers of many rounds ----===//
//
// An all-reduce of many rounds keeps links busy if the sums of a round are distributed while those
// of the next rounds are formed. This is a modulo schedule (Rau, Iterative modulo scheduling,
// MICRO-27, 1994): every transfer begins at the same time of each round, and no two transfers of a
// link overlap, whichever rounds they belong to. The busiest link then has no idle times but for
// the first and the last rounds.
//
// Of the transfers whose data are there, the next one is the one that can begin first; of several,
// the one that the longest sequence of others follows. Where no time remains that is long enough, a
// round takes longer.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TreePacking.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;

namespace {
/// The times of a period at which a link is busy.
class BusyTimes {
public:
  /// The end of a busy time that overlaps [\p begin, \p begin + \p ticks); unset if there is none.
  std::optional<uint64_t> endOfOverlap(uint64_t begin, uint32_t ticks, uint32_t period) const {
    const uint32_t at = begin % period;
    const auto next = ends.upper_bound(at);
    if (next != ends.begin() && std::prev(next)->second > at)
      return begin + (std::prev(next)->second - at);
    if (next != ends.end() && next->first < at + ticks)
      return begin + (next->second - at);
    if (at + ticks > period && !ends.empty() && ends.begin()->first < at + ticks - period)
      return begin + (period - at) + ends.begin()->second;
    return std::nullopt;
  }
  void reserve(uint64_t begin, uint32_t ticks, uint32_t period) {
    const uint32_t at = begin % period, end = at + ticks;
    add(at, std::min(end, period));
    if (end > period)
      add(0, end - period);
  }

private:
  /// Joins adjacent times.
  void add(uint32_t begin, uint32_t end) {
    if (auto after = ends.find(end); after != ends.end()) {
      end = after->second;
      ends.erase(after);
    }
    auto next = ends.lower_bound(begin);
    if (next != ends.begin() && std::prev(next)->second == begin)
      std::prev(next)->second = end;
    else
      ends.emplace(begin, end);
  }

  std::map<uint32_t, uint32_t> ends; ///< by begin
};

class Scheduler {
public:
  Scheduler(const TransferGraph &graph, std::vector<Tree> &toRoot, std::vector<Tree> &fromRoot);

  /// Schedules rounds with the shortest period that succeeds, and returns it.
  uint32_t run();

private:
  struct Candidate {
    uint64_t start, toGo;
    size_t flow, tree;
    RankId child;
    auto key() const { return std::tuple(start, ~toGo, flow, tree, child); }
    bool operator>(const Candidate &other) const { return key() > other.key(); }
  };

  size_t at(size_t tree, RankId rank) const { return tree * ranks + rank.index(); }
  const Tree &treeOf(size_t flow, size_t tree) const { return (*flows[flow])[tree]; }
  ArrayRef<LinkUse> linksOf(size_t flow, size_t tree, RankId child) const {
    const RankId parent = above[flow][at(tree, child)];
    return flow == 0 ? graph.uses(child, parent) : graph.uses(parent, child);
  }
  uint32_t ticksOn(const LinkUse &use) const {
    return std::max<uint32_t>(use.share * graph.secondsPerByte()[use.link] / tick, 1);
  }
  uint32_t ticksOf(size_t flow, size_t tree, RankId child) const {
    uint32_t most = 1;
    for (const LinkUse &use : linksOf(flow, tree, child))
      most = std::max(most, ticksOn(use));
    return most;
  }
  template <class Fn> void forEachTransfer(Fn fn) const {
    for (size_t flow : {0, 1})
      for (size_t tree = 0; tree < flows[flow]->size(); ++tree)
        for (const Branch &branch : treeOf(flow, tree).branches)
          fn(flow, tree, branch);
  }
  uint32_t leastPeriod();
  void measure();
  bool schedule();
  std::optional<uint64_t> startOf(size_t flow, size_t tree, RankId child, uint64_t known) const;
  bool add(size_t flow, size_t tree, RankId child, uint64_t known = 0);
  bool take(const Candidate &candidate);

  static constexpr uint32_t ticksOfPeriod = 4096; ///< of one without rounding
  const TransferGraph &graph;
  std::vector<Tree> *flows[2]; ///< to the roots, from them
  uint32_t ranks;
  double tick = 0; ///< in seconds per byte
  uint32_t period = 0;
  // By flow, then by tree and rank.
  std::vector<RankId> above[2];
  std::vector<uint64_t> toGo[2]; ///< the ticks of the transfer with the parent and what follows it
  std::vector<uint64_t> ready[2], begin[2];
  std::vector<uint32_t> waiting;     ///< the children whose contributions are missing
  std::vector<BusyTimes> busy;       ///< by link
  std::vector<Candidate> candidates; ///< a heap
};

Scheduler::Scheduler(const TransferGraph &graph, std::vector<Tree> &toRoot,
                     std::vector<Tree> &fromRoot)
    : graph(graph), flows{&toRoot, &fromRoot}, ranks(graph.ranks()) {
  for (size_t flow : {0, 1}) {
    above[flow].resize(flows[flow]->size() * ranks, RankId(0));
    toGo[flow].resize(above[flow].size());
  }
  forEachTransfer([&](size_t flow, size_t tree, const Branch &branch) {
    above[flow][at(tree, branch.child)] = branch.parent;
  });
}

/// That of the busiest link.
uint32_t Scheduler::leastPeriod() {
  std::vector<double> seconds(graph.links().size());
  std::vector<uint32_t> ticks(seconds.size());
  auto forEachUse = [&](auto fn) {
    forEachTransfer([&](size_t flow, size_t tree, const Branch &branch) {
      for (const LinkUse &use : linksOf(flow, tree, branch.child))
        fn(use);
    });
  };
  forEachUse([&](const LinkUse &use) {
    seconds[use.link] += use.share * graph.secondsPerByte()[use.link];
  });
  tick = seconds.empty() ? 0 : *llvm::max_element(seconds) / ticksOfPeriod;
  if (tick == 0)
    return 1;
  forEachUse([&](const LinkUse &use) { ticks[use.link] += ticksOn(use); });
  return *llvm::max_element(ticks);
}

/// What follows a transfer: the longest way to the root and from it down.
void Scheduler::measure() {
  for (size_t tree = 0; tree < flows[1]->size(); ++tree) {
    uint64_t longest = 0;
    for (const Branch &branch : llvm::reverse(treeOf(1, tree).branches)) {
      uint64_t &own = toGo[1][at(tree, branch.child)];
      own += ticksOf(1, tree, branch.child);
      const bool isRoot = branch.parent == treeOf(1, tree).root;
      uint64_t &parent = isRoot ? longest : toGo[1][at(tree, branch.parent)];
      parent = std::max(parent, own);
    }
    for (const Branch &branch : treeOf(0, tree).branches) {
      const bool isRoot = branch.parent == treeOf(0, tree).root;
      toGo[0][at(tree, branch.child)] =
          ticksOf(0, tree, branch.child) + (isRoot ? longest : toGo[0][at(tree, branch.parent)]);
    }
  }
}

/// The first time at which all links are free. It is not before \p known, which was found with
/// fewer transfers.
std::optional<uint64_t> Scheduler::startOf(size_t flow, size_t tree, RankId child,
                                           uint64_t known) const {
  const size_t sender = at(tree, flow == 0 ? child : above[flow][at(tree, child)]);
  // All times of a period are tried.
  const uint64_t last = ready[flow][sender] + period;
  for (uint64_t start = std::max(ready[flow][sender], known); start <= last;) {
    bool isFree = true;
    for (const LinkUse &use : linksOf(flow, tree, child))
      if (auto end = busy[use.link].endOfOverlap(start, ticksOn(use), period)) {
        start = *end;
        isFree = false;
      }
    if (isFree)
      return start;
  }
  return std::nullopt;
}

bool Scheduler::add(size_t flow, size_t tree, RankId child, uint64_t known) {
  std::optional<uint64_t> start = startOf(flow, tree, child, known);
  if (!start)
    return false;
  candidates.push_back({*start, toGo[flow][at(tree, child)], flow, tree, child});
  std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
  return true;
}

bool Scheduler::take(const Candidate &c) {
  begin[c.flow][at(c.tree, c.child)] = c.start;
  for (const LinkUse &use : linksOf(c.flow, c.tree, c.child))
    busy[use.link].reserve(c.start, ticksOn(use), period);
  // As much time as the transfer takes is left for latencies, which would delay all that follow.
  const uint64_t arrival = c.start + uint64_t(2) * ticksOf(c.flow, c.tree, c.child);
  RankId to = c.child;
  if (c.flow == 0) {
    to = above[0][at(c.tree, c.child)];
    uint64_t &complete = ready[0][at(c.tree, to)];
    complete = std::max(complete, arrival);
    if (--waiting[at(c.tree, to)] > 0)
      return true;
    if (to != treeOf(0, c.tree).root)
      return add(0, c.tree, to);
    ready[1][at(c.tree, to)] = complete;
  } else {
    ready[1][at(c.tree, to)] = arrival;
  }
  return llvm::all_of(treeOf(1, c.tree).branches, [&](const Branch &branch) {
    return branch.parent != to || add(1, c.tree, branch.child);
  });
}

bool Scheduler::schedule() {
  for (size_t flow : {0, 1}) {
    ready[flow].assign(above[flow].size(), 0);
    begin[flow].assign(above[flow].size(), 0);
  }
  waiting.assign(above[0].size(), 0);
  busy.assign(graph.links().size(), {});
  candidates.clear();
  for (size_t tree = 0; tree < flows[0]->size(); ++tree)
    for (const Branch &branch : treeOf(0, tree).branches)
      ++waiting[at(tree, branch.parent)];
  for (size_t tree = 0; tree < flows[0]->size(); ++tree)
    for (const Branch &branch : treeOf(0, tree).branches)
      if (waiting[at(tree, branch.child)] == 0 && !add(0, tree, branch.child))
        return false;
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end(), std::greater<>());
    Candidate next = candidates.back();
    candidates.pop_back();
    std::optional<uint64_t> start = startOf(next.flow, next.tree, next.child, next.start);
    if (!start ||
        (*start <= next.start ? !take(next) : !add(next.flow, next.tree, next.child, *start)))
      return false;
  }
  return true;
}

uint32_t Scheduler::run() {
  period = leastPeriod();
  measure();
  while (!schedule())
    period += period / 16 + 1;
  for (size_t flow : {0, 1})
    for (size_t tree = 0; tree < flows[flow]->size(); ++tree)
      for (Branch &branch : (*flows[flow])[tree].branches)
        branch.start = begin[flow][at(tree, branch.child)];
  return period;
}
} // namespace

uint32_t synth::scheduleRounds(const TransferGraph &graph, std::vector<Tree> &toRoot,
                               std::vector<Tree> &fromRoot) {
  return Scheduler(graph, toRoot, fromRoot).run();
}
