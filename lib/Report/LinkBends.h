//===- LinkBends.h - Links that are not drawn straight ----------*- C++ -*-===//
//
// A straight line between the nodes of a link may lead over nodes that the link
// does not pass, as that of the link that closes a ring placed in a row. Such a
// line looks like links of the row: it is drawn beside the row instead.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_REPORT_LINKBENDS_H
#define CCL_LIB_REPORT_LINKBENDS_H

#include "MachineLayout.h"

namespace cclc {

/// Completes \c bends of a layout whose nodes have their places. Lines that are bent already
/// stay as they are. A line that is clear of other nodes and of other lines stays straight;
/// each other one gets the nearest bend that is, if there is one. The shortest come first, and
/// of equals the one with the smallest number.
void bendLinks(const Machine &machine, MachineLayout &layout);

} // namespace cclc

#endif // CCL_LIB_REPORT_LINKBENDS_H
