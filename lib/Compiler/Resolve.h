//===- Resolve.h - What a request leaves open -------------------*- C++ -*-===//
//
// Parameters, the number of ranks, the machine and the places of the ranks depend on
// each other: nodes of the target are parameters, parameters make ranks, and a target
// may grow with them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_RESOLVE_H
#define CCL_LIB_COMPILER_RESOLVE_H

#include "cclc/Frontend/UserCode.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Trace.h"

namespace cclc {

struct Resolved {
  /// Ranks, geometry, parameters, placements, the target and where ranks run on it.
  dsl::TraceOptions options;
  std::optional<Machine> machine;  ///< with a target only
  Geometry places;                 ///< that ranks may run on, of the machine
  std::vector<uint32_t> endpoints; ///< of all places
};

/// Fails where the request cannot be used.
FailureOr<Resolved> resolve(const dsl::Declaration &declaration, const CompileRequest &request,
                            const UserCode &code, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_RESOLVE_H
