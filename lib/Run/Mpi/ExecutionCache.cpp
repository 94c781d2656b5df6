//===- ExecutionCache.cpp - The executions in memory ----------------------===//
//
// A repeated call finds its execution in front, without a look-up.
//
//===----------------------------------------------------------------------===//

#include "ExecutionCache.h"

using namespace cclc;
using namespace cclc::run;

PlanExecution *ExecutionCache::find(uint32_t communicator, const CallKey &key) {
  if (!entries.empty() && entries.front().communicator == communicator &&
      entries.front().key == key)
    return entries.front().execution.get();
  auto found = places.find({communicator, key});
  if (found == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, found->second);
  return entries.front().execution.get();
}

std::list<ExecutionCache::Entry>::iterator ExecutionCache::erase(std::list<Entry>::iterator entry) {
  used -= entry->bytes;
  places.erase({entry->communicator, entry->key});
  return entries.erase(entry);
}

void ExecutionCache::makeRoom(uint64_t bytes) {
  for (auto next = entries.end(); next != entries.begin() && used + bytes + reserved > room;) {
    --next;
    if (next->execution->pending > 0)
      continue;
    next = erase(next);
    ++removed;
  }
}

PlanExecution *ExecutionCache::added() {
  Entry &entry = entries.front();
  places[{entry.communicator, entry.key}] = entries.begin();
  used += entry.bytes;
  most = std::max(most, used);
  return entry.execution.get();
}

void ExecutionCache::removeFound() { erase(entries.begin()); }

void ExecutionCache::remove(uint32_t communicator) {
  for (auto entry = entries.begin(); entry != entries.end();)
    entry = entry->communicator == communicator ? erase(entry) : std::next(entry);
}
