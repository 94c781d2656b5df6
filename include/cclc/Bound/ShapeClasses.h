//===- ShapeClasses.h - Machines with equal bounds --------------*- C++ -*-===//
//
// Bounds depend on the links of routes, the latencies of their nodes, the members of levels and the
// places of ranks, but not on numbers and names. Two of these are of the same class if a
// renumbering maps one to the other, so that their bounds are equal and only one has to be
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_SHAPECLASSES_H
#define CCL_BOUND_SHAPECLASSES_H

#include "cclc/Bound/FlowGraph.h"

#include "cclc/IR/Collective.h"

#include <map>

namespace cclc {

/// A directed graph with labels.
struct LabelledGraph {
  struct Arc {
    uint32_t from, to, label;
    friend auto operator<=>(const Arc &, const Arc &) = default;
  };
  std::vector<uint32_t> labels; ///< of the nodes
  std::vector<Arc> arcs;
};

/// Whether a renumbering maps \p a to \p b. True is proved by one; false may be wrong, as the
/// search for it does not return to choices that were made.
bool hasRenumbering(const LabelledGraph &a, const LabelledGraph &b);

class ShapeClasses {
public:
  /// The number of the class of a collective between \p endpoints on \p machine, which has the
  /// links of \p graph. The first member of a class has the number of earlier classes.
  uint32_t classOf(const Machine &machine, ArrayRef<EndpointId> endpoints, const FlowGraph &graph,
                   const Collective &collective);
  uint32_t size() const { return classes; }

private:
  uint32_t numberOf(std::vector<uint64_t> label);
  LabelledGraph shapeOf(const Machine &machine, ArrayRef<EndpointId> endpoints,
                        const FlowGraph &graph, const Collective &collective);

  std::map<std::vector<uint64_t>, uint32_t> numbers; ///< of labels
  /// The first member of each class, by what a renumbering keeps.
  std::map<std::vector<uint64_t>, std::vector<std::pair<LabelledGraph, uint32_t>>> firsts;
  uint32_t classes = 0;
};

} // namespace cclc

#endif // CCL_BOUND_SHAPECLASSES_H
