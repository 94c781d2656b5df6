//===- AhbmRouting.h - Routes between PEs -----------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_AHBMROUTING_H
#define CCL_LIB_TARGET_AHBMROUTING_H

#include "AhbmLayout.h"

namespace cclc::ahbm {

/// Inside a cube along the row and then along the column; from cube to cube in the
/// same way; to another SIP up the column of cubes and over the switch \p fabric. Of every
/// side that it passes a flow takes the connection in the row (column) of its
/// destination, so that everything for a PE comes in by the same one.
std::unique_ptr<Routing> makeRouting(Shape shape, std::vector<Sip> sips, NodeId fabric,
                                     ArrayRef<Link> links);

} // namespace cclc::ahbm

#endif // CCL_LIB_TARGET_AHBMROUTING_H
