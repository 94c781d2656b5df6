//===- RankClocks.cpp - Sparse vector clocks ------------------------------===//
//
// A clock (Fidge, 1988; Mattern, 1989) is an array of (threadblock, steps) pairs, ascending by
// threadblock. A wait merges it with the snapshot of the step that it waits for, in time linear in
// both. Above the limit of entries the oldest are dropped (quickselect); races are still decided
// exactly, because a dropped entry only sends a pair to the search in the whole graph.
//
//===----------------------------------------------------------------------===//

#include "RankClocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;

/// The total number of entries of the clocks of a rank, provided that each may have `fewest`.
static constexpr size_t mostEntries = size_t(1) << 22;
/// The minimum limit of entries for each clock.
static constexpr size_t fewest = 16;

RankClocks::RankClocks(const ExecPlan &plan, RankId rank)
    : first(plan.firstThreadblock(rank)), clocks(plan.numThreadblocks(rank)) {
  // A clock changes only with a wait, so that there are at most as many snapshots as waits.
  size_t holders = clocks.size();
  for (const Threadblock &tb : plan.threadblocks(rank))
    holders += llvm::count_if(plan.steps(tb), [](const Step &step) { return step.waits(); });
  mostKnown = std::max(fewest, mostEntries / holders);
}

void RankClocks::wait(uint32_t tb, uint32_t owner, uint32_t target, uint32_t targetIndex) {
  ++now;
  Clock &clock = clocks[tb - first];
  ArrayRef<Known> told;
  if (auto it = snapshots.find(target); it != snapshots.end())
    told = ArrayRef(pool).slice(it->second.first, it->second.second);
  merged.clear();
  auto add = [&](const Known &entry) {
    if (merged.empty() || merged.back().tb != entry.tb)
      merged.push_back(entry);
    else if (merged.back().steps < entry.steps)
      merged.back() = entry;
  };
  Known direct{owner - first, targetIndex + 1, now};
  bool added = false;
  auto addDirect = [&](uint32_t before) {
    if (!added && direct.tb <= before) {
      add(direct);
      added = true;
    }
  };
  for (ArrayRef<Known> own = clock.known; !own.empty() || !told.empty();) {
    ArrayRef<Known> &from =
        told.empty() || (!own.empty() && own.front().tb <= told.front().tb) ? own : told;
    addDirect(from.front().tb);
    add(from.front());
    from = from.drop_front();
  }
  addDirect(UINT32_MAX);
  forget(merged);
  clock.known.assign(merged.begin(), merged.end());
  clock.published.reset();
}

/// Keeps the most recent entries.
void RankClocks::forget(std::vector<Known> &known) const {
  if (known.size() <= mostKnown)
    return;
  std::vector<uint32_t> times;
  for (const Known &entry : known)
    times.push_back(entry.learned);
  auto oldest = times.end() - mostKnown;
  std::nth_element(times.begin(), oldest, times.end());
  size_t kept = 0;
  std::erase_if(known,
                [&](const Known &entry) { return entry.learned < *oldest || ++kept > mostKnown; });
}

void RankClocks::publish(uint32_t tb, uint32_t step) {
  Clock &clock = clocks[tb - first];
  if (clock.known.empty())
    return;
  if (!clock.published) {
    clock.published = {pool.size(), clock.known.size()};
    pool.insert(pool.end(), clock.known.begin(), clock.known.end());
  }
  snapshots[step] = *clock.published;
}

bool RankClocks::knows(uint32_t tb, uint32_t other, uint32_t index) const {
  const std::vector<Known> &known = clocks[tb - first].known;
  auto it = std::partition_point(known.begin(), known.end(),
                                 [&](const Known &entry) { return entry.tb < other - first; });
  return it != known.end() && it->tb == other - first && it->steps > index;
}
