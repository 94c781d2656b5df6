//===- MeasuredTrace.h - Traces of real executions --------------*- C++ -*-===//
//
// Writes the timeline of an execution in the form of ChromeTrace.h, so that it can be laid beside a
// simulated one: processes for ranks with threads for threadblocks, slices for steps and waits,
// arrows for messages, and counters of slots.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_MEASUREDTRACE_H
#define CCL_VIEWS_REPORT_MEASUREDTRACE_H

#include "cclc/Run/Group.h"
#include "cclc/Views/Report/ChromeTrace.h"

namespace cclc {

/// Writes \p trace, an execution of \p plan with a buffer of \p bytes. \p others writes further
/// timelines at the given place of the same trace.
void writeMeasuredTrace(const run::PreparedPlan &plan, const run::RunTrace &trace, Bytes bytes,
                        ArrayRef<RunSetting> settings,
                        llvm::function_ref<void(raw_ostream &, const TracePart &)> others,
                        raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_MEASUREDTRACE_H
