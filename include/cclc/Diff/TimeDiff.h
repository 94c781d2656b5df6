//===- TimeDiff.h - Two plans on one machine --------------------*- C++ -*-===//

#ifndef CCL_DIFF_TIMEDIFF_H
#define CCL_DIFF_TIMEDIFF_H

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

/// Source lines of two files are the same if their numbers are: what moves a line changes its
/// rows.
TimeDiff compareTimes(const SizeReport &before, const ExecPlan &oldPlan, const SizeReport &after,
                      const ExecPlan &newPlan);

} // namespace cclc::diff

#endif // CCL_DIFF_TIMEDIFF_H
