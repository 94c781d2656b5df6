//===- TraceOption.h - Simulating with a trace ------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_TRACEOPTION_H
#define CCL_TOOLS_CCL_SIM_TRACEOPTION_H

#include "cclc/Views/Report/RunSettings.h"

namespace cclc {

/// Simulates, and writes the events to \p path as a Chrome/Perfetto trace.
FailureOr<SimResult> simulateTraced(StringRef path, ArrayRef<RunSetting> settings,
                                    const BoundPlan &plan, const Sizing &sizing,
                                    NetworkModel &network, const SimOptions &options,
                                    DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_TRACEOPTION_H
