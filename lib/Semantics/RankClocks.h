//===- RankClocks.h - Orders inside a rank ----------------------*- C++ -*-===//
//
// What the threadblocks of one rank know of each other's progress, from their waits: a
// vector clock each. Clocks are sparse, and share the snapshots of steps that publish
// while they learn nothing new. A rank of very many threadblocks keeps only what they
// learned last, so that memory stays in proportion to the plan: what is forgotten is not
// known, and has to be looked up elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEMANTICS_RANKCLOCKS_H
#define CCL_LIB_SEMANTICS_RANKCLOCKS_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

class RankClocks {
public:
  RankClocks(const ExecPlan &plan, RankId rank);

  /// \p tb (index into the plan) waits for \p target of \p owner, its step
  /// number \p targetIndex.
  void wait(uint32_t tb, uint32_t owner, uint32_t target, uint32_t targetIndex);

  /// \p tb completed the publishing step \p step.
  void publish(uint32_t tb, uint32_t step);

  /// Whether step number \p index of \p other is known to have happened before what \p tb
  /// does now.
  bool knows(uint32_t tb, uint32_t other, uint32_t index) const;

private:
  struct Known {
    uint32_t tb;      ///< of the rank
    uint32_t steps;   ///< that are over
    uint32_t learned; ///< when
  };
  struct Clock {
    std::vector<Known> known;                           ///< ascending by threadblock
    std::optional<std::pair<size_t, size_t>> published; ///< as it is now: where in the pool
  };
  void forget(std::vector<Known> &known) const;

  uint32_t first;
  size_t mostKnown;
  std::vector<Clock> clocks;
  llvm::DenseMap<uint32_t, std::pair<size_t, size_t>> snapshots; ///< by step: in the pool
  std::vector<Known> pool;
  std::vector<Known> merged; ///< of one wait
  uint32_t now = 0;
};

} // namespace cclc

#endif // CCL_LIB_SEMANTICS_RANKCLOCKS_H
