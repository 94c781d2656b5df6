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

void ExecutionCache::makeRoom(uint64_t bytes) {
  for (auto next = entries.end(); next != entries.begin() && used + bytes + reserved > limit;) {
    const auto entry = std::prev(next);
    if (entry->execution->pending > 0) {
      next = entry;
      continue;
    }
    used -= entry->bytes;
    places.erase({entry->communicator, entry->key});
    entries.erase(entry);
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

void ExecutionCache::removeFound() {
  const Entry &found = entries.front();
  used -= found.bytes;
  places.erase({found.communicator, found.key});
  entries.pop_front();
}

void ExecutionCache::remove(uint32_t communicator) {
  for (auto it = entries.begin(); it != entries.end();) {
    auto entry = it++;
    if (entry->communicator != communicator)
      continue;
    used -= entry->bytes;
    places.erase({communicator, entry->key});
    entries.erase(entry);
  }
}
