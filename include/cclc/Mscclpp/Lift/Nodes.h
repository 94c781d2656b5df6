//===- Nodes.h - The nodes of the ranks of an MSCCL++ plan ------*- C++ -*-===//

#ifndef CCL_MSCCLPP_LIFT_NODES_H
#define CCL_MSCCLPP_LIFT_NODES_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// The number of ranks of a node, as far as the channels of \p plan show it: those of memory and of
/// switches connect ranks of one node. Without port channels all ranks are in one node. None if the
/// nodes that the channels connect do not have equally many successive ranks each.
std::optional<uint32_t> ranksPerNode(const Plan &plan);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_LIFT_NODES_H
