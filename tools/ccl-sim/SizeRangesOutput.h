//===- SizeRangesOutput.h - Ranges of sizes in results of lint --*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIZERANGESOUTPUT_H
#define CCL_TOOLS_CCL_SIM_SIZERANGESOUTPUT_H

#include "SizeRanges.h"

#include "JsonText.h"

namespace cclc {

/// Prints the tables of several ranges, with gaps and overlaps. \p files has the names of files.
void printSizes(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files, raw_ostream &os);
/// All tables, as docs/CommandGuide/ccl-sim.md documents.
nlohmann::ordered_json sizesJson(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIZERANGESOUTPUT_H
