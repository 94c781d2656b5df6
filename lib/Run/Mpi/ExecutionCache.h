//===- ExecutionCache.h - The executions in memory --------------*- C++ -*-===//
//
// Applications repeat their calls, but some have thousands of different sizes. Each process keeps
// the executions that it used last; which ones has no influence on the choice of plans.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_EXECUTIONCACHE_H
#define CCL_LIB_RUN_MPI_EXECUTIONCACHE_H

#include "CallKey.h"
#include "PlanExecution.h"

#include <list>
#include <map>

namespace cclc::run {

class ExecutionCache {
public:
  explicit ExecutionCache(uint64_t limit) : limit(limit), room(limit) {}

  /// Lets executions of \p plans plans remain that are used in turns.
  void keepTurns(uint32_t plans) { room = limit * plans; }

  uint64_t limitBytes() const { return limit; }
  uint64_t mostBytes() const { return most; }
  uint64_t removals() const { return removed; }

  /// The execution, which becomes the last used one; null if it is not in memory. It remains until
  /// the next call of add() or remove().
  PlanExecution *find(uint32_t communicator, const CallKey &key);
  /// Removes executions until \p bytes more are within the limit, and adds the result of \p make.
  template <class Make>
  PlanExecution *add(uint32_t communicator, const CallKey &key, uint64_t bytes, Make make) {
    makeRoom(bytes);
    entries.push_front({communicator, key, bytes, make()});
    return added();
  }
  /// Removes the execution that find() has returned.
  void removeFound();
  /// Leaves \p bytes of the limit to memory that executions share with other processes.
  void reserve(uint64_t bytes) { reserved = bytes; }
  /// Removes the executions of a communicator.
  void remove(uint32_t communicator);

private:
  struct Entry {
    uint32_t communicator;
    CallKey key;
    uint64_t bytes;
    std::unique_ptr<PlanExecution> execution;
  };

  /// Removes an entry. Returns the next one.
  std::list<Entry>::iterator erase(std::list<Entry>::iterator entry);
  void makeRoom(uint64_t bytes);
  PlanExecution *added();

  using Key = std::pair<uint32_t, CallKey>;
  uint64_t limit, room, used = 0, reserved = 0, most = 0, removed = 0;
  std::list<Entry> entries; ///< the last used one first
  std::map<Key, std::list<Entry>::iterator> places;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_EXECUTIONCACHE_H
