//===- StepCounts.h - The progress of threadblocks --------------*- C++ -*-===//

#ifndef CCL_RUN_STEPCOUNTS_H
#define CCL_RUN_STEPCOUNTS_H

#include "cclc/IR/ExecPlan.h"

#include <atomic>

namespace cclc::run {

/// Two lines, because processors fetch them in pairs.
inline constexpr size_t cacheLines = 128;

/// The number of steps that each threadblock of a plan has executed, over all pieces and
/// executions. A threadblock that waits acquires what the other has released.
class StepCounts {
public:
  explicit StepCounts(const ExecPlan &plan) : counts(plan.threadblocks().size()) {}
  std::atomic<uint64_t> &of(uint32_t threadblock) { return counts[threadblock].steps; }

private:
  struct alignas(cacheLines) Count {
    std::atomic<uint64_t> steps = 0;
  };
  std::vector<Count> counts;
};

} // namespace cclc::run

#endif // CCL_RUN_STEPCOUNTS_H
