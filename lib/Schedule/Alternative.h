//===- Alternative.h - A way to schedule, and what it costs -----*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_ALTERNATIVE_H
#define CCL_LIB_SCHEDULE_ALTERNATIVE_H

#include "Draft.h"

#include <tuple>

namespace cclc::schedule {

/// What a plan costs where no machine is asked.
struct PlanCost {
  uint32_t path = 0;
  uint64_t steps = 0;
  uint32_t threadblocks = 0; ///< of the rank that has most

  uint64_t area() const { return uint64_t(path) * threadblocks; }
  auto by(ScheduleGoal goal) const {
    uint64_t p = path, t = threadblocks;
    switch (goal) {
    case ScheduleGoal::Balance:
    case ScheduleGoal::Path:
      return std::tuple(p, steps, t);
    case ScheduleGoal::Steps:
      return std::tuple(steps, p, t);
    case ScheduleGoal::Threadblocks:
      return std::tuple(t, steps, p);
    }
    llvm_unreachable("unknown goal");
  }
};

/// One way to schedule the program.
struct Alternative {
  Assignment assignment;
  Order order;
  Draft draft;
  Waits waits;
  PlanCost cost;
};

PlanCost costOf(const InstrProgram &program, const Alternative &alternative);

/// Threadblocks of the rank that has most.
uint32_t mostThreadblocks(const Assignment &assignment, uint32_t ranks);
/// Connections of the rank that has most, in one direction.
uint32_t mostConnections(const Assignment &assignment, uint32_t ranks);
/// The same on one channel.
uint32_t mostOnChannel(const Assignment &assignment);
/// Threadblocks that are waited for, of the rank that has most.
uint32_t mostWaitTargets(const Alternative &alternative, uint32_t ranks);
/// Steps of the threadblock that has most, nops counted.
uint32_t longestThreadblock(const Alternative &alternative);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ALTERNATIVE_H
