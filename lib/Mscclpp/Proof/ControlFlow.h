//===- ControlFlow.h - The control flow of a launch -------------*- C++ -*-===//
//
// Runs every threadblock as far as signals, semaphores, barriers and packets allow, repeatedly,
// until all are complete or all are blocked. Neither data nor times are computed.
//
// An operation that can execute stays executable, so the order does not matter: a run that
// completes has visited the operations in an order in which each follows the events that it waits
// for, and a blocked run proves that the plan can deadlock. If several threadblocks take from one
// counter in no fixed order, the assignment of signals depends on the interleaving; then a
// threadblock continues only when there are enough signals for all takes of the other threadblocks
// as well.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_CONTROLFLOW_H
#define CCL_LIB_MSCCLPP_PROOF_CONTROLFLOW_H

#include "Cells.h"
#include "cclc/Mscclpp/Proof/Completion.h"
#include "cclc/Mscclpp/Proof/Counters.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc::mscclpp {

class ControlFlow {
public:
  ControlFlow(const Plan &plan, const CellMap &cells, const Counters &counters);

  /// The operations of a launch in an order in which they can complete, or an error with the cyclic
  /// wait. \p contested marks the counters whose takes have no fixed order.
  FailureOr<std::vector<Completed>> run(const std::vector<bool> &contested,
                                        DiagnosticEngine &diags);

private:
  struct ThreadblockState {
    uint32_t next, end;
    bool queued = false;
    /// The arrivals that end the wait at the current barrier; 0 if there is none.
    uint32_t arrivalsNeeded = 0;
  };
  /// The condition that a threadblock waits for.
  struct Blockage {
    enum class Reason { Counter, Packet, Barrier } reason;
    uint64_t what; ///< a counter, a cell, a barrier
  };

  void enqueue(uint32_t threadblock);
  void wake(std::vector<uint32_t> &waiting);
  void advance(uint32_t threadblock, std::vector<Completed> &order);
  std::optional<Blockage> blockage(uint32_t threadblock) const;
  /// What \p threadblock waits for, in words.
  std::string awaited(uint32_t threadblock, const Blockage &blockage) const;
  std::optional<uint32_t> helper(const Blockage &blockage) const;
  DiagnosticEngine::InFlight reportDeadlock(DiagnosticEngine &diags) const;

  const Plan &plan;
  const CellMap &cells;
  const Counters &counters;
  std::vector<ThreadblockState> states;
  std::vector<uint32_t> ready;                ///< threadblocks that may be able to continue
  std::vector<uint32_t> given, taken;         ///< by counter
  llvm::DenseMap<uint64_t, uint32_t> takenBy; ///< by contested counter and threadblock
  std::vector<bool> contested;
  std::vector<uint32_t> arrivals; ///< by barrier
  std::vector<bool> written;      ///< by cell: whether it has a packet of this launch
  /// Threadblocks to wake: by counter, then by barrier; by cell.
  std::vector<std::vector<uint32_t>> waiting;
  llvm::DenseMap<uint64_t, std::vector<uint32_t>> waitingForPacket;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_CONTROLFLOW_H
