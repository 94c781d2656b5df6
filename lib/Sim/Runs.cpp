#include "Runs.h"

using namespace cclc;

Runs::Runs(PlanState &state, LoadsAndStores &memory)
    : state(state), memory(memory), ranks(state.plan.ranks()) {
  for (const Threadblock &tb : state.plan.threadblocks())
    ranks[tb.rank.index()].threadblocks += tb.numSteps > 0;
  for (Rank &rank : ranks)
    rank.running = rank.threadblocks;
}

void Runs::endThreadblock(ThreadblockState &self) {
  self.piece = 0;
  self.idle = true;
  if (self.trip == state.trips)
    state.result.finished[state.numberOf(self)] = state.now;
  if (--ranks[self.rank].running > 0)
    return;
  ++ranks[self.rank].run;
  if (!memory.isStoring(self.rank))
    endRank(self.rank, self.previous);
}

void Runs::endStores(uint32_t rank) {
  if (ranks[rank].running == 0)
    endRank(rank, memory.lastStore(rank).execution);
}

/// All steps of a run of \p rank have ended and its results are stored, the last by
/// \p lastExecution.
void Runs::endRank(uint32_t rank, uint64_t lastExecution) {
  if (ranks[rank].run == 1)
    state.result.firstRun = std::max(state.result.firstRun, state.now - state.share.start);
  if (isDone(rank))
    return;
  ranks[rank].running = ranks[rank].threadblocks;
  ranks[rank].last = {state.now, lastExecution};
  state.schedule(state.now, Event::Kind::BeginRun, rank);
}

void Runs::begin(uint32_t rank) {
  memory.beginRun(rank);
  notify(state.listeners, &SimListener::runBegins, RankId(rank), ranks[rank].run, state.now);
  uint32_t first = state.plan.firstThreadblock(RankId(rank));
  for (uint32_t t = first; t < first + state.plan.numThreadblocks(RankId(rank)); ++t)
    if (ThreadblockState &self = state.threads[t]; self.begin < self.end) {
      self.idle = false;
      state.woken.push_back(t);
    }
}
