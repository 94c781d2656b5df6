//===- LocalMemory.h - Loads of inputs and stores of results ----*- C++ -*-===//
//
// On machines with `loadStore`, inputs and results are in the HBM of each PE, and a plan operates
// inside the PE. The DMA engine has a read and a write channel, each of which processes one request
// at a time, including its route to the memory and back:
//
//   * from the start of a run, the read channel loads the cells that the rank reads before they are
//     written, in the order of first use, piece after piece;
//   * the last writer of an output issues its store to the write channel.
//
// The requests depend on plan and size only. Their times depend on the other accesses to the
// memories of the PE.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_LOCALMEMORY_H
#define CCL_LIB_SIM_LOCALMEMORY_H

#include "MachineShare.h"

#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

class LocalMemory {
public:
  /// Without `loadStore` there are no loads and stores.
  LocalMemory(const PlacedPlan &plan, const Sizing &sizing);

  /// The number of loads of \p rank that must be complete before \p step can begin for \p piece,
  /// since the start of the rank's run.
  uint64_t loadsBefore(uint32_t rank, uint32_t step, uint32_t piece) const {
    if (uses.empty() || uses[step].lastLoad == 0)
      return 0;
    return uint64_t(piece) * ranks[rank].loads + uses[step].lastLoad;
  }

  /// The number of loads of \p rank in a run, and the size of each.
  uint64_t loads(uint32_t rank) const {
    return uses.empty() ? 0 : uint64_t(sizing.pieces) * ranks[rank].loads;
  }
  Bytes loadSize(uint32_t rank, uint64_t load) const {
    return sizing.pieceBytes(load / ranks[rank].loads) *
           chunks[ranks[rank].firstLoad + load % ranks[rank].loads];
  }

  /// The size of the results that \p step stores.
  Bytes storeSize(uint32_t step, uint32_t piece) const {
    return uses.empty() ? Bytes() : sizing.pieceBytes(piece) * uses[step].stores;
  }

  /// When the data of a load of \p rank that begins at \p from arrive at \p pe, and when data that
  /// arrive there at \p arrival are in TCM (rule 57).
  SimTime load(uint32_t rank, Pe &pe, SimTime from, Bytes size) const;
  SimTime keep(uint32_t rank, Pe &pe, SimTime arrival, Bytes size) const;
  /// The end of a store that begins at \p from.
  SimTime store(uint32_t rank, Pe &pe, SimTime from, Bytes size) const;

private:
  struct Use {
    uint32_t lastLoad = 0; ///< number of loads of the rank that must be complete
    uint32_t stores = 0;   ///< number of chunks to store
  };
  struct Rank {
    SimTime latency; ///< of the route to the memory, and of that back
    SimTime latencyBack;
    Bandwidth rate;
    uint32_t firstLoad = 0, loads = 0; ///< range in chunks
  };

  void findUses();
  void chooseRoutes();

  const PlacedPlan &placed;
  const Sizing &sizing;
  std::vector<Use> uses; ///< by step; empty without loads and stores
  std::vector<Rank> ranks;
  std::vector<uint32_t> chunks; ///< of each load of a piece, by rank
};

} // namespace cclc

#endif // CCL_LIB_SIM_LOCALMEMORY_H
