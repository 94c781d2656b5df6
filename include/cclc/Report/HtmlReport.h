//===- HtmlReport.h - The HTML performance report ---------------*- C++ -*-===//
//
// One file without any other: the page of assets/report, the charts and the data.
// docs/Report.md says what it shows.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_REPORT_HTMLREPORT_H
#define CCL_REPORT_HTMLREPORT_H

#include "cclc/Report/Timeline.h"
#include "cclc/Semantics/Provenance.h"
#include "cclc/Sim/SimReport.h"

namespace cclc {

/// A plan and its runs, one for each size.
struct ReportedPlan {
  std::string file;
  const BoundPlan &bound;
  SimReport summary;
  /// By size; the smaller ones may be missing.
  std::vector<std::optional<Timeline>> timelines;
  /// By size, what its critical path goes through; none where that was not recorded.
  std::vector<std::vector<Cost>> costs;
  /// What its cells are made of; unset where that is too much to show.
  std::optional<Provenance> provenance;
};

/// Chunks that steps move or reduce, up to which a report has the provenance of cells.
inline constexpr uint64_t maxReportedActions = 1'000'000;

/// Spans in one report: what a browser shows without delay.
inline constexpr size_t maxReportedSpans = 600'000;
/// Takes away the time lines of the smallest sizes, of all plans alike, until what is left
/// has no more than \p maxSpans spans. Those of the last size stay.
void limitTimelines(MutableArrayRef<ReportedPlan> plans, size_t maxSpans = maxReportedSpans);

/// \p plans is one plan, or one and the one that it is compared with, on the same machine and for
/// the same sizes. \p page is the text of share/cclc/report.html; false if it is none.
bool writeHtmlReport(ArrayRef<ReportedPlan> plans, StringRef page, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_HTMLREPORT_H
