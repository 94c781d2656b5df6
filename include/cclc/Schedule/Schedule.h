//===- Schedule.h - Scheduling instructions into a plan ---------*- C++ -*-===//
//
// Stage 5 of the toolchain, which decides in this order:
//
//   channels       every transfer gets a channel, so that at every rank and channel a fused
//                  instruction's receive and send peer belong to one threadblock; chains that do
//                  not fit are unfused
//   threadblocks   every connection gets one threadblock on each side
//   order          instructions are ordered by depth, then longest remaining path, as an execution
//                  with the plan's slots would complete them, so that the order is a proof of
//                  deadlock freedom
//   waits          dependences between threadblocks, transitively reduced, and merged where several
//                  steps wait for the same threadblocks
//
// If the steps of a threadblock are limited, all of this is repeated with fewer transfers per
// connection until the limit holds.
//
// There are alternatives for channels, threadblocks and waits; the goal selects one.
//
// docs/Scheduling.md argues why this never fails on a program whose directives are consistent.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SCHEDULE_SCHEDULE_H
#define CCL_SCHEDULE_SCHEDULE_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

#include <functional>
#include <memory>
#include <vector>

namespace cclc {

class Pass;
class PassContext;
class PassRegistry;

/// The order of importance of the figures by which alternative schedules are compared. The path is
/// the time of the plan if every step takes one unit; nops count as steps; the threadblocks are the
/// maximum over the ranks.
enum class ScheduleGoal : uint8_t {
  Balance, ///< the path, then steps, then threadblocks; but more channels are opened only if they
           ///< shorten the path by a larger factor than they increase the threadblocks
  Path,    ///< the path, then steps, then threadblocks
  Steps,   ///< steps, then the path, then threadblocks
  Threadblocks, ///< threadblocks, then steps, then the path
};
StringRef goalName(ScheduleGoal goal);
std::optional<ScheduleGoal> parseGoal(StringRef name);

/// Limits of the queues of a rank. A queue has one peer and contains one connection each way.
struct QueueLimits {
  /// The group of the queues between two ranks.
  std::function<uint32_t(RankId, RankId)> groupOf;
  std::vector<std::optional<uint32_t>> most; ///< by group
};

struct ScheduleOptions {
  /// The number of slots of every connection, with which the plan must complete.
  Slots slots = defaultSlots;
  /// The number of channels that the scheduler may open; directives may name higher ones.
  uint32_t maxChannels = 32;
  /// Preferred maximum of threadblocks of a rank.
  std::optional<uint32_t> maxThreadblocks;
  /// Preferred maximum of connections of a rank in each direction.
  std::optional<uint32_t> maxQueuePairs;
  /// Preferred maxima of queues of a rank.
  std::optional<QueueLimits> queues;
  /// Preferred maximum of connections of a rank in each direction on one channel.
  std::optional<uint32_t> maxPerChannel;
  /// Preferred maximum of steps of a threadblock, including nops. If set, all limits take
  /// precedence over the goal: further steps of a threadblock go to another one, and where a rank
  /// would have too many threadblocks, instances share channels, or instructions are unfused.
  std::optional<uint32_t> maxSteps;
  /// Whether fused receives are split afterwards: their parts then count as steps for maxSteps.
  bool splitsFused = false;
  /// Preferred maximum number of a threadblock that others wait for.
  std::optional<uint32_t> maxWaitTarget;
  /// Whether transfers use the channels that directives name. Otherwise these channels are ignored,
  /// but not the threadblocks.
  bool keepChannels = true;
  ScheduleGoal goal = ScheduleGoal::Balance;
  /// Whether to evaluate alternatives: threadblocks for both directions of a neighbour or for one,
  /// waits merged or not. Otherwise the first schedule within the limits is used.
  bool weigh = true;
  /// Whether consecutive reductions into one place are one operation (IR/MergedReductions.h). They
  /// are then emitted together, in one threadblock, and separate sums in different ones.
  bool mergesReductions = false;
  /// If set, all ranks do the same, and instructions that are equal on all ranks are emitted
  /// together, so that the plan has equal threadblocks on all ranks.
  bool inLockstep = false;
  /// The number of threads, on which the plan does not depend.
  unsigned jobs = 1;
};

/// Fails only if directives contradict each other or the rules of a plan; the error names both
/// operations.
FailureOr<ExecPlan> scheduleProgram(InstrProgram &&program, const ScheduleOptions &options,
                                    PassContext &context);

/// A pass for this function.
std::unique_ptr<Pass> schedulePass(const ScheduleOptions &options);

void registerSchedulers(PassRegistry &registry);

} // namespace cclc

#endif // CCL_SCHEDULE_SCHEDULE_H
