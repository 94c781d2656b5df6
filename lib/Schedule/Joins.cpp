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

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <queue>

using namespace cclc;
using namespace cclc::schedule;

namespace {
/// Looks for hubs, rank by rank.
class JoinFinder {
public:
  JoinFinder(const InstrProgram &program, const Assignment &assignment, const Waits &waits,
             JoinPrice price, const Draft &draft)
      : program(program), waits(waits), price(price), draft(draft),
        units(program, draft, waits, assignment, StepCost::Unit),
        chunks(program, draft, waits, assignment, StepCost::Chunks),
        segments(segmentsOf(program.info().phases)), index(draft.steps.size()),
        localThreadblock(assignment.threadblocks.size()) {
    std::vector<uint32_t> filled(assignment.threadblocks.size());
    byRank.resize(program.info().ranks());
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      uint32_t threadblock = draft.steps[s].threadblock.index();
      index[s] = filled[threadblock]++;
      byRank[program[draft.steps[s].instr].rank.index()].push_back(s);
    }
    std::vector<uint32_t> threadblocksOf(byRank.size());
    for (uint32_t w = 0; w < assignment.threadblocks.size(); ++w)
      localThreadblock[w] = threadblocksOf[assignment.threadblocks[w].rank.index()]++;
    for (uint32_t r = 0; r < byRank.size(); ++r)
      widest = std::max(widest, threadblocksOf[r]);
  }

  void run() {
    for (const std::vector<uint32_t> &steps : byRank)
      joinRank(steps);
  }
  /// The hub that each joined step waits for.
  llvm::DenseMap<uint32_t, uint32_t> joins;
  const StepTimes &times() const { return units; }

private:
  /// A step with several waits, and the number of steps of every threadblock that complete before
  /// it.
  struct Crowd {
    uint32_t step;
    std::vector<uint32_t> clock;
    bool joined = false;
  };
  /// Only the first of a rank's steps, up to this number, are compared.
  static constexpr size_t maxCrowds = 256;
  static constexpr uint64_t forever = uint64_t(1) << 60;

  uint32_t threadblockOf(uint32_t step) const {
    return localThreadblock[draft.steps[step].threadblock.index()];
  }
  uint32_t segmentOf(uint32_t step) const {
    return segments[program[draft.steps[step].instr].phase];
  }

  void findCrowds(ArrayRef<uint32_t> steps) {
    crowds.clear();
    bool any = false;
    for (uint32_t s : steps)
      any |= waits.of(s).size() > 1;
    if (!any)
      return;
    std::vector<std::vector<uint32_t>> clocks(widest);
    llvm::DenseMap<uint32_t, std::vector<uint32_t>> clockOf; // of the targets of waits
    for (uint32_t s : steps) {
      std::vector<uint32_t> &clock = clocks[threadblockOf(s)];
      for (uint32_t target : waits.of(s)) {
        clock.resize(widest);
        const std::vector<uint32_t> &other = clockOf[target];
        for (uint32_t w = 0; w < other.size(); ++w)
          clock[w] = std::max(clock[w], other[w]);
        clock[threadblockOf(target)] = std::max(clock[threadblockOf(target)], index[target] + 1);
      }
      if (waits.isTarget(s))
        clockOf[s] = clock;
      if (waits.of(s).size() > 1 && crowds.size() < maxCrowds)
        crowds.push_back({s, clock});
    }
  }

  /// The number of waits of \p step that the hub covers.
  uint32_t covered(const Crowd &hub, uint32_t step) const {
    uint32_t count = 0;
    for (uint32_t target : waits.of(step))
      count += threadblockOf(target) == threadblockOf(hub.step)
                   ? index[target] <= index[hub.step]
                   : hub.clock[threadblockOf(target)] > index[target];
    return count;
  }

  bool mayJoin(const Crowd &crowd, const Crowd &hub) const {
    return crowd.step != hub.step && !crowd.joined && !hub.joined && !isHub.contains(crowd.step) &&
           threadblockOf(crowd.step) != threadblockOf(hub.step) &&
           segmentOf(crowd.step) == segmentOf(hub.step);
  }

  bool mayWait(const Crowd &crowd, const Crowd &hub) {
    if (price == JoinPrice::Any)
      return units.mayWait(crowd.step, hub.step, forever);
    return units.mayWait(crowd.step, hub.step, units.path()) &&
           chunks.mayWait(crowd.step, hub.step, chunks.path());
  }

  /// The number of nops that are saved if all candidates join \p hub.
  uint32_t gain(const Crowd &hub) const {
    uint32_t sum = 0;
    for (const Crowd &crowd : crowds)
      if (mayJoin(crowd, hub))
        sum += std::max(covered(hub, crowd.step), 1u) - 1;
    return sum;
  }

