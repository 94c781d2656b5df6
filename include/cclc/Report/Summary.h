//===- Summary.h - A simulation in text and in JSON -------------*- C++ -*-===//

#ifndef CCL_REPORT_SUMMARY_H
#define CCL_REPORT_SUMMARY_H

#include "cclc/Sim/SimReport.h"

namespace cclc {

/// For people: what is run and the head of a table, a row of it for each size, and where the
/// time of the last one went. Columns have one width, so that a row needs no others.
void printHead(const SimReport &report, const BoundPlan &plan, raw_ostream &os);
void printRow(const SizeReport &size, raw_ostream &os);
void printDetails(const SimReport &report, const BoundPlan &plan, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeJson(const SimReport &report, const BoundPlan &plan, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_SUMMARY_H
