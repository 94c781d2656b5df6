//===- LoadsAndStores.cpp - The memory requests of a plan -----------------===//
//
// Implements rules 35, 36, 49 and 57.
//
//===----------------------------------------------------------------------===//

#include "LoadsAndStores.h"

using namespace cclc;

/// Issues the next load of the current run, if there is one.
void LoadsAndStores::issueLoad(uint32_t rank) {
  uint64_t next = ranks[rank].loaded;
  if (next == memory.loads(rank))
    return;
  // Several plans share the channel.
  Pe &pe = state.peOf(rank);
  pe.loading = memory.load(rank, pe, std::max(state.now, pe.loading), memory.loadSize(rank, next));
  state.schedule(pe.loading, Event::Kind::LoadArrives, rank);
}

void LoadsAndStores::keepLoad(uint32_t rank) {
  Pe &pe = state.peOf(rank);
  SimTime end = memory.keep(rank, pe, state.now, memory.loadSize(rank, ranks[rank].loaded));
  pe.loading = std::max(pe.loading, end);
  if (end > state.now)
    state.schedule(end, Event::Kind::LoadDone, rank);
  else
    completeLoad(rank);
}

void LoadsAndStores::completeLoad(uint32_t rank) {
  Rank &mine = ranks[rank];
  ++mine.loaded;
  auto isLoaded = [&](const Waiter &waiter) { return waiter.load <= mine.loaded; };
  for (const Waiter &waiter : mine.waiters)
    if (isLoaded(waiter))
      state.woken.push_back(waiter.threadblock);
  llvm::erase_if(mine.waiters, isLoaded);
  issueLoad(rank);
}

void LoadsAndStores::storeResults(const ThreadblockState &self) {
  Bytes size = memory.storeSize(self.next, self.piece);
  if (size == Bytes())
    return;
  bool idle = !isStoring(self.rank);
  ranks[self.rank].stores.push({size, state.execution(self)});
  // A step that begins at the same time accesses the slots before the store does.
  if (idle)
    state.schedule(state.now, Event::Kind::Store, self.rank);
}

void LoadsAndStores::issueStore(uint32_t rank) {
  Pe &pe = state.peOf(rank);
  pe.storing =
      memory.store(rank, pe, std::max(state.now, pe.storing), ranks[rank].stores.front().size);
  state.schedule(pe.storing, Event::Kind::StoreDone, rank);
}

bool LoadsAndStores::completeStore(uint32_t rank) {
  ranks[rank].lastStore = {state.now, ranks[rank].stores.pop().execution};
  if (!isStoring(rank))
    return true;
  issueStore(rank);
  return false;
}
