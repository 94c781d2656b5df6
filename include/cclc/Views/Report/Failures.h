//===- Failures.h - Bounds without one part of a machine --------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_FAILURES_H
#define CCL_VIEWS_REPORT_FAILURES_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Target/MachineParts.h"

namespace cclc {

/// The parts of a class: without any one of them, the bounds are equal.
struct FailureRow {
  std::vector<std::string> parts; ///< the bound is computed without the first
  /// The time is SimTime::max() if there is no plan, and the witness is the reason.
  SizeBound bound;
  std::vector<std::string> relays; ///< endpoints without a rank that routes pass
};

struct FailureTable {
  std::string target, network;
  Collective collective;
  PartKind without = PartKind::Link;
  bool relays = true; ///< whether routes may pass endpoints without a rank
  Bytes bytes;
  SizeBound before;
  std::vector<FailureRow> rows; ///< the longest times first
};

void printFailures(const FailureTable &table, raw_ostream &os);
/// docs/CommandGuide/ccl-bound.md documents the keys.
void writeFailuresJson(const FailureTable &table, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_FAILURES_H
