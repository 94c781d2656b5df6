//===- Schedule.h - From instructions to a plan -----------------*- C++ -*-===//
//
// Stage 5 of the toolchain. In this order:
//
//   channels       every transfer gets a channel, so that at every rank and
//                  channel a fused instruction's receive and send peer belong to
//                  one threadblock; chains that do not fit are un-fused
//   threadblocks   every connection gets one threadblock on each side
//   order          instructions are laid out by depth, then longest remaining
//                  path, as an execution with the plan's slots would complete
//                  them: the order itself proves the plan free of deadlock
//   waits          dependences between threadblocks, transitively reduced, and
//                  joined where several steps wait for the same threadblocks
//
// Where threadblocks have a limit of steps, all of this is done again with fewer
// transfers on a connection, until the limit is kept.
//
// There are several ways to do the first two and the last; the goal says which is
// taken.
//
// docs/Scheduling.md has the argument why this never fails on a program whose
// directives are consistent.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SCHEDULE_SCHEDULE_H
#define CCL_SCHEDULE_SCHEDULE_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

#include <memory>

namespace cclc {

class Pass;
class PassContext;
class PassRegistry;

/// What matters most where a plan can be had in several ways. The path is the time of a plan
/// whose steps take one unit each; nops count as steps; the threadblocks are those of the rank
/// that has most.
enum class ScheduleGoal : uint8_t {
  Balance, ///< the path, then steps, then threadblocks; but more channels are opened only where
           ///< the path becomes shorter by a larger factor than threadblocks become more
  Path,    ///< the path, then steps, then threadblocks
  Steps,   ///< steps, then the path, then threadblocks
  Threadblocks, ///< threadblocks, then steps, then the path
};
StringRef goalName(ScheduleGoal goal);
std::optional<ScheduleGoal> parseGoal(StringRef name);

struct ScheduleOptions {
  /// Slots of every connection: the plan completes with these.
  Slots slots = defaultSlots;
  /// Channels that the scheduler may open; directives may name higher ones.
  uint32_t maxChannels = 32;
  /// Threadblocks that a rank should not exceed.
  std::optional<uint32_t> maxThreadblocks;
  /// Connections of a rank in each direction that it should not exceed.
  std::optional<uint32_t> maxQueuePairs;
  /// Connections of a rank in each direction that one channel should not exceed.
  std::optional<uint32_t> maxPerChannel;
  /// Steps that a threadblock should not exceed, nops counted. With it all limits come before the
  /// goal: what is too much for a threadblock continues in another one, and instances share
  /// channels where a rank would have too many threadblocks.
  std::optional<uint32_t> maxSteps;
  /// The number of a threadblock that is waited for should not exceed it.
  std::optional<uint32_t> maxWaitTarget;
  ScheduleGoal goal = ScheduleGoal::Balance;
  /// Whether to try alternatives: threadblocks that serve both directions of a neighbour or one
  /// only, waits that are joined or not. Else the first way that keeps the limits is taken.
  bool weigh = true;
};

/// Fails only where directives contradict each other or the rules of a plan; the
/// error names both operations.
FailureOr<ExecPlan> scheduleProgram(InstrProgram &&program, const ScheduleOptions &options,
                                    PassContext &context);

/// The same as a pass.
std::unique_ptr<Pass> schedulePass(ScheduleOptions options);

void registerSchedulers(PassRegistry &registry);

} // namespace cclc

#endif // CCL_SCHEDULE_SCHEDULE_H
