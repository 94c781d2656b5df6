//===- Explain.h - Printing the remarks of passes ---------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_EXPLAIN_H
#define CCL_VIEWS_REPORT_EXPLAIN_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Transforms/Pass/Remarks.h"

namespace cclc {

/// Prints the decisions and, by source line of the program, the instructions that were fused and
/// the reasons why others were not.
void printExplanation(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os);
/// The same as one JSON object; docs/CommandGuide/cclc.md documents the keys.
void writeExplanationJson(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_EXPLAIN_H
