//===- LoadsAndStores.cpp - The memory requests of a plan -----------------===//
//
// Implements rules 35, 36, 49 and 57.
//
//===----------------------------------------------------------------------===//

#include "LoadsAndStores.h"

using namespace cclc;

void LoadsAndStores::issueLoad(uint32_t rank) {
  uint64_t next = memories[rank].loaded;
  if (next == memory.loads(rank))
    return;
  // Several plans share the channel.
  Pe &pe = peOf(rank);
  pe.loading = memory.load(rank, pe, std::max(now, pe.loading), memory.loadSize(rank, next));
  queue.push(pe.loading, {Event::Kind::LoadArrives, rank});
}

void LoadsAndStores::keepLoad(uint32_t rank) {
  Pe &pe = peOf(rank);
  SimTime end = memory.keep(rank, pe, now, memory.loadSize(rank, memories[rank].loaded));
  pe.loading = std::max(pe.loading, end);
  if (end > now)
    queue.push(end, {Event::Kind::LoadDone, rank});
  else
    completeLoad(rank);
}

void LoadsAndStores::completeLoad(uint32_t rank) {
  RankMemory &mine = memories[rank];
  ++mine.loaded;
  auto isLoaded = [&](const RankMemory::Waiter &waiter) { return waiter.load <= mine.loaded; };
  for (const RankMemory::Waiter &waiter : mine.waiters)
    if (isLoaded(waiter))
      woken.push_back(waiter.threadblock);
  llvm::erase_if(mine.waiters, isLoaded);
  issueLoad(rank);
}

void LoadsAndStores::storeResults(uint32_t t, uint64_t execution) {
  const ThreadblockState &self = states[t];
  Bytes size = memory.storeSize(self.next, self.piece);
  if (size == Bytes())
    return;
  RankMemory &mine = memories[self.rank];
  bool idle = mine.stores.empty();
  mine.stores.push({size, execution});
  // A step that begins at the same time accesses the slots before the store does.
  if (idle)
    queue.push(now, {Event::Kind::Store, self.rank});
}

void LoadsAndStores::issueStore(uint32_t rank) {
  Pe &pe = peOf(rank);
  pe.storing =
      memory.store(rank, pe, std::max(now, pe.storing), memories[rank].stores.front().size);
  queue.push(pe.storing, {Event::Kind::StoreDone, rank});
}

bool LoadsAndStores::completeStore(uint32_t rank) {
  RankMemory &mine = memories[rank];
  mine.stored = now;
  mine.lastStore = mine.stores.pop().execution;
  if (mine.stores.empty())
    return true;
  issueStore(rank);
  return false;
}
