//===- Report.h - A comparison as text, JSON or annotations -----*- C++ -*-===//

#ifndef CCL_DIFF_REPORT_H
#define CCL_DIFF_REPORT_H

#include "cclc/Diff/Differences.h"
#include "cclc/Diff/Gate.h"

namespace cclc::diff {

/// Everything that ccl-diff has to say.
struct DiffReport {
  std::string oldName, newName;
  const PlanDiff &diff;
  bool strict = false;
  TargetStamp target; ///< of the times
  DataType type = DataType::F32;
  std::vector<TimeDiff> times;
  std::vector<GateResult> gates;

  bool differs() const { return !diff.equivalent() || (strict && !diff.numbering.empty()); }
  bool trips() const;
};

/// Writes text: the verdict, then every aspect, with equal entries of several ranks in one line and
/// a limited number of lines. In colour if \p os has colours.
void writeText(const DiffReport &report, raw_ostream &os);
/// For programs: everything, an entry a line; docs/CommandGuide/ccl-diff.md documents the keys.
void writeJson(const DiffReport &report, raw_ostream &os);
/// For GitHub Actions: tripped gates and a plan that is not proved as errors, differences as
/// warnings, at the source lines.
/// With \p gatesOnly differences are notices.
void writeGithub(const DiffReport &report, bool gatesOnly, raw_ostream &os);

} // namespace cclc::diff

#endif // CCL_DIFF_REPORT_H
