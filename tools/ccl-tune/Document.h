//===- Document.h - Common parts of the tuner's documents -------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_DOCUMENT_H
#define CCL_TOOLS_CCL_TUNE_DOCUMENT_H

#include "TunedPlans.h"

#include "JsonText.h"

namespace cclc {

/// The machine and the conditions, which all collectives of a run share.
inline nlohmann::ordered_json conditionsOf(ArrayRef<TunedPlans> tuned) {
  const TuneProblem &problem = tuned.front().problem;
  return {{"target", problem.machine.stamp.name},
          {"settings", problem.machine.stamp.settings},
          {"network", problem.network},
          {"dtype", dataTypeName(problem.type).str()}};
}

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_DOCUMENT_H
