//===- Matching.h - Matching threadblocks of two plans ----------*- C++ -*-===//
//
// Numbers of threadblocks and channels are arbitrary: a threadblock is identified by its steps, by
// the threadblocks with which it exchanges messages, and by those that it waits for. Threadblocks
// get a colour by their steps and peers, which is refined by the colours of their neighbours until
// no further colour is split; threadblocks with equal colours match. If several have the same
// colour, they are equivalent: one pair is fixed, and matches that depend on it follow. A
// threadblock without an equal one is matched by its partner, by the number of common steps, or by
// its peers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_MATCHING_H
#define CCL_DIFF_MATCHING_H

#include "cclc/IR/Connections.h"

namespace cclc::diff {

/// A key for each step of a plan, which is equal for steps that are equal apart from their waits.
/// The key of a `nop` includes its wait. \p phaseOf numbers the phases; if it is empty, they are
/// ignored.
std::vector<uint64_t> stepKeys(const ExecPlan &plan, ArrayRef<uint32_t> phaseOf);

/// A plan with look-up tables.
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
  /// The indices of the threadblock, and of the step, that \p wait of a step of \p threadblock
  /// refers to.
  uint32_t waitedThreadblock(uint32_t threadblock, Wait wait) const {
    return plan.firstThreadblock(plan.threadblocks()[threadblock].rank) + wait.tb.index();
  }
  uint32_t waitedStep(uint32_t threadblock, Wait wait) const {
    return plan.threadblocks()[waitedThreadblock(threadblock, wait)].firstStep + wait.step.index();
  }
  bool usesConnections(uint32_t threadblock) const {
    return !connections.sendsOf(threadblock).empty() || !connections.recvsOf(threadblock).empty();
  }
};

/// Threadblocks are indices into ExecPlan::threadblocks().
struct Matching {
  std::vector<std::optional<uint32_t>> newOf, oldOf;
  /// The channel of the new plan for each channel of the old one, by a majority of their
  /// connections. Distinct old channels have distinct new ones.
  std::vector<std::optional<uint32_t>> newChannel;
};

/// Both plans must have the same number of ranks.
Matching matchThreadblocks(const IndexedPlan &before, const IndexedPlan &after);

} // namespace cclc::diff

#endif // CCL_DIFF_MATCHING_H
