//===- Resolve.h - Resolving the open values of a request -------*- C++ -*-===//
//
// Parameters, the number of ranks, the machine and the places of the ranks depend on each other:
// nodes of the target are parameters, parameters determine the number of ranks, and a target may
// scale with it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_RESOLVE_H
#define CCL_LIB_COMPILER_RESOLVE_H

#include "cclc/UserPrograms/UserCode.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Trace.h"

namespace cclc {

struct Resolved {
  /// Ranks, geometry, parameters, placements, the target and the endpoints of the ranks.
  dsl::TraceOptions options;
  std::optional<Machine> machine;  ///< set if there is a target
  Geometry places;                 ///< geometry of the places for ranks on the machine
  std::vector<uint32_t> endpoints; ///< endpoints of all places
};

/// Fails if the request is unusable.
FailureOr<Resolved> resolve(const dsl::Declaration &declaration, const CompileRequest &request,
                            const UserCode &code, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_RESOLVE_H
