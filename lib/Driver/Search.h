//===- Search.h - The fastest of many ways to compile -----------*- C++ -*-===//
//
// What -O3 does. A variant says how a program is compiled; the simulator times the
// plan that comes out, at several sizes, and a variant is as good as the geometric
// mean of its times; more threadblocks have to pay by two percent. One property after
// the other is changed while the rest is kept, and the best value stays, until a round
// brings nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DRIVER_SEARCH_H
#define CCL_LIB_DRIVER_SEARCH_H

#include "cclc/Pass/Remarks.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Target/Machine.h"
#include "cclc/Transforms/Passes.h"

#include <functional>

namespace cclc {

struct Variant {
  uint32_t instances = 1;
  /// Whether adjacent operations are joined even where the program does not ask for it.
  bool aggregate = false;
  FusionOptions fusion;
  /// What ways to schedule are weighed by; unset: the first way is taken, as with -O1.
  std::optional<ScheduleGoal> goal = ScheduleGoal::Balance;
  /// Channels at most, below the limit of the target.
  std::optional<uint32_t> maxChannels;

  friend bool operator==(const Variant &, const Variant &) = default;
};

/// What the user has left open.
struct SearchSpace {
  bool instances = true, aggregate = true, fusion = true, goal = true;
  /// Buffer sizes that the plan is for.
  std::vector<uint64_t> sizes;
  /// Variants that are tried at a time.
  unsigned jobs = 1;
};

/// The sizes from \p smallest to \p largest bytes that stand for all, or those that do
/// where there is no largest.
std::vector<uint64_t> representativeSizes(uint64_t smallest, std::optional<uint64_t> largest);

/// \p build compiles a variant; where it fails, the variant is no choice. Ties go to fewer
/// threadblocks, fewer steps, and what was tried first, which is \p start. \p remarks may be
/// null.
Variant findFastest(const Variant &start, const SearchSpace &space, const Machine &machine,
                    Slots slots, const std::function<FailureOr<ExecPlan>(const Variant &)> &build,
                    Remarks *remarks);

} // namespace cclc

#endif // CCL_LIB_DRIVER_SEARCH_H
