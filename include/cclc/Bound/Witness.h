//===- Witness.h - A cut in words -------------------------------*- C++ -*-===//
//
// Names the links of a cut by what they have in common: the node, group or column of a grid that
// they enter or leave.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_WITNESS_H
#define CCL_BOUND_WITNESS_H

#include "cclc/Bound/RatioCut.h"

namespace cclc {

/// "the 4 links into n0", "the 4 links from column 1 to column 2 of the mesh (n1 -> n2, ...)",
/// "into one PE's DMA, sip0.cube0.pe0.pe_dma", "the 8 links out of sip0".
std::string describeCut(const Machine &machine, ArrayRef<EndpointId> endpoints,
                        const FlowGraph &graph, const RatioCut &cut);

/// "n1 -> n2", in the order of the links.
std::vector<std::string> linkNames(const Machine &machine, const FlowGraph &graph,
                                   const RatioCut &cut);

} // namespace cclc

#endif // CCL_BOUND_WITNESS_H
