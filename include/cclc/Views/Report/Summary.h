//===- Summary.h - A simulation in text and in JSON -------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_SUMMARY_H
#define CCL_VIEWS_REPORT_SUMMARY_H

#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// Text output: a heading and the head of a table, a row for each size, and the details of the last
/// size. Columns have fixed widths, so that rows can be printed one by one. \p info is that of the
/// plan of all ranks, of which \p plan may be the fold.
void printHead(const SweepResult &report, const ProgramInfo &info, const PlanOnMachine &plan,
               raw_ostream &os);
void printRow(const SizeResult &size, raw_ostream &os);
void printDetails(const SweepResult &report, const PlanOnMachine &plan, raw_ostream &os);
/// Prints the advice for the last size: time, gain and option of each change, with its cause.
void printAdvice(const SweepResult &report, raw_ostream &os);
/// Writes the report as JSON; docs/CommandGuide/ccl-sim.md documents the keys.
void writeJson(const SweepResult &report, const PlanOnMachine &plan, raw_ostream &os);

/// The critical path alone: its causes, source lines and segments, with times after \p start.
/// \p title begins the heading.
void printPath(const SizeResult &size, ShownPlan plan, StringRef title, SimTime start,
               raw_ostream &os);
void writePathJson(const SizeResult &size, ShownPlan plan, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_SUMMARY_H
