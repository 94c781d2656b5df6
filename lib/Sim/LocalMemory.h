//===- LocalMemory.h - Loads of inputs and stores of results ----*- C++ -*-===//
//
// On machines with `loadStore`, inputs and results are in the memory of each PE, and a plan
// operates inside the PE. The DMA engine has a read and a write channel, each of which processes
// one request at a time, including its route to the memory and back:
//
//   * from the start of a run, the read channel loads the cells that the rank reads before they are
//     written, in the order of first use, piece after piece;
//   * the last writer of an output issues its store to the write channel.
//
// The last writers and the times of loads depend on plan and size only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_LOCALMEMORY_H
#define CCL_LIB_SIM_LOCALMEMORY_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

class LocalMemory {
public:
  /// Without `loadStore` there are no loads and stores.
  LocalMemory(const BoundPlan &plan, const Sizing &sizing);

  /// The time when the inputs of \p step of \p rank for \p piece are loaded, relative to the start
  /// of the rank's run.
  SimTime loaded(uint32_t rank, uint32_t step, uint32_t piece) const {
    if (uses.empty() || uses[step].lastLoad == 0)
      return SimTime();
    return loadTime(ranks[rank], uses[step].lastLoad, piece);
  }

  /// The time of the read channel for all loads of \p rank in a run.
  SimTime loadTime(uint32_t rank) const {
    if (uses.empty() || ranks[rank].loads == 0)
      return SimTime();
    return loadTime(ranks[rank], ranks[rank].loads, sizing.pieces - 1);
  }

  /// The time of the write channel for the stores of \p step.
  SimTime storeTime(uint32_t rank, uint32_t step, uint32_t piece) const {
    if (uses.empty() || uses[step].stores == 0)
      return SimTime();
    return requestTime(ranks[rank], sizing.pieceBytes(piece) * uses[step].stores);
  }

private:
  struct Use {
    uint32_t lastLoad = 0; ///< number of loads of the rank that must be complete
    uint32_t stores = 0;   ///< number of chunks to store
  };
  struct Rank {
    SimTime latency; ///< round trip of an empty request
    Bandwidth rate;
    uint32_t firstLoad = 0, loads = 0; ///< range in fullPiece and lastPiece
  };

  void findUses();
  void bindRoutes();
  void addUpLoads(ArrayRef<std::vector<uint32_t>> chunks);
  SimTime requestTime(const Rank &rank, Bytes size) const {
    return rank.latency + transferTime(size, rank.rate);
  }
  SimTime loadTime(const Rank &rank, uint32_t load, uint32_t piece) const;

  const BoundPlan &bound;
  const Sizing &sizing;
  std::vector<Use> uses; ///< by step; empty without loads and stores
  std::vector<Rank> ranks;
  /// The end of the i-th load of a rank, relative to the beginning of its piece.
  std::vector<SimTime> fullPiece, lastPiece;
};

} // namespace cclc

#endif // CCL_LIB_SIM_LOCALMEMORY_H
