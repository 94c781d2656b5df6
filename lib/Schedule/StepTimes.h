//===- StepTimes.h - Machine-independent times of steps ---------*- C++ -*-===//
//
// The cost model of the scheduler: slots are unlimited, all threadblocks run in parallel, a `nop`
// takes no time and every other step one unit, or one per chunk. The path is the time of the whole
// plan, and the slack of a step is the largest delay that does not lengthen the path.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_STEPTIMES_H
#define CCL_LIB_SCHEDULE_STEPTIMES_H

#include "Draft.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc::schedule {

/// The time from the start of each step to the end of the plan, at least, in units.
std::vector<uint32_t> unitRests(const InstrProgram &program, const Draft &draft, const Waits &waits,
                                const Assignment &assignment);

/// The path of a plan in units. Sets \p end to the earliest end of each step.
uint32_t unitPath(const InstrProgram &program, const Draft &draft, const Waits &waits,
                  const Assignment &assignment, std::vector<uint32_t> &end);

/// Which steps follow which: in threadblocks, by messages and by waits.
class StepNetwork {
public:
  StepNetwork(const InstrProgram &program, const Draft &draft, const Waits &waits,
              const Assignment &assignment);

  uint32_t size() const { return previous.size(); }
  void addWait(uint32_t step, uint32_t target) {
    addedTargets[step].push_back(target);
    addedWaiters[target].push_back(step);
  }
  template <class Fn> void forPredecessors(uint32_t step, Fn fn) const {
    if (previous[step])
      fn(*previous[step]);
    if (sender[step])
      fn(*sender[step]);
    for (uint32_t target : waits.of(step))
      fn(target);
    if (auto it = addedTargets.find(step); it != addedTargets.end())
      for (uint32_t target : it->second)
        fn(target);
  }
  template <class Fn> void forSuccessors(uint32_t step, Fn fn) const {
    if (next[step])
      fn(*next[step]);
    if (receiver[step])
      fn(*receiver[step]);
    for (uint32_t waiter : waiters[step])
      fn(waiter);
    if (auto it = addedWaiters.find(step); it != addedWaiters.end())
      for (uint32_t waiter : it->second)
        fn(waiter);
  }

private:
  void findPartners(const InstrProgram &program, const Draft &draft, const Assignment &assignment);

  const Waits &waits;
  std::vector<OptionalIndex> previous, next; ///< neighbours in the threadblock
  std::vector<OptionalIndex> sender,
      receiver;    ///< the step that sends (receives) the message of a step
  Grouped waiters; ///< by step: those that wait for it
  /// The waits that were added: targets by step, and steps by target.
  llvm::DenseMap<uint32_t, SmallVector<uint32_t, 2>> addedTargets, addedWaiters;
};

class StepTimes {
public:
  /// In units, with the earliest \p ends and the \p rests of the steps.
  StepTimes(const StepNetwork &network, std::vector<uint32_t> ends, std::vector<uint32_t> rests);
  /// In chunks.
  StepTimes(const InstrProgram &program, const Draft &draft, const StepNetwork &network);

  /// The time until every step is complete.
  uint64_t path() const { return thePath; }
  uint64_t start(uint32_t step) const { return end[step] - costOf(step); }

  /// Whether the plan would not become longer than \p longest if \p step also waited for \p target.
  bool allowWait(uint32_t step, uint32_t target, uint64_t longest) const {
    return uint64_t(end[target]) + rest[step] <= longest;
  }
  /// Whether \p to follows \p from in every execution.
  bool reaches(uint32_t from, uint32_t to);
  /// Updates the times after this wait was added to the network.
  void followWait(uint32_t step, uint32_t target);

private:
  uint32_t costOf(uint32_t step) const {
    return program ? (*program)[draft->steps[step].instr].count : 1;
  }
  void delay(uint32_t step, uint32_t end);
  void hurry(uint32_t step, uint32_t rest);

  const StepNetwork &network;
  const InstrProgram *program = nullptr; ///< with the chunks of the steps, unless each is one unit
  const Draft *draft = nullptr;
  std::vector<uint32_t> end;  ///< by step: the earliest
  std::vector<uint32_t> rest; ///< by step: the time from its start to the end of the plan, at least
  uint32_t thePath = 0;
  std::vector<uint32_t> worklist;
  std::vector<uint32_t> seen; ///< by the last search
  std::vector<bool> isSeen;   ///< by step, during a search
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_STEPTIMES_H
