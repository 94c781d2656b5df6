//===- Gate.h - Limits on regressions ---------------------------*- C++ -*-===//
//
// A gate KEY:LIMIT limits the increase of a figure from the old plan to the new one: steps:0,
// channels:+2, messages:5%, time:+2%, time:+100ns. A negative limit requires an improvement.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_GATE_H
#define CCL_DIFF_GATE_H

#include "cclc/Diff/Figures.h"
#include "cclc/Diff/TimeDiff.h"

namespace cclc::diff {

struct RegressionGate {
  std::string text;             ///< as given by the user
  std::optional<Figure> figure; ///< unset for time
  bool relative;
  /// In millionths of the old value, or in the unit of the figure; picoseconds for time.
  int64_t limit;
};

/// The valid keys: "time", "steps", ...
std::vector<std::string> gateKeys();

/// Parses a gate and reports errors.
FailureOr<RegressionGate> parseGate(StringRef text, DiagnosticEngine &diags);

/// The result of a gate; for time, there is one per size.
struct GateResult {
  const RegressionGate *gate;
  std::optional<Bytes> bytes;
  /// In the unit of the figure; none if the plan completes with no number of slots.
  std::optional<uint64_t> before, after;
  bool tripped;
  /// " of f16 on ring"; empty unless there are times of several machines or types.
  std::string where = {};

  /// "steps:0 tripped: steps 120 -> 128, at most 120".
  std::string text() const;
};

std::vector<GateResult> applyGates(ArrayRef<RegressionGate> gates, const Figures &before,
                                   const Figures &after, ArrayRef<TimeDiff> times);

} // namespace cclc::diff

#endif // CCL_DIFF_GATE_H
