//===- TimeDiff.cpp - Critical paths of two plans by cause and line -------===//
//
// The segments of both critical paths are summed by source line and cause, with old lines mapped to
// the new plan, and the sums are subtracted. Rows are sorted by the size of the change.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/TimeDiff.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::diff;

namespace {
using Line = std::tuple<std::string, unsigned, Cause>;
using Times = std::map<Line, std::pair<SimTime, SimTime>>;

void add(const SizeResult &report, const PlanDiff &plans, bool isNew, Times &times) {
  ShownPlan plan = isNew ? plans.after : plans.before;
  // Sum by LocId first, because a line has many segments and resolving a location is expensive.
  std::map<std::pair<uint32_t, Cause>, SimTime> byLoc;
  for (const PathSegment &segment : report.criticalPath)
    byLoc[{plan.step(segment.step).loc.index(), segment.cause}] += segment.end - segment.begin;
  for (const auto &[key, time] : byLoc) {
    OptionalId<LocId> moved =
        isNew || plans.newLocation.empty() ? OptionalId<LocId>() : plans.newLocation[key.first];
    Location location =
        moved ? plans.after.info().locate(*moved) : plan.info().locate(LocId(key.first));
    auto &row = times[{location.file, location.line, key.second}];
    (isNew ? row.second : row.first) += time;
  }
}
std::vector<PhaseChange> comparePhases(const SizeResult &before, const SizeResult &after) {
  std::vector<PhaseChange> phases;
  bool recorded = !before.criticalPath.empty() && !after.criticalPath.empty();
  if (!recorded || (before.phases.empty() && after.phases.empty()))
    return phases;
  auto rowOf = [&](const std::string &name) -> PhaseChange & {
    auto row = llvm::find_if(phases, [&](const PhaseChange &p) { return p.phase == name; });
    return row != phases.end() ? *row : phases.emplace_back(PhaseChange{name, {}, {}});
  };
  for (const PhaseTime &phase : after.phases)
    rowOf(phase.phase).after += phase.time;
  for (const PhaseTime &phase : before.phases)
    rowOf(phase.phase).before += phase.time;
  // The time of a plan without phases is outside phases.
  if (before.phases.empty())
    rowOf("").before = before.time;
  if (after.phases.empty())
    rowOf("").after = after.time;
  return phases;
}
} // namespace

TimeDiff diff::compareTimes(const SizeResult &before, const SizeResult &after,
                            const PlanDiff &plans) {
  TimeDiff result{before.bytes,         before.time, after.time, before.causesOnPath(),
                  after.causesOnPath(), {},          {}};
  result.phases = comparePhases(before, after);
  // The lines of operations are those of the plans' own files.
  if (plans.ofOperations())
    return result;
  Times times;
  add(before, plans, false, times);
  add(after, plans, true, times);
  for (const auto &[line, row] : times)
    if (row.first != row.second)
      result.path.push_back(
          {{std::get<0>(line), std::get<1>(line)}, std::get<2>(line), row.first, row.second});
  auto change = [](const PathChange &c) {
    int64_t d = c.after.picoseconds() - c.before.picoseconds();
    return d < 0 ? -d : d;
  };
  llvm::sort(result.path, [&](const PathChange &x, const PathChange &y) {
    int64_t a = change(x), b = change(y);
    return std::tie(b, x.location.file, x.location.line, x.cause) <
           std::tie(a, y.location.file, y.location.line, y.cause);
  });
  return result;
}
