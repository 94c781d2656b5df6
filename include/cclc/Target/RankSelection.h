//===- RankSelection.h - The endpoints of ranks -----------------*- C++ -*-===//

#ifndef CCL_TARGET_RANKSELECTION_H
#define CCL_TARGET_RANKSELECTION_H

#include "cclc/Target/Loader.h"

namespace cclc {

struct RankRequest {
  TargetRequest target; ///< without a number of ranks
  /// Unset: as many as the mapper selects.
  std::optional<uint32_t> ranks = {};
  /// The endpoints of the ranks; empty: the first ones of \c mapper.
  std::vector<uint32_t> endpoints = {};
  Mapper mapper = Mapper::AllPes;
  /// Whether routes may pass endpoints without a rank. If not, all links of these are off.
  bool relays = true;
};

/// A machine and the endpoint of each rank on it.
struct SelectedRanks {
  Machine machine;
  std::vector<EndpointId> endpoints;
  TargetRequest target; ///< by which the machine was loaded
};

/// Fails if \p machine has no levels among which \p mapper could select.
LogicalResult checkMapper(const Machine &machine, Mapper mapper, DiagnosticEngine &diags);

/// Loads the machine, large enough for the ranks. Fails if it has not enough endpoints.
FailureOr<SelectedRanks> selectRanks(const RankRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TARGET_RANKSELECTION_H
