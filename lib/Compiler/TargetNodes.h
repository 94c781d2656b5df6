//===- TargetNodes.h - Nodes of a program on a target -----------*- C++ -*-===//

#ifndef CCL_LIB_COMPILER_TARGETNODES_H
#define CCL_LIB_COMPILER_TARGETNODES_H

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// Sets the parameters `nodes` and `ranks_per_node` from the target, for a program whose number of
/// ranks they determine and unless the request sets them: to the members of its outermost level,
/// and the ranks that \p mapper selects in each. A target of one level and fixed size is one node.
/// \p values has all parameters.
LogicalResult adoptNodes(const dsl::Declaration &declaration, const CompileRequest &request,
                         Mapper mapper, std::vector<std::pair<std::string, std::string>> &values,
                         DiagnosticEngine &diags);

/// The nodes of a program, each with `ranksPerNode` consecutive ranks.
struct NodeShape {
  uint32_t nodes, ranksPerNode;
};

/// The shape by the parameters `nodes` and `ranks_per_node`, if they determine the number of ranks;
/// empty for other programs.
std::optional<NodeShape>
nodesOfProgram(const dsl::Declaration &declaration,
               const std::vector<std::pair<std::string, std::string>> &values, uint32_t ranks);

/// Reduces \p places, which are all places of the target, to one per rank, in order. Each node of
/// the program is within a node of the target, which is a member of the outermost level, and nodes
/// share one only if the program has more nodes. Returns false without a change if these are the
/// first places, if a node of the program is larger than one of the target, or if the target has
/// one level.
bool keepNodes(const NodeShape &shape, Machine::Selection &places);

/// Warns if the nodes of the program do not correspond to nodes of the target, \p whole.
void warnOfNodes(const dsl::Declaration &declaration, const NodeShape &shape,
                 const Machine::Selection &whole, const std::string &target,
                 DiagnosticEngine &diags);

/// Warns that \p ranks are fewer than the \p places on \p target.
void warnOfUnused(const dsl::Declaration &declaration, uint32_t ranks, size_t places,
                  const std::string &target, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_TARGETNODES_H
