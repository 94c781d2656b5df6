//===- TimeDiff.h - Two plans on one machine --------------------*- C++ -*-===//

#ifndef CCL_DIFF_TIMEDIFF_H
#define CCL_DIFF_TIMEDIFF_H

#include "cclc/Diff/PlanDiff.h"
#include "cclc/Sim/Report.h"

#include <string>

namespace cclc::diff {

/// What the critical path spends on one cause in steps of one source line.
struct PathChange {
  Location location; ///< unknown where the plans do not say
  Cause cause;
  SimTime before, after;
};

/// Both plans, simulated for one size.
struct TimeDiff {
  Bytes bytes;
  SimTime before, after;
  /// Of the critical paths, by cause.
  CauseTimes causesBefore, causesAfter;
  /// Where they differ; the greatest difference first.
  std::vector<PathChange> path;
};

/// Lines of the program that have moved are called as in the new plan, as PlanDiff::newLocation
/// says.
TimeDiff compareTimes(const SizeReport &before, const SizeReport &after, const PlanDiff &plans);

} // namespace cclc::diff

#endif // CCL_DIFF_TIMEDIFF_H
