//===- Alternative.h - A candidate schedule and its figures -----*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_ALTERNATIVE_H
#define CCL_LIB_SCHEDULE_ALTERNATIVE_H

#include "Draft.h"

#include <tuple>

namespace cclc::schedule {

/// The machine-independent cost of a plan.
struct PlanCost {
  uint32_t path = 0;
  uint64_t steps = 0;
  uint32_t threadblocks = 0; ///< maximum over the ranks

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
  /// Whether a plan with these figures replaces one with \p other. With \p moreChannels it has
  /// more channels than the other one.
  bool isBetter(const PlanCost &other, ScheduleGoal goal, bool moreChannels) const {
    return by(goal) < other.by(goal) && (!moreChannels || goal != ScheduleGoal::Balance ||
                                         (steps <= other.steps && area() < other.area()));
  }
};

/// A candidate schedule of the program.
struct Alternative {
  Assignment assignment;
  Order order;
  Draft draft;
  Waits waits;
  PlanCost cost;
};

/// Sets \p ends to the earliest end of each step.
PlanCost costOf(const InstrProgram &program, const Draft &draft, const Waits &waits,
                const Assignment &assignment, std::vector<uint32_t> &ends);

/// A lower bound of each figure of all plans with \p assignment.
PlanCost leastCost(const ProgramGraph &graph, const Assignment &assignment);

/// The maximum number of threadblocks of a rank.
uint32_t mostThreadblocks(const Assignment &assignment, uint32_t ranks);
/// The maximum number of connections of a rank in one direction.
uint32_t mostConnections(const Assignment &assignment, uint32_t ranks);
/// Whether no rank needs more queues than \p limits allow.
bool fitQueues(const Assignment &assignment, const QueueLimits &limits);
/// The maximum number of connections of a rank in one direction on one channel.
uint32_t mostOnChannel(const Assignment &assignment);
/// The maximum number of threadblocks of a rank that others wait for.
uint32_t mostWaitTargets(const Alternative &alternative, uint32_t ranks);
/// The maximum number of steps of a threadblock, including nops. \p splitsFused as in
/// receiveStepsOf.
uint32_t longestThreadblock(const InstrProgram &program, const Alternative &alternative,
                            bool splitsFused);
/// The maximum number of sends of a threadblock and steps that receive its transfers.
uint32_t mostTransferSteps(const Assignment &assignment);

/// The steps that receive on a connection of the busiest pair of ranks if they are spread evenly
/// over \p channels.
uint32_t fewestSteps(const Transfers &transfers, uint32_t channels, bool splitsFused);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ALTERNATIVE_H
