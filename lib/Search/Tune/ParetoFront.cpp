#include "ParetoFront.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

/// The simulation of plans above this percentage of the best is stopped.
static constexpr int64_t keptPercent = 150;

void ParetoFront::add(const Measure &measure, SimTime time) {
  least = std::min(least, time);
  if (plans.size() < 2)
    plans.insert(measure.plan);
  auto at = llvm::find_if(front, [&](const FrontPoint &each) { return each.time > time; });
  if (std::any_of(front.begin(), at, [&](auto &each) { return each.isWithin(measure); }))
    return;
  front.insert(at, {time, measure.threadblocks, measure.channels});
}

SimTime ParetoFront::limit(const Measure &measure) const {
  for (const FrontPoint &point : front)
    if (point.isWithin(measure))
      return std::max(point.time, SimTime::clamped(Wide(least.picoseconds()) * keptPercent / 100));
  return SimTime::max();
}
