//===- Joins.cpp - Greedy choice of hubs ----------------------------------===//
//
// Vector clocks of the rank (Fidge, 1988; Mattern, 1989) give the number of waits of each step that
// a hub covers. Hubs are tried in the order of the nops that they save. A step joins the first hub
// that saves nops and, unless the price is Any, does not lengthen the path, which StepTimes updates
// with each join. At most 256 steps with several waits are compared pairwise for each rank. A list
// schedule of the result, by earliest start, is both the new order and the proof that the slots
// suffice; if there is none, the joins are discarded.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

#include "Transfers.h"

#include "cclc/Schedule/ReadySet.h"
#include "cclc/Schedule/VectorClocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

namespace {
/// Looks for hubs, rank by rank.
class JoinFinder {
public:
  JoinFinder(const InstrProgram &program, const Assignment &assignment, const Waits &waits,
             JoinPrice price, const Draft &draft, std::vector<uint32_t> ends)
      : program(program), assignment(assignment), waits(waits), price(price), draft(draft),
        ends(std::move(ends)), segments(segmentsOf(program.info().phases)) {}

  void run(llvm::function_ref<bool(uint64_t mostSaved)> isEnough) {
    uint32_t ranks = program.info().ranks();
    std::vector<uint32_t> several(ranks); // by rank: the steps with several waits
    for (uint32_t s = 0; s < draft.steps.size(); ++s)
      several[rankOf(s)] += waits.of(s).size() > 1;
    if (llvm::none_of(several, [](uint32_t number) { return number > 1; }))
      return;
    Grouped byRank(ranks, [&](auto add) {
      for (uint32_t s = 0; s < draft.steps.size(); ++s)
        if (several[rankOf(s)] > 1)
          add(rankOf(s), s);
    });
    rests = unitRests(program, draft, waits, assignment);
    const uint32_t path = *llvm::max_element(rests);
    uint64_t mostSaved = 0; // nops
    for (uint32_t r = 0; r < ranks; ++r)
      if (several[r] > 1) {
        uint64_t saved = mostSavedBy(byRank[r], path);
        several[r] = saved > 0 ? several[r] : 0;
        mostSaved += saved;
      }
    if (mostSaved == 0 || !isEnough(mostSaved))
      return;
    numberThreadblocks(ranks);
    std::vector<uint32_t> filled(assignment.threadblocks.size());
    index.reserve(draft.steps.size());
    for (const DraftStep &step : draft.steps)
      index.push_back(filled[step.threadblock.index()]++);
    for (uint32_t r = 0; r < ranks; ++r)
      if (several[r] > 1)
        joinRank(byRank[r], threadblocksOf[r]);
  }
  /// The hub that each joined step waits for.
  llvm::DenseMap<uint32_t, uint32_t> joins;
  /// The steps by their earliest start.
  Grouped byStart() const {
    return Grouped(units->path() + 1, draft.steps.size(),
                   [&](uint32_t s) { return units->start(s); });
  }

private:
  /// A step with several waits.
  struct Waiter {
    uint32_t step, threadblock, segment;
    uint32_t begin, end; ///< of its waits in `awaited`
    bool joined = false, isHub = false;
  };
  /// Only the first of a rank's steps, up to this number, are compared.
  static constexpr size_t maxWaiters = 256;

  uint32_t rankOf(uint32_t step) const { return program[draft.steps[step].instr].rank.index(); }
  uint32_t threadblockOf(uint32_t step) const {
    return localThreadblock[draft.steps[step].threadblock.index()];
  }

  void numberThreadblocks(uint32_t ranks) {
    threadblocksOf.resize(ranks);
    for (const ThreadblockDraft &threadblock : assignment.threadblocks)
      localThreadblock.push_back(threadblocksOf[threadblock.rank.index()]++);
  }

  void findWaiters(ArrayRef<uint32_t> steps) {
    waiters.clear();
    awaited.clear();
    for (uint32_t s : steps) {
      if (waits.of(s).size() < 2)
        continue;
      uint32_t begin = awaited.size();
      for (uint32_t target : waits.of(s))
        awaited.push_back({threadblockOf(target), index[target]});
      waiters.push_back({s, threadblockOf(s), segments[program[draft.steps[s].instr].phase], begin,
                         uint32_t(awaited.size())});
      if (waiters.size() == maxWaiters)
        return;
    }
  }

