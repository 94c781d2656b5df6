//===- PeakTable.h - What no plan beats on a machine ------------*- C++ -*-===//
//
// The work of ccl-bound without a collective, or with measured times: the lower bounds of all
// collectives on the ranks of one node, of two nodes, and on all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_PEAKTABLE_H
#define CCL_TOOLS_PEAKTABLE_H

#include "cclc/IR/CollectiveNames.h"
#include "cclc/Target/RankSelection.h"
#include "cclc/Views/Report/Peak.h"

#include <functional>

namespace cclc {

struct PeakRequest {
  /// Without a number of ranks, a target of one node that has no fixed size gets a second one.
  RankRequest ranks;
  std::optional<CollectiveKind> collective; ///< unset: all; or the one that was measured
  std::optional<std::string> network;       ///< unset: that of the target
  uint64_t bytes = uint64_t(1) << 30;
  std::optional<std::string> measured; ///< an output of nccl-tests or OSU
  std::function<void(StringRef)> onStage;
};

std::optional<PeakTable> findPeak(const PeakRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_PEAKTABLE_H
