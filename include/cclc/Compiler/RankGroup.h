//===- RankGroup.h - The machine and the ranks of a request -----*- C++ -*-===//

#ifndef CCL_COMPILER_RANKGROUP_H
#define CCL_COMPILER_RANKGROUP_H

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// The ranks on a machine.
struct RankGroup {
  Machine machine;
  std::vector<EndpointId> endpoints; ///< by rank
};

/// The machine that compile() would compile \p declaration for, and the endpoints of its ranks,
/// before anything is compiled. The request must have a target. Fails if it is unusable.
FailureOr<RankGroup> resolveRanks(const dsl::Declaration &declaration,
                                  const CompileRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_RANKGROUP_H