  void joinRank(ArrayRef<uint32_t> steps) {
    findCrowds(steps);
    isHub.clear();
    if (crowds.size() < 2)
      return;
    std::vector<std::pair<uint32_t, uint32_t>> order; // (gain, crowd)
    for (uint32_t h = 0; h < crowds.size(); ++h)
      if (uint32_t g = gain(crowds[h]))
        order.emplace_back(g, h);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      uint64_t startA = units.start(crowds[a.second].step);
      uint64_t startB = units.start(crowds[b.second].step);
      return std::tuple(b.first, startA, a.second) < std::tuple(a.first, startB, b.second);
    });
    for (auto [unused, h] : order) {
      Crowd &hub = crowds[h];
      for (Crowd &crowd : crowds) {
        if (!mayJoin(crowd, hub) || covered(hub, crowd.step) < 2 || !mayWait(crowd, hub))
          continue;
        units.addWait(crowd.step, hub.step);
        chunks.addWait(crowd.step, hub.step);
        joins[crowd.step] = hub.step;
        crowd.joined = true;
        isHub.insert(hub.step);
      }
    }
  }

  const InstrProgram &program;
  const Waits &waits;
  JoinPrice price;
  const Draft &draft;
  StepTimes units, chunks;
  std::vector<uint32_t> segments; ///< by phase
  std::vector<uint32_t> index;    ///< of each step in its threadblock, without nops
  std::vector<uint32_t> localThreadblock;
  uint32_t widest = 0;
  std::vector<std::vector<uint32_t>> byRank;
  std::vector<Crowd> crowds; ///< of the rank
  llvm::DenseSet<uint32_t> isHub;
};

/// Executes a draft like a plan: every threadblock step by step.
class Replay {
public:
  Replay(const InstrProgram &program, const Assignment &assignment, const Waits &waits, Slots slots,
         const StepTimes &times, const Draft &draft,
         const llvm::DenseMap<uint32_t, uint32_t> &joins)
      : program(program), assignment(assignment), waits(waits), slots(slots), times(times),
        draft(draft), joins(joins), done(draft.steps.size()),
        inFlight(assignment.connections.size()), queues(assignment.threadblocks.size()),
        at(assignment.threadblocks.size()) {
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      queues[draft.steps[s].threadblock.index()].push_back(s);
      for (uint32_t target : waits.of(s))
        waiters[target].push_back(draft.steps[s].threadblock.index());
      if (auto it = joins.find(s); it != joins.end())
        waiters[it->second].push_back(draft.steps[s].threadblock.index());
    }
  }

  /// The steps in the order of their execution; not all of them if it deadlocks.
  std::vector<uint32_t> run() {
    std::vector<uint32_t> order;
    order.reserve(done.size());
    for (uint32_t w = 0; w < queues.size(); ++w)
      announce(w);
    while (!ready.empty()) {
      uint32_t s = ready.top().second;
      ready.pop();
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
    if (auto it = joins.find(s); it != joins.end() && !done[it->second])
      return;
    if (traits(step(s).op).receives && inFlight[inConnection(s)] == 0)
      return;
    if (traits(step(s).op).sends && !slots.admits(inFlight[outConnection(s)]))
      return;
    ready.push({times.start(s), s});
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
    if (auto it = waiters.find(s); it != waiters.end())
      for (uint32_t w : it->second)
        announce(w);
  }

  const InstrProgram &program;
  const Assignment &assignment;
  const Waits &waits;
  Slots slots;
  const StepTimes &times;
  const Draft &draft;
  const llvm::DenseMap<uint32_t, uint32_t> &joins;
  std::vector<bool> done;
  std::vector<uint32_t> inFlight;            ///< by connection
  std::vector<std::vector<uint32_t>> queues; ///< by threadblock: its steps
  std::vector<uint32_t> at;                  ///< by threadblock: the next step
  llvm::DenseMap<uint32_t, SmallVector<uint32_t, 2>>
      waiters; ///< waiting threadblocks by the event that they wait for
  using Entry = std::pair<uint64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
};
} // namespace

bool schedule::joinWaits(const InstrProgram &program, const Assignment &assignment,
                         const Waits &waits, Slots slots, JoinPrice price, Draft &draft) {
  JoinFinder finder(program, assignment, waits, price, draft);
  finder.run();
  const llvm::DenseMap<uint32_t, uint32_t> &joins = finder.joins;
  if (joins.empty())
    return false;
  std::vector<uint32_t> order =
      Replay(program, assignment, waits, slots, finder.times(), draft, joins).run();
  if (order.size() < draft.steps.size())
    return false;
  std::vector<uint32_t> newIndex(order.size());
  std::vector<DraftStep> steps;
  steps.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    newIndex[order[i]] = i;
    steps.push_back(draft.steps[order[i]]);
  }
  draft.steps = std::move(steps);
  for (auto [step, hub] : joins)
    draft.joins[newIndex[step]] = newIndex[hub];
  return true;
}
