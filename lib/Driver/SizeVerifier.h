//===- SizeVerifier.h - At which sizes a plan is safe -----------*- C++ -*-===//
//
// With a protocol, the number of transmissions of a step, each of which takes a
// slot, grows with the size of a chunk: a plan that completes with small buffers
// may deadlock with large ones. Only the number of chunks that a transmission
// holds matters, so there is one proof for each such number. That of a step in one
// transmission is the proof of the plan.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DRIVER_SIZEVERIFIER_H
#define CCL_LIB_DRIVER_SIZEVERIFIER_H

#include "cclc/Semantics/PlanRunner.h"
#include "cclc/Sim/BoundPlan.h"

#include <map>

namespace cclc {

class SizeVerifier {
public:
  /// \p slotsNeeded is what the plan needs whose steps are not split.
  SizeVerifier(const BoundPlan &bound, std::optional<uint32_t> slotsNeeded);

  struct Proof {
    std::optional<uint32_t> slotsNeeded; ///< none: not even unlimited ones are enough
    bool safe;                           ///< with the slots of the bound plan
  };
  const Proof &prove(const Sizing &sizing) { return prove(sizing.chunksPerTransmission); }

  /// The largest buffer that is safe with all smaller ones; unset: all are.
  std::optional<Bytes> largestSafe(DataType type);

  /// Reports a size that is not safe; the circle of waits only the first time that
  /// it comes up.
  void report(const Sizing &sizing, DiagnosticEngine &diags);

private:
  const Proof &prove(uint32_t chunksPerTransmission);
  Proof proofOf(std::optional<uint32_t> slotsNeeded) const;
  PlanRunner &runnerFor(uint32_t chunks);

  const BoundPlan &bound;
  std::optional<PlanRunner> runner; ///< made when a step is split
  std::map<uint32_t, Proof> proofs; ///< by chunks of a transmission
  std::map<uint32_t, bool> reported;
};

} // namespace cclc

#endif // CCL_LIB_DRIVER_SIZEVERIFIER_H
