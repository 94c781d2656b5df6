//===- Explain.h - Why a plan is as it is -----------------------*- C++ -*-===//

#ifndef CCL_REPORT_EXPLAIN_H
#define CCL_REPORT_EXPLAIN_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Pass/Remarks.h"

namespace cclc {

/// What was chosen, and, line by line of the user's program, which instructions were
/// fused and why the others were not.
void printExplanation(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os);
/// The same as one JSON object; docs/CommandGuide/cclc.md documents the keys.
void writeExplanationJson(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_EXPLAIN_H
