//===- DiffResult.h - A comparison as text, JSON or annotations --*- C++ -*-===//

#ifndef CCL_DIFF_DIFFRESULT_H
#define CCL_DIFF_DIFFRESULT_H

#include "cclc/Diff/Differences.h"
#include "cclc/Diff/Gate.h"
#include "cclc/Support/Junit.h"

namespace cclc::diff {

/// The complete result of ccl-diff.
struct DiffResult {
  std::string oldName, newName;
  const PlanDiff &diff;
  bool strict = false;
  std::vector<TargetStamp> targets; ///< those of the times
  std::vector<DataType> types;
  std::vector<TimeDiff> times;
  std::vector<GateResult> gates;
  /// The name of a plan of MSCCL++ that was converted to one of steps, as the other plan is.
  std::optional<std::string> converted = {};

  bool differs() const { return !diff.equivalent() || (strict && !diff.numbering.empty()); }
  bool trips() const;
  /// Whether the comparison fails: for the differences, unless \p gatesOnly, for a gate, or because
  /// the new plan is not proved or not comparable.
  bool fails(bool gatesOnly) const;
};

/// The sentence about DiffResult::converted.
std::string conversionNote(StringRef name);
/// Writes text: the verdict, then the differences by aspect, with equal entries of several ranks in
/// one line and a limited number of lines. In colour if \p os supports colours.
void writeText(const DiffResult &report, raw_ostream &os);
/// Writes only the differences of this text; nothing if there are none.
void writeDifferences(const DiffResult &report, raw_ostream &os);
/// Writes all differences as JSON, one per line; docs/CommandGuide/ccl-diff.md documents the keys.
void writeJson(const DiffResult &report, raw_ostream &os);
/// Writes annotations for GitHub Actions at the source lines: errors for tripped gates and for a
/// plan that fails verification, warnings for differences, or notices with \p gatesOnly.
void writeGithub(const DiffResult &report, bool gatesOnly, raw_ostream &os);
/// Adds test cases: the proof, the comparison, whose failure lists the differences, and each gate.
void addTests(const DiffResult &report, bool gatesOnly, JunitSuite &suite);
/// Writes a summary in Markdown: the verdict, folded differences, and tables of times and gates.
void writeMarkdown(const DiffResult &report, raw_ostream &os);

} // namespace cclc::diff

#endif // CCL_DIFF_DIFFRESULT_H
