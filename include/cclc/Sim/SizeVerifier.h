//===- SizeVerifier.h - At which sizes a plan is safe -----------*- C++ -*-===//
//
// With a protocol, the number of transmissions of a step, each of which takes a
// slot, grows with the size of a chunk: a plan that completes with small buffers
// may deadlock with large ones. Only the number of chunks that a transmission
// holds matters, so there is one proof for each such number. That of a step in one
// transmission is the proof of the plan. Without it nothing is simulated (rule 3).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_SIZEVERIFIER_H
#define CCL_SIM_SIZEVERIFIER_H

#include "cclc/Semantics/PlanRunner.h"
#include "cclc/Sim/BoundPlan.h"

#include <map>
#include <set>

namespace cclc {

/// What one transmission holds.
struct TransmissionSize {
  Bytes payload;
  uint32_t maxChunks;
};

class SizeVerifier {
public:
  /// \p size unset: no step is split. \p slotsNeeded is what the plan needs whose steps are not
  /// split.
  SizeVerifier(const ExecPlan &plan, const ConnectionTable &connections, Slots slots,
               std::optional<TransmissionSize> size, std::optional<uint32_t> slotsNeeded);
  SizeVerifier(const BoundPlan &bound, std::optional<uint32_t> slotsNeeded);

  struct Proof {
    std::optional<uint32_t> slotsNeeded; ///< none: not even unlimited ones are enough
    bool safe;                           ///< with the slots of the bound plan
  };
  const Proof &prove(const Sizing &sizing) { return prove(sizing.chunksPerTransmission); }

  /// The largest buffer of elements of \p elementBytes that is safe with all smaller ones; unset:
  /// all are. One that is safe with the largest elements is safe with all.
  std::optional<Bytes> largestSafe(uint64_t elementBytes);

  /// Reports a size that is not safe; the circle of waits only the first time that
  /// it comes up.
  void report(const Sizing &sizing, DiagnosticEngine &diags);

private:
  const Proof &prove(uint32_t chunksPerTransmission);
  Proof proofOf(std::optional<uint32_t> slotsNeeded) const;
  PlanRunner &runnerFor(uint32_t chunks);
  bool isSafe(uint32_t chunks);

  const ExecPlan &plan;
  const ConnectionTable &connections;
  Slots slots;
  std::optional<TransmissionSize> size;
  uint32_t maxCount;
  std::optional<PlanRunner> runner; ///< made when a step is split
  std::map<uint32_t, Proof> proofs; ///< by chunks of a transmission
  std::set<uint32_t> reported;
};

} // namespace cclc

#endif // CCL_SIM_SIZEVERIFIER_H
