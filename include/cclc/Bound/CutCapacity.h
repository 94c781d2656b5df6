//===- CutCapacity.h - Rates across cuts of a machine -----------*- C++ -*-===//
//
// A cut divides the nodes of a machine into two sides. The capacity between two sets of endpoints
// is that of the minimum cut between them, which is the maximum flow over the links (Ford and
// Fulkerson).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_CUTCAPACITY_H
#define CCL_BOUND_CUTCAPACITY_H

#include "cclc/Target/Machine.h"

namespace cclc {

/// The present links of a machine as a flow network.
class CutCapacity {
public:
  explicit CutCapacity(const Machine &machine);
  ~CutCapacity();

  /// The capacity from the endpoints inside to those outside: Bandwidth() if it is unlimited, unset
  /// if there is no path. \p sideOf is true for inside, false for outside and unset for endpoints
  /// that are on no side.
  std::optional<Bandwidth> between(ArrayRef<std::optional<bool>> sideOf);

private:
  class FlowNetwork;
  std::unique_ptr<FlowNetwork> network;
};

} // namespace cclc

#endif // CCL_BOUND_CUTCAPACITY_H
