//===- LinkBends.h - Bending links around nodes -----------------*- C++ -*-===//
//
// A straight line between the nodes of a link may cross other nodes, such as that of the link that
// closes a ring placed in a row, which would look like links of the row. Such a line is drawn
// beside the row instead.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_MACHINEVIEW_LINKBENDS_H
#define CCL_LIB_VIEWS_MACHINEVIEW_LINKBENDS_H

#include "cclc/Views/MachineView/MachineLayout.h"

namespace cclc {

/// Adds the \c bends of a layout with placed nodes. Lines that are already bent are kept. A line
/// that is clear of other nodes and lines stays straight; any other line gets the nearest clear
/// bend, if there is one. Shorter lines are placed first, and among equal ones that with the
/// smallest number.
void bendLinks(const Machine &machine, MachineLayout &layout);

} // namespace cclc

#endif // CCL_LIB_VIEWS_MACHINEVIEW_LINKBENDS_H
