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

#include "EngineData.h"

namespace cclc {

class LoadsAndStores : protected EngineData {
protected:
  using EngineData::EngineData;

  /// Whether the local operands of the current step of \p t are loaded; if not, \p t will be woken
  /// (rule 35).
  bool operandsAreLoaded(uint32_t t) {
    uint64_t loads = memory.loadsBefore(states[t].rank, states[t].next, states[t].piece);
    RankMemory &mine = memories[states[t].rank];
    if (loads <= mine.loaded)
      return true;
    mine.waiters.push_back({loads, t});
    return false;
  }

  /// Issues the next load of the current run of \p rank, if there is one.
  void issueLoad(uint32_t rank);
  /// Writes the data of a load, which have arrived, to TCM.
  void keepLoad(uint32_t rank);
  void completeLoad(uint32_t rank);

  /// Stores to memory the results for which the current step of \p t is the last writer;
  /// \p execution is its execution.
  void storeResults(uint32_t t, uint64_t execution);
  /// Issues the first of the stores of \p rank that wait.
  void issueStore(uint32_t rank);
  /// Returns whether the rank has no further stores.
  bool completeStore(uint32_t rank);
};

} // namespace cclc

#endif // CCL_LIB_SIM_LOADSANDSTORES_H
