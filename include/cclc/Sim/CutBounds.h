//===- CutBounds.h - Lower bounds from cuts ---------------------*- C++ -*-===//
//
// Data that must cross a cut of the machine take at least their bytes over the capacity of the cut.
// There are cuts around every group of the machine's hierarchy (a SIP, a cube, a node, a PE), in
// each direction, and through its middle; the capacity is the maximum flow over the links (max-flow
// = min-cut, Ford and Fulkerson). If there are more than 64 endpoints, the cut around a single
// endpoint consists of its own links.
//
// Two numbers of bytes are computed for a cut: the bytes that the collective requires for any
// algorithm, counting each chunk and each sum of chunks once, and the bytes that the plan sends.
// The first is a lower bound for every algorithm, the second for the plan. Under `ideal` a plan may
// be faster, because links have no contention.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CUTBOUNDS_H
#define CCL_SIM_CUTBOUNDS_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

/// A cut for one message size.
struct CutBound {
  std::string cut;    ///< "out of sip 1", "into cube 3 of sip 0"
  std::optional<Bandwidth> capacity; ///< capacity of all its links; unset: there is no path
  Bytes necessary;                   ///< that every algorithm moves over it
  Bytes planned;                     ///< that this plan moves over it
  SimTime least;                     ///< lower bound for `necessary`; without a path SimTime::max()
  SimTime leastPlanned;
};

class CutBounds {
public:
  /// Computes the bounds for \p network; there are none under `ideal`, because links have no
  /// contention.
  CutBounds(const BoundPlan &plan, StringRef network);

  /// All cuts with traffic, in descending order of `least`, then by `leastPlanned`, then by name.
  std::vector<CutBound> of(const Sizing &sizing) const;
  /// The first of these, if its bound is not zero.
  std::optional<CutBound> tightest(const Sizing &sizing) const;

private:
  struct Cut {
    std::string name;
    std::optional<Bandwidth> capacity;
    uint64_t necessary = 0, planned = 0; ///< chunks
  };
  std::vector<Cut> cuts;
  uint64_t chunksOfBuffer;
};

} // namespace cclc

#endif // CCL_SIM_CUTBOUNDS_H
