//===- TimeDiff.h - Comparing the times of two plans ------------*- C++ -*-===//

#ifndef CCL_DIFF_TIMEDIFF_H
#define CCL_DIFF_TIMEDIFF_H

#include "cclc/Diff/PlanDiff.h"
#include "cclc/Sim/SweepResult.h"

#include <string>

namespace cclc::diff {

/// The change of the time on the critical path of one cause in steps of one source line.
struct PathChange {
  Location location; ///< may be unknown
  Cause cause;
  SimTime before, after;
};

/// The times of the critical paths in one phase of the program.
struct PhaseChange {
  std::string phase; ///< empty: outside phases
  SimTime before, after;
};

/// The times of both plans for one size.
struct TimeDiff {
  Bytes bytes;
  SimTime before, after;
  /// The critical paths by cause.
  CauseTimes causesBefore, causesAfter;
  /// The differences of the critical paths, the largest first.
  std::vector<PathChange> path;
  /// All phases, including equal ones, in the order of the new plan, followed by those of the old
  /// plan only. Empty if neither plan has phases.
  std::vector<PhaseChange> phases;
  std::string target = {}; ///< the title of the machine
  DataType type = DataType::F32;
};

/// Maps source lines that have moved to the new plan by PlanDiff::newLocation.
TimeDiff compareTimes(const SizeResult &before, const SizeResult &after, const PlanDiff &plans);

} // namespace cclc::diff

#endif // CCL_DIFF_TIMEDIFF_H
