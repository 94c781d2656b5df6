//===- Comparison.h - The differences of two plans --------------*- C++ -*-===//

#ifndef CCLC_API_COMPARISON_H
#define CCLC_API_COMPARISON_H

#include "cclc/Tools/Api/Plan.h"

namespace cclc::api {

/// A difference in the terms of the algorithm.
struct Difference {
  std::string aspect; ///< "attribute", "transfer", "reduction", "step", ...
  std::optional<uint32_t> rank;
  std::string subject;       ///< "protocol", "tb1 step 3 (rrc)", ...
  std::string before, after; ///< empty if missing
};

/// The times of both plans.
struct TimeChange {
  std::string target, type;
  uint64_t bytes = 0;
  int64_t before = 0, after = 0; ///< in picoseconds
};

/// A gate; gates of times have a result for each time.
struct GateResult {
  std::string gate; ///< "time:+2%"
  bool tripped = false;
  std::string text; ///< with both values
};

struct Comparison {
  /// False if the plans are of different collectives or numbers of ranks.
  bool comparable = true;
  /// Whether the plans are equal up to a renumbering of threadblocks and channels.
  bool equivalent = true;
  std::string verdict; ///< one line
  /// Whether the comparison succeeds as a check: exit code 0 of ccl-diff.
  bool passes = true;
  std::vector<Difference> differences;
  std::vector<TimeChange> times;
  std::vector<GateResult> gates;
  std::string summary; ///< in Markdown, as ccl-diff --summary writes it
  Report report;       ///< of ccl-diff
};

/// Compares two plans, without a machine and gates.
Comparison diff(const Plan &before, const Plan &after);

} // namespace cclc::api

#endif // CCLC_API_COMPARISON_H
