//===- LoadsAndStores.h - The memory requests of a plan ---------*- C++ -*-===//
//
// Each rank has one load and one store in progress. The end of each is an event, at which the next
// one is issued, so that accesses to slots in the same memory can come between them.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_LOADSANDSTORES_H
#define CCL_LIB_SIM_LOADSANDSTORES_H

#include "LocalMemory.h"
#include "PlanState.h"

namespace cclc {

class LoadsAndStores final {
public:
  explicit LoadsAndStores(PlanState &state)
      : state(state), memory(state.placed, state.sizing), ranks(state.plan.ranks()) {}

  /// Whether the local operands of the current step of \p t are loaded; if not, \p t will be woken
  /// (rule 35).
  bool operandsAreLoaded(uint32_t t) {
    const ThreadblockState &self = state.threads[t];
    uint64_t loads = memory.loadsBefore(self.rank, self.next, self.piece);
    if (loads == 0 || loads <= ranks[self.rank].loaded)
      return true;
    ranks[self.rank].waiters.push_back({loads, t});
    return false;
  }
  /// Issues the first load of a run of \p rank, if there is one.
  void beginRun(uint32_t rank) {
    ranks[rank].loaded = 0;
    issueLoad(rank);
  }
  /// Writes the data of a load, which have arrived, to TCM.
  void keepLoad(uint32_t rank);
  void completeLoad(uint32_t rank);

  /// Stores to memory the results for which the current step of \p self is the last writer.
  void storeResults(const ThreadblockState &self);
  /// Issues the first of the stores of \p rank that wait.
  void issueStore(uint32_t rank);
  /// Returns whether the rank has no further stores.
  bool completeStore(uint32_t rank);
  bool isStoring(uint32_t rank) const { return !ranks[rank].stores.empty(); }
  /// The last completed store of \p rank.
  const Ending &lastStore(uint32_t rank) const { return ranks[rank].lastStore; }

private:
  struct Store {
    Bytes size;
    uint64_t execution; ///< that has written the result
  };
  struct Waiter {
    uint64_t load; ///< number of the load that must be complete
    uint32_t threadblock;
  };
  struct Rank {
    uint64_t loaded = 0; ///< number of completed loads of the current run
    std::vector<Waiter> waiters;
    Ring<Store> stores; ///< those that are not complete
    Ending lastStore;
  };
  void issueLoad(uint32_t rank);

  PlanState &state;
  const LocalMemory memory;
  std::vector<Rank> ranks;
};

} // namespace cclc

#endif // CCL_LIB_SIM_LOADSANDSTORES_H
