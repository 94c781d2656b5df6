//===- RunKeeper.h - Repetitions of a plan, rank by rank --------*- C++ -*-===//
//
// A rank begins the next run when all its threadblocks have ended the last one and its results are
// in memory. Ranks are not synchronised with each other: a rank may be ahead of others as far as
// messages and slots allow.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_RUNKEEPER_H
#define CCL_LIB_SIM_RUNKEEPER_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

class RunKeeper {
public:
  RunKeeper(const ExecPlan &plan, uint32_t runs) : runs(runs), ranks(plan.ranks()) {
    for (const Threadblock &tb : plan.threadblocks())
      ranks[tb.rank.index()].threadblocks += tb.numSteps > 0;
    for (Rank &rank : ranks)
      rank.running = rank.threadblocks;
  }

  /// Records that a threadblock of \p rank has ended its run. Returns whether all have.
  bool endThreadblock(uint32_t rank) {
    if (--ranks[rank].running > 0)
      return false;
    ++ranks[rank].run;
    return true;
  }
  /// Begins the next run of \p rank \p now, after \p lastExecution of its last run has ended.
  void begin(uint32_t rank, SimTime now, uint64_t lastExecution) {
    ranks[rank].running = ranks[rank].threadblocks;
    ranks[rank].began = now;
    ranks[rank].lastExecution = lastExecution;
  }

  /// The current run of \p rank; the number of runs after the last one has ended.
  uint32_t run(uint32_t rank) const { return ranks[rank].run; }
  /// Whether all threadblocks of \p rank have ended the run.
  bool isBetweenRuns(uint32_t rank) const { return ranks[rank].running == 0; }
  bool isDone(uint32_t rank) const { return ranks[rank].run == runs || !ranks[rank].threadblocks; }
  /// The beginning of the current run, if it is not the first, and the execution that preceded it.
  SimTime began(uint32_t rank) const { return ranks[rank].began; }
  uint64_t lastExecution(uint32_t rank) const { return ranks[rank].lastExecution; }

private:
  struct Rank {
    uint32_t threadblocks = 0; ///< number of threadblocks with steps
    uint32_t running = 0;      ///< number of these that have not ended the run
    uint32_t run = 0;
    SimTime began;
    uint64_t lastExecution = 0;
  };
  uint32_t runs;
  std::vector<Rank> ranks;
};

} // namespace cclc

#endif // CCL_LIB_SIM_RUNKEEPER_H
