//===- Runs.h - Repetitions of a plan, rank by rank -------------*- C++ -*-===//
//
// A rank begins the next run when all its threadblocks have ended the last one and its results are
// in memory (rule 9). Ranks are not synchronised with each other: a rank may be ahead of others as
// far as messages and slots allow.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_RUNS_H
#define CCL_LIB_SIM_RUNS_H

#include "LoadsAndStores.h"

namespace cclc {

class Runs final {
public:
  Runs(PlanState &state, LoadsAndStores &memory);

  /// \p self has ended its run.
  void endThreadblock(ThreadblockState &self);
  /// The results of \p rank so far are in memory.
  void endStores(uint32_t rank);
  /// Begins the next run of \p rank.
  void begin(uint32_t rank);

  bool isDone(uint32_t rank) const {
    return ranks[rank].run == state.options.repeat || !ranks[rank].threadblocks;
  }
  /// The end of the last run of \p rank, with which the current one began.
  const Ending &last(uint32_t rank) const { return ranks[rank].last; }

private:
  struct Rank {
    uint32_t threadblocks = 0; ///< number of threadblocks with steps
    uint32_t running = 0;      ///< number of these that have not ended the run
    uint32_t run = 0;          ///< the number of runs after the last one has ended
    Ending last;
  };
  void endRank(uint32_t rank, uint64_t lastExecution);

  PlanState &state;
  LoadsAndStores &memory;
  std::vector<Rank> ranks;
};

} // namespace cclc

#endif // CCL_LIB_SIM_RUNS_H
