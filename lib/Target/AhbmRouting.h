//===- AhbmRouting.h - Routes between PEs -----------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_AHBMROUTING_H
#define CCL_LIB_TARGET_AHBMROUTING_H

#include "AhbmLayout.h"

namespace cclc::ahbm {

/// Routes along the row and then along the column, both inside a cube and between cubes, and to
/// another SIP up the column of cubes and over \p between. At every side of a cube, a
/// route uses the connection of its destination PE, so that all data for a PE arrive by the same
/// connection.
std::unique_ptr<Routing> makeRouting(Shape shape, std::vector<Sip> sips, SipLinks between,
                                     ArrayRef<Link> links);

} // namespace cclc::ahbm

#endif // CCL_LIB_TARGET_AHBMROUTING_H
