//===- StepTimes.h - When steps run where no machine is asked ---*- C++ -*-===//
//
// The yardstick of the scheduler: slots are unlimited, all threadblocks run at once,
// a `nop` takes no time and every other step one unit, or one for each chunk. The path is
// then the time of the whole plan, and a step's slack says by how much it may be late
// without making the path longer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_STEPTIMES_H
#define CCL_LIB_SCHEDULE_STEPTIMES_H

#include "Draft.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc::schedule {

enum class StepCost : uint8_t { Unit, Chunks };

class StepTimes {
public:
  StepTimes(const InstrProgram &program, const Draft &draft, const Waits &waits,
            const Assignment &assignment, StepCost cost);

  /// Time until every step has run.
  uint64_t path() const { return thePath; }
  uint64_t start(uint32_t step) const { return earliest[step]; }

  /// Whether \p step could also wait for \p target: there would be no cyclic wait, and the plan
  /// would not become longer than \p longest, which is at least path().
  bool mayWait(uint32_t step, uint32_t target, uint64_t longest);
  void addWait(uint32_t step, uint32_t target);

private:
  void findPartners(const InstrProgram &program, const Draft &draft, const Assignment &assignment);
  template <class Fn> void forSuccessors(uint32_t step, Fn fn) const;
  template <class Fn> void forPredecessors(uint32_t step, Fn fn) const;
  bool reaches(uint32_t from, uint32_t to);
  void delay(uint32_t step, int64_t start);
  void hurry(uint32_t step, int64_t start);

  const Waits &waits;
  static constexpr uint32_t none = ~uint32_t(0);
  std::vector<uint32_t> previous, next;   ///< in the threadblock
  std::vector<uint32_t> sender, receiver; ///< of the message that a step receives, sends
  std::vector<uint32_t> waiterBegin, waiters;
  /// Of waits that were added: the targets by step, and the other way round.
  llvm::DenseMap<uint32_t, SmallVector<uint32_t, 2>> addedTargets, addedWaiters;
  std::vector<uint32_t> cost;    ///< by step
  std::vector<int64_t> earliest; ///< start
  std::vector<int64_t> latest;   ///< last start, for the path as it was at first
  int64_t thePath = 0, firstPath = 0;
  std::vector<uint32_t> worklist;
  std::vector<uint32_t> seenBy; ///< by step: the search that saw it last
  uint32_t searches = 0;
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_STEPTIMES_H