  /// Computes the steps that complete before each waiter.
  void findCompleted(ArrayRef<uint32_t> steps, uint32_t threadblocks) {
    width = threadblocks;
    completed.assign(waiters.size() * threadblocks, 0);
    std::vector<uint32_t> sizes(threadblocks);
    for (uint32_t s : steps)
      ++sizes[threadblockOf(s)];
    clocks.beginRank(sizes);
    uint32_t next = 0; // waiter
    for (uint32_t s : steps) {
      uint32_t threadblock = threadblockOf(s);
      for (uint32_t target : waits.of(s))
        clocks.wait(threadblock, threadblockOf(target), index[target]);
      if (waits.isTarget(s))
        clocks.publish(threadblock, index[s]);
      if (s != waiters[next].step)
        continue;
      for (VectorClocks::Entry entry : clocks.clock(threadblock))
        completed[size_t(next) * threadblocks + entry.threadblock] = entry.steps;
      if (++next == waiters.size())
        return;
    }
  }

  /// The number of waits of \p waiter that the hub covers.
  uint32_t countCovered(uint32_t hub, const Waiter &waiter) const {
    const uint32_t *done = &completed[size_t(hub) * width];
    uint32_t count = 0;
    for (uint32_t w = waiter.begin; w < waiter.end; ++w) {
      auto [threadblock, step] = awaited[w];
      count += threadblock == waiters[hub].threadblock ? step <= index[waiters[hub].step]
                                                       : done[threadblock] > step;
    }
    return count;
  }

  /// Computes covered() of all pairs that could be joined.
  void findCovered() {
    uint32_t n = waiters.size();
    covers.assign(size_t(n) * n, 0);
    for (uint32_t hub = 0; hub < n; ++hub)
      for (uint32_t waiter = 0; waiter < n; ++waiter)
        if (waiters[waiter].threadblock != waiters[hub].threadblock &&
            waiters[waiter].segment == waiters[hub].segment)
          covers[size_t(hub) * n + waiter] = countCovered(hub, waiters[waiter]);
  }
  uint32_t covered(uint32_t hub, uint32_t waiter) const {
    return covers[size_t(hub) * waiters.size() + waiter];
  }

  /// Whether there would be no cyclic wait, and the plan would not become longer unless it may.
  bool mayWait(uint32_t waiter, uint32_t hub) {
    auto allow = [&](const StepTimes &times) { return times.allowWait(waiter, hub, times.path()); };
    return (price == JoinPrice::Any || (allow(*units) && (!chunks || allow(*chunks)))) &&
           !units->reaches(waiter, hub);
  }

  /// Computes the times when they are needed first. Those in chunks are needed only if they matter
  /// for the price and differ from those in units.
  void findTimes() {
    if (units)
      return;
    network.emplace(program, draft, waits, assignment);
    units.emplace(*network, std::move(ends), std::move(rests));
    auto isLong = [](const Instr &instr) { return instr.count != 1; };
    if (price == JoinPrice::Free && llvm::any_of(program.instrs(), isLong))
      chunks.emplace(program, draft, *network);
  }

  /// The largest number of nops that joins on a rank can save: those of all waiters that could wait
  /// for the earliest one without a plan that is longer than \p path.
  uint64_t mostSavedBy(ArrayRef<uint32_t> steps, uint32_t path) {
    SmallVector<uint32_t, maxWaiters> several;
    for (uint32_t s : steps)
      if (waits.of(s).size() > 1 && several.size() < maxWaiters)
        several.push_back(s);
    uint64_t first = ~uint32_t(0);
    for (uint32_t s : several)
      first = std::min<uint64_t>(first, ends[s]);
    uint64_t saved = 0;
    for (uint32_t s : several)
      if (price == JoinPrice::Any || first + rests[s] <= path)
        saved += waits.of(s).size() - 1;
    return saved;
  }

