//===- RankClocks.h - Vector clocks of a rank -------------------*- C++ -*-===//
//
// A vector clock for each threadblock of one rank: the progress of the other threadblocks that its
// waits imply. Clocks are sparse, and successive publishing steps share a snapshot while the clock
// does not change. In a rank with very many threadblocks, the clocks keep only their most recent
// entries, so that memory stays proportional to the plan; pairs without an entry have to be decided
// by another method.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_PROOF_RANKCLOCKS_H
#define CCL_LIB_PROOF_RANKCLOCKS_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

class RankClocks {
public:
  RankClocks(const ExecPlan &plan, RankId rank);

  /// Records that \p tb (an index into the plan) waits for \p target, which is step number
  /// \p targetIndex of \p owner.
  void wait(uint32_t tb, uint32_t owner, uint32_t target, uint32_t targetIndex);

  /// Records that \p tb completed the publishing step \p step.
  void publish(uint32_t tb, uint32_t step);

  /// Whether step number \p index of \p other, which is not \p tb, is known to happen before the
  /// current step of \p tb.
  bool knows(uint32_t tb, uint32_t other, uint32_t index) const;

private:
  struct Known {
    uint32_t tb;      ///< threadblock of the rank
    uint32_t steps;   ///< number of completed steps
    uint32_t learned; ///< time of the entry
  };
  struct Clock {
    std::vector<Known> known;                           ///< ascending by threadblock
    std::optional<std::pair<size_t, size_t>> published; ///< current snapshot: its range in the pool
  };
  void forget(std::vector<Known> &known) const;

  uint32_t first;
  size_t mostKnown;
  std::vector<Clock> clocks;
  llvm::DenseMap<uint32_t, std::pair<size_t, size_t>> snapshots; ///< by step: range in the pool
  std::vector<Known> pool;
  std::vector<Known> merged; ///< buffer of wait()
  uint32_t now = 0;
};

} // namespace cclc

#endif // CCL_LIB_PROOF_RANKCLOCKS_H
