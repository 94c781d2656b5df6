//===- ParetoFront.h - The plans of a size to beat --------------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_PARETOFRONT_H
#define CCL_LIB_SEARCH_TUNE_PARETOFRONT_H

#include "cclc/Search/Tune/Measure.h"

#include <set>

namespace cclc {

/// The results of a size: its best time, and the plans with fewer threadblocks or channels than all
/// that are faster.
class ParetoFront {
public:
  void add(const Measure &measure, SimTime time);

  SimTime best() const { return least; }
  /// Whether two different plans have a result.
  bool hasRunnerUp() const { return plans.size() > 1; }
  /// The time above which a plan with the threadblocks and channels of \p measure is neither near
  /// the best nor on the Pareto front.
  SimTime limit(const Measure &measure) const;

private:
  struct FrontPoint {
    SimTime time;
    uint32_t threadblocks, channels;
    bool isWithin(const Measure &measure) const {
      return threadblocks <= measure.threadblocks && channels <= measure.channels;
    }
  };
  SimTime least = SimTime::max();
  std::vector<FrontPoint> front; ///< by ascending time
  std::set<std::string> plans;   ///< up to two different ones
};

/// By buffer size; only sizes with a result.
using ParetoFronts = std::map<uint64_t, ParetoFront>;

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_PARETOFRONT_H