  /// The number of nops that are saved if all candidates join \p hub.
  uint32_t gain(uint32_t hub) const {
    uint32_t sum = 0;
    for (uint32_t waiter = 0; waiter < waiters.size(); ++waiter)
      sum += std::max(covered(hub, waiter), 1u) - 1;
    return sum;
  }

  void joinRank(ArrayRef<uint32_t> steps, uint32_t threadblocks) {
    findWaiters(steps);
    findCompleted(steps, threadblocks);
    findCovered();
    std::vector<std::pair<uint32_t, uint32_t>> order; // (gain, waiter)
    for (uint32_t h = 0; h < waiters.size(); ++h)
      if (uint32_t g = gain(h))
        order.emplace_back(g, h);
    if (order.empty())
      return;
    findTimes();
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      uint64_t startA = units->start(waiters[a.second].step);
      uint64_t startB = units->start(waiters[b.second].step);
      return std::tuple(b.first, startA, a.second) < std::tuple(a.first, startB, b.second);
    });
    for (auto [unused, h] : order) {
      Waiter &hub = waiters[h];
      for (uint32_t c = 0; c < waiters.size() && !hub.joined; ++c) {
        Waiter &waiter = waiters[c];
        if (waiter.joined || waiter.isHub || covered(h, c) < 2 || !mayWait(waiter.step, hub.step))
          continue;
        network->addWait(waiter.step, hub.step);
        units->followWait(waiter.step, hub.step);
        if (chunks)
          chunks->followWait(waiter.step, hub.step);
        joins[waiter.step] = hub.step;
        waiter.joined = true;
        hub.isHub = true;
      }
    }
  }

  const InstrProgram &program;
  const Assignment &assignment;
  const Waits &waits;
  JoinPrice price;
  const Draft &draft;
  std::vector<uint32_t> ends, rests; ///< by step, in units, until `units` has them
  std::optional<StepNetwork> network;
  std::optional<StepTimes> units, chunks;
  std::vector<uint32_t> segments; ///< by phase
  std::vector<uint32_t> index;    ///< of each step in its threadblock, without nops
  std::vector<uint32_t> localThreadblock, threadblocksOf;
  VectorClocks clocks;
  std::vector<Waiter> waiters; ///< of the rank
  /// The waits of waiters: the threadblock of the rank, and the place of the step in it.
  std::vector<std::pair<uint32_t, uint32_t>> awaited;
  uint32_t width = 0; ///< threadblocks of the rank
  /// By waiter and threadblock of the rank: the steps that complete before the waiter.
  std::vector<uint32_t> completed;
  std::vector<uint32_t> covers; ///< covered(), by hub and waiter
};

/// Executes a draft like a plan: every threadblock step by step.
class Replay {
public:
  Replay(const InstrProgram &program, const Assignment &assignment, const Waits &waits, Slots slots,
         const Grouped &byStart, const Draft &draft,
         const llvm::DenseMap<uint32_t, uint32_t> &joins)
      : program(program), assignment(assignment), waits(waits), slots(slots), draft(draft),
        hubOf(draft.steps.size()), done(draft.steps.size()),
        inFlight(assignment.connections.size()), byStart(byStart), placeOf(draft.steps.size()),
        ready(draft.steps.size()), queues(assignment.threadblocks.size(), draft.steps.size(),
                                          [&](uint32_t s) { return step(s).threadblock.index(); }),
        at(assignment.threadblocks.size()) {
    for (uint32_t place = 0; place < placeOf.size(); ++place)
      placeOf[byStart.all()[place]] = place;
    for (auto [waiter, hub] : joins)
      hubOf[waiter] = hub;
    waiters = Grouped(draft.steps.size(), [&](auto add) {
      forWaits([&](uint32_t s, uint32_t target) { add(target, step(s).threadblock.index()); });
    });
  }

