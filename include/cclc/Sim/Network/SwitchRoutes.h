//===- SwitchRoutes.h - The routes of multicasts and reductions -*- C++ -*-===//

#ifndef CCL_SIM_NETWORK_SWITCHROUTES_H
#define CCL_SIM_NETWORK_SWITCHROUTES_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Network/RouteTable.h"

namespace cclc {

/// The routes between ranks and the switch that performs the operations of a plan, as numbers of a
/// route table. Empty if the plan does not use switches.
class SwitchRoutes {
public:
  /// Adds the routes of \p plan, whose ranks are at \p endpointOf, to \p routes. Fails if the
  /// switches of the machine do not perform an operation, or if its ranks have no switch in common.
  static FailureOr<SwitchRoutes> create(const ExecPlan &plan, const Machine &machine,
                                        ArrayRef<EndpointId> endpointOf, RouteTable &routes,
                                        DiagnosticEngine &diags);

  bool empty() const { return up.empty(); }
  uint32_t to(RankId rank) const { return *up[rank.index()]; }
  uint32_t from(RankId rank) const { return *down[rank.index()]; }

private:
  std::vector<OptionalIndex> up, down; ///< by rank
};

} // namespace cclc

#endif // CCL_SIM_NETWORK_SWITCHROUTES_H
