//===- TimeDiff.h - Two plans on one machine --------------------*- C++ -*-===//

#ifndef CCL_DIFF_TIMEDIFF_H
#define CCL_DIFF_TIMEDIFF_H

#include "cclc/Diff/PlanDiff.h"
#include "cclc/Sim/SimReport.h"

#include <string>

namespace cclc::diff {

/// What the critical path spends on one cause in steps of one source line.
struct PathChange {
  Location location; ///< unknown where the plans do not say
  Cause cause;
  SimTime before, after;
};

/// What the critical paths spend in one phase of the program.
struct PhaseChange {
  std::string phase; ///< empty: in none
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
  /// By phase, also where they are equal; in the order of the new plan, then those that only the
  /// old one has. Empty where neither plan has phases.
  std::vector<PhaseChange> phases;
};

/// Lines of the program that have moved are called as in the new plan, as PlanDiff::newLocation
/// says.
TimeDiff compareTimes(const SizeReport &before, const SizeReport &after, const PlanDiff &plans);

} // namespace cclc::diff

#endif // CCL_DIFF_TIMEDIFF_H
