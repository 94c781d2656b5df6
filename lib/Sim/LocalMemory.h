//===- LocalMemory.h - Loads of inputs and stores of results ----*- C++ -*-===//
//
// On machines that say so, inputs and results live in the memory of each PE, and
// a plan works in the PE. The DMA engine has a read and a write channel, each of
// which holds one request for its whole way to the memory and back:
//
//   * from the start of a run on, the read channel loads what the rank reads before
//     anyone has written it, in the order of first use, piece after piece;
//   * the step that writes an output for the last time hands it to the write
//     channel.
//
// Which step that is, and when a load ends, follows from plan and size alone.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_LOCALMEMORY_H
#define CCL_LIB_SIM_LOCALMEMORY_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

class LocalMemory {
public:
  /// Nothing is loaded or stored unless the machine says so.
  LocalMemory(const BoundPlan &plan, const Sizing &sizing);

  /// When what \p step of \p rank reads for \p piece is there, counted from the
  /// start of the rank's run.
  SimTime loaded(uint32_t rank, uint32_t step, uint32_t piece) const {
    if (uses.empty() || uses[step].lastLoad == 0)
      return SimTime();
    return loadTime(ranks[rank], uses[step].lastLoad, piece);
  }

  /// How long the write channel needs for what \p step hands to it.
  SimTime storeTime(uint32_t rank, uint32_t step, uint32_t piece) const {
    if (uses.empty() || uses[step].stores == 0)
      return SimTime();
    return requestTime(ranks[rank], sizing.pieceBytes(piece) * uses[step].stores);
  }

private:
  struct Use {
    uint32_t lastLoad = 0; ///< number of loads of the rank that must be done before
    uint32_t stores = 0;   ///< chunks
  };
  struct Rank {
    SimTime latency; ///< of an empty request, there and back
    Bandwidth rate;
    uint32_t firstLoad = 0, loads = 0; ///< in fullPiece and lastPiece
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
  std::vector<Use> uses; ///< by step; empty when nothing is loaded or stored
  std::vector<Rank> ranks;
  /// When the i-th load of a rank is done, from the beginning of its piece.
  std::vector<SimTime> fullPiece, lastPiece;
};

} // namespace cclc

#endif // CCL_LIB_SIM_LOCALMEMORY_H
