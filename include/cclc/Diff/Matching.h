//===- Matching.h - Which threadblock is which ------------------*- C++ -*-===//
//
// Numbers of threadblocks and channels mean nothing: what a threadblock is, its steps say,
// the threadblocks that it exchanges messages with, and those that it waits for. Threadblocks
// get a colour by their steps and peers, which is refined by the colours around them until that
// tells no more of them apart; those of equal colour belong together. Where several are left,
// they are equivalent: one pair is fixed, and dependent attributes follow. What has
// no equal goes to the one that talks to the same partner, that has most steps in common,
// or the same peers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_MATCHING_H
#define CCL_DIFF_MATCHING_H

#include "cclc/IR/Connections.h"

namespace cclc::diff {

/// A number for what each step of a plan does, without its waits; equal for equal steps. That of
/// a `nop` says what it waits for. \p phaseOf numbers the phases; empty: they do not count.
std::vector<uint64_t> stepKeys(const ExecPlan &plan, ArrayRef<uint32_t> phaseOf);

/// A plan with what is looked up in it all the time.
struct IndexedPlan {
  const ExecPlan &plan;
  ConnectionTable connections;
  std::vector<OptionalId<StepId>> publishers;
  std::vector<uint64_t> keys; ///< stepKeys

  IndexedPlan(const ExecPlan &plan, ArrayRef<uint32_t> phaseOf)
      : plan(plan), connections(plan), publishers(findPublishers(plan)),
        keys(stepKeys(plan, phaseOf)) {}

  ArrayRef<uint64_t> keysOf(uint32_t threadblock) const {
    const Threadblock &tb = plan.threadblocks()[threadblock];
    return ArrayRef(keys).slice(tb.firstStep, tb.numSteps);
  }
  /// Index of the threadblock that \p wait of a step of \p threadblock is about, and of the step.
  uint32_t waitedThreadblock(uint32_t threadblock, Wait wait) const {
    return plan.firstThreadblock(plan.threadblocks()[threadblock].rank) + wait.tb.index();
  }
  uint32_t waitedStep(uint32_t threadblock, Wait wait) const {
    return plan.threadblocks()[waitedThreadblock(threadblock, wait)].firstStep + wait.step.index();
  }
  bool usesConnections(uint32_t threadblock) const {
    return connections.sendOf(threadblock) || connections.recvOf(threadblock);
  }
};

/// Threadblocks are indices into ExecPlan::threadblocks().
struct Matching {
  std::vector<std::optional<uint32_t>> newOf, oldOf;
  /// What most connections of each channel of the old plan are in the new one; of two old
  /// channels never the same.
  std::vector<std::optional<uint32_t>> newChannel;
};

/// Both plans have equally many ranks.
Matching matchThreadblocks(const IndexedPlan &before, const IndexedPlan &after);

} // namespace cclc::diff

#endif // CCL_DIFF_MATCHING_H
