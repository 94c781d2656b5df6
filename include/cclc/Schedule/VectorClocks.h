//===- VectorClocks.h - Vector clocks of threadblocks of a rank *- C++ -*-===//

#ifndef CCL_SCHEDULE_VECTORCLOCKS_H
#define CCL_SCHEDULE_VECTORCLOCKS_H

#include "cclc/Support/Ids.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace cclc {

/// For each threadblock of one rank, the number of steps of the others that have completed before
/// its next step (Fidge, 1988; Mattern, 1989). Clocks are sparse and immutable: a threadblock that
/// waits for a step shares the clock of that step unless its own one adds to it.
class VectorClocks {
public:
  /// One entry of a clock: the first \p steps steps of \p threadblock have completed.
  struct Entry {
    uint32_t threadblock, steps;
  };

  /// Starts a rank, whose threadblocks are numbered from 0, with the number of steps of each.
  void beginRank(llvm::ArrayRef<uint32_t> steps);
  /// \p threadblock waits for step number \p index of \p other, which is published.
  void wait(uint32_t threadblock, uint32_t other, uint32_t index);
  /// Others may wait for step number \p index, the next one of \p threadblock.
  void publish(uint32_t threadblock, uint32_t index) {
    current[firstStep[threadblock] + index] = ofThreadblock[threadblock];
  }
  /// Whether step number \p index of \p other completes before the next step of \p threadblock.
  bool knows(uint32_t threadblock, uint32_t other, uint32_t index) const;
  /// The clock of \p threadblock, ascending by threadblock.
  llvm::ArrayRef<Entry> clock(uint32_t threadblock) const {
    return row(ofThreadblock[threadblock]);
  }

private:
  llvm::ArrayRef<Entry> row(uint32_t number) const {
    return llvm::ArrayRef(pool).slice(begin[number], begin[number + 1] - begin[number]);
  }
  uint32_t endRow();
  uint32_t join(uint32_t a, uint32_t b);

  // Row 0 is the empty clock.
  std::vector<uint32_t> ofThreadblock; ///< its row
  std::vector<uint32_t> firstStep;     ///< by threadblock: the number of its first step in the rank
  std::vector<uint32_t> current;       ///< by published step: the row of its threadblock
  std::vector<uint32_t> including;     ///< by step: the row that includes the step, or 0
  std::vector<uint32_t> begin;         ///< by row, with the end of the last one
  std::vector<Entry> pool;
};

} // namespace cclc

#endif // CCL_SCHEDULE_VECTORCLOCKS_H
