//===- EqualRoutes.h - Several equally short routes -------------*- C++ -*-===//

#ifndef CCL_TARGET_EQUALROUTES_H
#define CCL_TARGET_EQUALROUTES_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// Ranks between which messages are sent.
using RankPairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// The text of a warning, with two examples, if messages between \p pairs could take another route
/// of equal length: the choice then depends only on the order of the links in the target.
/// \p endpoints are those of the ranks.
std::optional<std::string> equalRoutesText(const Machine &machine, ArrayRef<EndpointId> endpoints,
                                           const RankPairs &pairs);
/// The same for the messages of \p plan.
std::optional<std::string> equalRoutesText(const Machine &machine, ArrayRef<EndpointId> endpoints,
                                           const ExecPlan &plan);

/// Warns of equal routes between any two of the ranks on \p endpoints. On a large machine, the
/// routes from the first ranks are compared.
void warnOfEqualRoutes(const Machine &machine, ArrayRef<EndpointId> endpoints,
                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TARGET_EQUALROUTES_H
