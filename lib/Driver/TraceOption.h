//===- TraceOption.h - Simulations that write a trace -----------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_TRACEOPTION_H
#define CCL_LIB_DRIVER_TRACEOPTION_H

#include "cclc/Sim/Engine.h"

namespace cclc {

/// Simulates, and writes what happens to \p path as a Chrome trace, for Perfetto.
FailureOr<SimResult> simulateTraced(StringRef path, const BoundPlan &plan, const Sizing &sizing,
                                    NetworkModel &network, const SimOptions &options,
                                    DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_DRIVER_TRACEOPTION_H
