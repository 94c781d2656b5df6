//===- SizeSimulation.h - A proved plan, simulated for one size -*- C++ -*-===//

#ifndef CCL_SIM_SIZESIMULATION_H
#define CCL_SIM_SIZESIMULATION_H

#include "cclc/Sim/Engine.h"
#include "cclc/Sim/SizeVerifier.h"

namespace cclc {

struct SizedRun {
  Sizing sizing;
  SimResult result;
};

/// The sizing of \p bytes. Fails if it does not fit into the memories of the machine, or could
/// deadlock.
FailureOr<Sizing> proveSize(const BoundPlan &bound, SizeVerifier &verifier, Bytes bytes,
                            DataType type, DiagnosticEngine &diags);

/// Simulates a size that was proved. Fails if it takes longer than the clock counts.
FailureOr<SimResult> simulateProved(const BoundPlan &bound, const Sizing &sizing, StringRef network,
                                    const SimOptions &options, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SIM_SIZESIMULATION_H
