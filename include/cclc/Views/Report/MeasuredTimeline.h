//===- MeasuredTimeline.h - The timeline of a trace -------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_MEASUREDTIMELINE_H
#define CCL_VIEWS_REPORT_MEASUREDTIMELINE_H

#include "cclc/Views/Report/Timeline.h"

#include <string>

namespace cclc {

/// What `ccl-run --trace` has measured.
struct MeasuredTimeline {
  Bytes bytes;
  SimTime time;
  uint32_t pieces;
  std::string transport;
  /// By threadblock and time, without gaps from 0. A wait for a message has the cause Link, and a
  /// time in which the processor executes something else, Contention.
  std::vector<Timeline::Span> spans;
};

/// Reads the trace \p file of an execution of \p plan.
FailureOr<MeasuredTimeline> readMeasuredTimeline(const std::string &file, const ExecPlan &plan,
                                                 DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_MEASUREDTIMELINE_H
