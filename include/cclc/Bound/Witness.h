//===- Witness.h - A bound in words -----------------------------*- C++ -*-===//
//
// Names the links of a cut by what they have in common: the node, group or column of a grid that
// they enter or leave. The links of a bound by paths are listed with their lengths.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_WITNESS_H
#define CCL_BOUND_WITNESS_H

#include "cclc/Bound/PathBound.h"
#include "cclc/Bound/RatioCut.h"

namespace cclc {

/// "the 4 links into n0", "the 4 links from column 1 to column 2 of the mesh (n1 -> n2, ...)",
/// "into one PE's DMA, sip0.cube0.pe0.pe_dma", "the 8 links out of sip0".
std::string describeCut(const Machine &machine, ArrayRef<EndpointId> endpoints,
                        const FlowGraph &graph, const RatioCut &cut);

/// "n1 -> n2", in the order of the links.
std::vector<std::string> linkNames(const Machine &machine, const FlowGraph &graph,
                                   const RatioCut &cut);

/// The links with a length, in the order of the links.
std::vector<std::pair<std::string, uint64_t>>
linkLengths(const Machine &machine, const FlowGraph &graph, const PathBound &paths);
/// "the lengths of all paths, over 12 links of length 1 (n0 -> n1, ...)".
std::string describePaths(const Machine &machine, const FlowGraph &graph, const PathBound &paths);

} // namespace cclc

#endif // CCL_BOUND_WITNESS_H
