//===- TargetNodes.h - What the number of ranks is on a target --*- C++ -*-===//

#ifndef CCL_LIB_COMPILER_TARGETNODES_H
#define CCL_LIB_COMPILER_TARGETNODES_H

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// The parameters `nodes` and `ranks_per_node` of a program whose number of ranks they make
/// are those of the target, where the request does not set them: the members of its outermost
/// level, and the ranks that \p mapper leaves in each. A target of one level is one node, if it
/// has a number of endpoints of its own. \p values has all parameters.
LogicalResult adoptNodes(const dsl::Declaration &declaration, const CompileRequest &request,
                         Mapper mapper, std::vector<std::pair<std::string, std::string>> &values,
                         DiagnosticEngine &diags);

/// Nodes of a program, each of `ranksPerNode` consecutive ranks.
struct NodeShape {
  uint32_t nodes, ranksPerNode;
};

/// By the parameters `nodes` and `ranks_per_node`, if they make the number of ranks; empty for
/// any other program.
std::optional<NodeShape>
nodesOfProgram(const dsl::Declaration &declaration,
               const std::vector<std::pair<std::string, std::string>> &values, uint32_t ranks);

/// Leaves in \p places, all of the target, those of one rank each, in order: a node of the program
/// lies within a node of the target, which is a member of the outermost level, and several lie in
/// one only where there are more of them. False, and unchanged, where these are the first places
/// anyway, a node of the program is larger than one of the target, or the target has one level.
bool keepNodes(const NodeShape &shape, Machine::Selection &places);

/// Warns where nodes of the program are not nodes of the target, \p whole.
void warnOfNodes(const dsl::Declaration &declaration, const NodeShape &shape,
                 const Machine::Selection &whole, const std::string &target,
                 DiagnosticEngine &diags);

/// Warns that \p ranks are fewer than the \p places on \p target.
void warnOfUnused(const dsl::Declaration &declaration, uint32_t ranks, size_t places,
                  const std::string &target, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_TARGETNODES_H