  /// The steps in the order of their execution; not all of them if it deadlocks.
  std::vector<uint32_t> run() {
    std::vector<uint32_t> order;
    order.reserve(done.size());
    for (uint32_t w = 0; w < at.size(); ++w)
      announce(w);
    while (!ready.empty()) {
      uint32_t s = byStart.all()[ready.pop()];
      if (done[s])
        continue;
      done[s] = true;
      order.push_back(s);
      complete(s);
    }
    return order;
  }

private:
  const DraftStep &step(uint32_t s) const { return draft.steps[s]; }
  /// Calls fn(step, target) for every wait.
  template <class Fn> void forWaits(Fn fn) const {
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      for (uint32_t target : waits.of(s))
        fn(s, target);
      if (hubOf[s])
        fn(s, *hubOf[s]);
    }
  }
  uint32_t inConnection(uint32_t s) const {
    return (*assignment.connectionOf[step(s).instr.index()]).index();
  }
  uint32_t outConnection(uint32_t s) const {
    return (*assignment.connectionOf[(*program[step(s).instr].to).index()]).index();
  }

  /// Adds the threadblock's next step to the ready steps if it is executable, which it then
  /// remains.
  void announce(uint32_t threadblock) {
    if (at[threadblock] == queues[threadblock].size())
      return;
    uint32_t s = queues[threadblock][at[threadblock]];
    for (uint32_t target : waits.of(s))
      if (!done[target])
        return;
    if (hubOf[s] && !done[*hubOf[s]])
      return;
    if (traits(step(s).op).receives && inFlight[inConnection(s)] == 0)
      return;
    if (traits(step(s).op).sends && !slots.admits(inFlight[outConnection(s)]))
      return;
    ready.insert(placeOf[s]);
  }

  void complete(uint32_t s) {
    uint32_t threadblock = step(s).threadblock.index();
    bool receives = traits(step(s).op).receives, sends = traits(step(s).op).sends;
    ++at[threadblock];
    if (receives)
      --inFlight[inConnection(s)];
    if (sends)
      ++inFlight[outConnection(s)];
    announce(threadblock);
    if (receives)
      announce((*assignment.connections[inConnection(s)].sender).index());
    if (sends)
      announce((*assignment.connections[outConnection(s)].receiver).index());
    for (uint32_t waiter : waiters[s])
      announce(waiter);
  }

  const InstrProgram &program;
  const Assignment &assignment;
  const Waits &waits;
  Slots slots;
  const Draft &draft;
  std::vector<OptionalIndex> hubOf; ///< by step: the step that it joins
  std::vector<bool> done;
  std::vector<uint32_t> inFlight; ///< by connection
  const Grouped &byStart;         ///< the steps by their earliest start
  std::vector<uint32_t> placeOf;  ///< by step: its place in this order
  ReadySet ready;                 ///< places
  Grouped queues;                 ///< by threadblock: its steps
  std::vector<uint32_t> at;       ///< by threadblock: the next step
  Grouped waiters;                ///< by step: the threadblocks that wait for it
};
} // namespace

std::optional<Draft> schedule::joinWaits(const InstrProgram &program, const Assignment &assignment,
                                         const Waits &waits, Slots slots, JoinPrice price,
                                         const Draft &draft, std::vector<uint32_t> ends,
                                         llvm::function_ref<bool(uint64_t mostSaved)> isEnough) {
  std::optional<JoinFinder> finder(std::in_place, program, assignment, waits, price, draft,
                                   std::move(ends));
  finder->run(isEnough);
  if (finder->joins.empty())
    return std::nullopt;
  const llvm::DenseMap<uint32_t, uint32_t> joins = std::move(finder->joins);
  Grouped byStart = finder->byStart();
  finder.reset(); // frees the memory
  std::vector<uint32_t> order =
      Replay(program, assignment, waits, slots, byStart, draft, joins).run();
  if (order.size() < draft.steps.size())
    return std::nullopt;
  std::vector<uint32_t> newIndex(order.size());
  Draft joined;
  joined.scratchChunks = draft.scratchChunks;
  joined.received = draft.received;
  joined.steps.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    newIndex[order[i]] = i;
    joined.steps.push_back(draft.steps[order[i]]);
  }
  for (auto [step, hub] : joins)
    joined.joins[newIndex[step]] = newIndex[hub];
  return joined;
}
