//===- Register.cpp - The scheduler as a pass -----------------------------===//
//
// The factory of the pass, and its textual options for ccl-opt with their defaults. The names of
// the goals are those of the command line.
//
//===----------------------------------------------------------------------===//

#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

using namespace cclc;

StringRef cclc::goalName(ScheduleGoal goal) {
  switch (goal) {
  case ScheduleGoal::Balance:
    return "balance";
  case ScheduleGoal::Path:
    return "path";
  case ScheduleGoal::Steps:
    return "steps";
  case ScheduleGoal::Threadblocks:
    return "threadblocks";
  }
  llvm_unreachable("unknown goal");
}

std::optional<ScheduleGoal> cclc::parseGoal(StringRef name) {
  for (ScheduleGoal goal :
       {ScheduleGoal::Balance, ScheduleGoal::Path, ScheduleGoal::Steps, ScheduleGoal::Threadblocks})
    if (goalName(goal) == name)
      return goal;
  return std::nullopt;
}

std::unique_ptr<Pass> cclc::schedulePass(const ScheduleOptions &options) {
  return makePass<InstrProgram, ExecPlan>(
      "schedule", [=](InstrProgram &&program, PassContext &context) {
        return scheduleProgram(std::move(program), options, context);
      });
}

void cclc::registerSchedulers(PassRegistry &registry) {
  registry.add(
      {"schedule", Level::Instr, Level::Exec,
       "assign channels and threadblocks, order the steps, reduce the waits",
       "slots (8): slots of every connection, or inf\n"
       "channels (32): largest number of channels\n"
       "threadblocks: preferred maximum of threadblocks of a rank\n"
       "queue_pairs: preferred maximum of connections of a rank in each direction\n"
       "per_channel: preferred maximum of connections of a rank in each direction on one channel\n"
       "steps: preferred maximum of steps of a threadblock; further steps go to another one\n"
       "wait_target: preferred maximum number of a threadblock that others wait for\n"
       "goal (balance): balance, path, steps or threadblocks\n"
       "weigh (yes): evaluate alternative schedules",
       [](PassOptions &options) {
         ScheduleOptions how;
         how.slots = options.slots("slots").value_or(defaultSlots);
         how.maxChannels = options.number("channels").value_or(how.maxChannels);
         how.maxThreadblocks = options.number("threadblocks");
         how.maxQueuePairs = options.number("queue_pairs");
         how.maxPerChannel = options.number("per_channel");
         how.maxSteps = options.number("steps");
         how.maxWaitTarget = options.number("wait_target");
         how.goal = parseGoal(options.choice("goal", {"balance", "path", "steps", "threadblocks"}))
                        .value_or(ScheduleGoal::Balance);
         how.weigh = options.flag("weigh", true);
         return schedulePass(how);
       }});
}
