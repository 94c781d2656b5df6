//===- Provenance.h - The provenance of a cell ------------------*- C++ -*-===//

#ifndef CCLC_API_PROVENANCE_H
#define CCLC_API_PROVENANCE_H

#include "cclc/Tools/Api/Report.h"
#include "cclc/Tools/Api/Result.h"

#include <cstdint>

namespace cclc::api {

/// The final value of a cell under one placement of the plan.
struct CellValue {
  std::string placement; ///< "in_place" or "out_of_place"
  std::string value;     ///< the order of its reduction, truncated after 64 initial chunks
  uint64_t initialChunks = 0, reductions = 0, messages = 0; ///< distinct ones
};

/// From which initial chunks, and by which steps, a cell gets its value.
struct Provenance {
  std::string verdict;           ///< of the plan, as in Proof
  std::vector<CellValue> values; ///< none after a deadlock
  std::vector<Message> messages; ///< the counter-example, if the plan is wrong
  Report report;                 ///< of ccl-sim why: its JSON has all steps
};

} // namespace cclc::api

#endif // CCLC_API_PROVENANCE_H
