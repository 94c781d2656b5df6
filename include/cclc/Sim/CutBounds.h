//===- CutBounds.h - Times that no schedule can beat ------------*- C++ -*-===//
//
// What has to cross a cut of the machine takes at least its bytes over the capacity
// of the cut. Cuts are drawn around every group of the machine's hierarchy (a SIP, a
// cube, a node, a PE), in each direction, and through its middle; the capacity is the
// largest flow that the links let through (max-flow = min-cut, Ford and Fulkerson).
// Single endpoints of more than 64 are cut off at their own links.
//
// Two numbers of bytes cross a cut: what the collective makes necessary whatever the
// algorithm is, counting each chunk and each sum of chunks once, and what the plan
// sends. The first bounds the time of every algorithm, the second that of the plan.
// Under `ideal` a plan may be faster, because links are not shared.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CUTBOUNDS_H
#define CCL_SIM_CUTBOUNDS_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

/// A cut for one message size.
struct CutBound {
  std::string cut;    ///< "out of sip 1", "into cube 3 of sip 0"
  Bandwidth capacity; ///< of all links together
  Bytes necessary;    ///< that any algorithm moves over it
  Bytes planned;      ///< that this plan moves over it
  SimTime least;      ///< for what is necessary
  SimTime leastPlanned;
};

class CutBounds {
public:
  /// Under \p network; there are none under `ideal`, because links are not shared.
  CutBounds(const BoundPlan &plan, StringRef network);

  /// Every cut that something crosses, the one with the largest `least` first, then by
  /// `leastPlanned`, then by name.
  std::vector<CutBound> of(const Sizing &sizing) const;
  /// The first of these, if it takes any time.
  std::optional<CutBound> tightest(const Sizing &sizing) const;

private:
  struct Cut {
    std::string name;
    Bandwidth capacity;
    uint64_t necessary = 0, planned = 0; ///< chunks
  };
  std::vector<Cut> cuts;
  uint64_t chunksOfBuffer;
};

} // namespace cclc

#endif // CCL_SIM_CUTBOUNDS_H
