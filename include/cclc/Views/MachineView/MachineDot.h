//===- MachineDot.h - Machines as graphs for graphviz -----------*- C++ -*-===//

#ifndef CCL_VIEWS_MACHINEVIEW_MACHINEDOT_H
#define CCL_VIEWS_MACHINEVIEW_MACHINEDOT_H

#include "cclc/Target/Machine.h"

namespace cclc {

/// Draws the nodes and links of a machine, with a colour for each rate, frames around groups and
/// the highest tier on top. If it has more than \p limit nodes, a group is one box, and an edge has
/// the number and the total rate of the links between two boxes.
void writeDot(const Machine &machine, raw_ostream &os, uint32_t limit = 300);

} // namespace cclc

#endif // CCL_VIEWS_MACHINEVIEW_MACHINEDOT_H
