//===- SizeVerifier.h - Deadlock freedom by buffer size ---------*- C++ -*-===//
//
// The number of transmissions of a step, each of which takes a slot, grows with the size of a
// chunk, so a plan that completes with small buffers may deadlock with large ones. This depends
// only on the number of chunks of a transmission, so there is one proof for each such number. If
// each step is one transmission, the proof of the plan applies. A size without a proof is not
// simulated (rule 3).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_SIZEVERIFIER_H
#define CCL_SIM_SIZEVERIFIER_H

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Sim/PlacedPlan.h"

#include <map>
#include <set>

namespace cclc {

/// The capacity of a transmission.
struct TransmissionSize {
  Bytes payload;
  uint32_t maxChunks;
};

/// The fewest chunks of a transmission, at least \p fewest, with which \p plan completes; the
/// largest count if it completes with none. A plan that completes with some number completes with
/// every larger one, too.
uint32_t fewestSafeChunks(const PlacedPlan &plan, uint32_t fewest);

class SizeVerifier {
public:
  /// If \p size is unset, no step is split. \p slotsNeeded is the number of slots that the plan
  /// needs without splitting.
  SizeVerifier(const ExecPlan &plan, const ConnectionTable &connections, Slots slots,
               std::optional<TransmissionSize> size, std::optional<uint32_t> slotsNeeded);
  SizeVerifier(const PlacedPlan &placed, std::optional<uint32_t> slotsNeeded);

  struct Proof {
    std::optional<uint32_t> slotsNeeded; ///< none: it deadlocks even with unlimited slots
    bool safe;                           ///< whether it completes with the slots of the bound plan
  };
  const Proof &prove(const Sizing &sizing) { return prove(sizing.chunksPerTransmission); }

  /// The largest buffer of elements of \p elementBytes such that it and all smaller ones are safe;
  /// unset if all sizes are. A buffer that is safe with the largest elements is safe with all.
  std::optional<Bytes> largestSafe(uint64_t elementBytes);

  /// Reports an unsafe size; the cyclic wait only when it occurs for the first time.
  void report(const Sizing &sizing, DiagnosticEngine &diags);

private:
  const Proof &prove(uint32_t chunksPerTransmission);
  Proof proofOf(std::optional<uint32_t> slotsNeeded) const;
  PlanControlFlow &runnerFor(uint32_t chunks);
  bool isSafe(uint32_t chunks);

  const ExecPlan &plan;
  const ConnectionTable &connections;
  Slots slots;
  std::optional<TransmissionSize> size;
  uint32_t maxCount;
  std::optional<PlanControlFlow> runner; ///< created when a step is split
  std::map<uint32_t, Proof> proofs;      ///< by chunks of a transmission
  std::set<uint32_t> reported;
};

} // namespace cclc

#endif // CCL_SIM_SIZEVERIFIER_H
