//===- Gate.h - How much worse a plan may become ----------------*- C++ -*-===//
//
// KEY:LIMIT says by how much a figure of the new plan may exceed that of the old one: steps:0,
// channels:+2, messages:5%, time:+2%, time:+100ns. A limit below zero asks for an
// improvement.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_GATE_H
#define CCL_DIFF_GATE_H

#include "cclc/Diff/Figures.h"
#include "cclc/Diff/TimeDiff.h"

namespace cclc::diff {

struct RegressionGate {
  std::string text;             ///< as it was given
  std::optional<Figure> figure; ///< unset: time
  bool relative;
  /// Millionths of the old value, or the unit of the figure; picoseconds of time.
  int64_t limit;
};

/// "time", "steps", ...: what a gate may be about.
std::vector<std::string> gateKeys();

/// Reports what is wrong with it. \p suggest gives " (did you mean ...?)" for a word that is none
/// of some others.
FailureOr<RegressionGate> parseGate(StringRef text,
                                    std::string (*suggest)(StringRef, ArrayRef<std::string>),
                                    DiagnosticEngine &diags);

/// A gate and what came of it; of time once for every size.
struct GateResult {
  const RegressionGate *gate;
  std::optional<Bytes> bytes;
  /// In the unit of the figure; none: the plan completes with no number of slots.
  std::optional<uint64_t> before, after;
  bool tripped;

  /// "steps:0 tripped: steps 120 -> 128, at most 120".
  std::string text() const;
};

std::vector<GateResult> applyGates(ArrayRef<RegressionGate> gates, const Figures &before,
                                   const Figures &after, ArrayRef<TimeDiff> times);

} // namespace cclc::diff

#endif // CCL_DIFF_GATE_H
