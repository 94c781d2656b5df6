//===- HtmlReport.h - The HTML performance report ---------------*- C++ -*-===//
//
// A self-contained file with the page of assets/report, the charts and the data. docs/Report.md
// describes it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_HTMLREPORT_H
#define CCL_VIEWS_REPORT_HTMLREPORT_H

#include "cclc/Proof/Provenance.h"
#include "cclc/Sim/SweepResult.h"
#include "cclc/Views/Report/MeasuredTimeline.h"

namespace cclc {

/// A plan and its runs, one for each size.
struct ReportedPlan {
  std::string file;
  const PlanOnMachine &bound;
  SweepResult summary;
  /// By size; those of smaller sizes may be missing.
  std::vector<std::optional<Timeline>> timelines;
  /// By size: the costs on its critical path; empty if not recorded.
  std::vector<std::vector<Cost>> costs;
  /// The provenance of its cells; unset if it is too large to show.
  std::optional<Provenance> provenance;
  /// An execution for one of the sizes.
  std::optional<MeasuredTimeline> measured;
};

/// The maximum number of chunks that steps move or reduce for which a report includes provenance.
inline constexpr uint64_t maxReportedActions = 1'000'000;

/// The maximum number of spans of a report, which a browser can show without delay.
inline constexpr size_t maxReportedSpans = 600'000;
/// Removes the time lines of the smallest sizes, for all plans, until there are at most \p maxSpans
/// spans. Those of the last size are kept.
void limitTimelines(MutableArrayRef<ReportedPlan> plans, size_t maxSpans = maxReportedSpans);

/// \p plans is one plan, or a plan and its baseline, on the same machine and for the same sizes.
/// \p page is the content of share/cclc/report.html; returns false if it is invalid.
bool writeHtmlReport(ArrayRef<ReportedPlan> plans, StringRef page, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_HTMLREPORT_H
