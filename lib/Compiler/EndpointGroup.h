//===- EndpointGroup.h - A program on a part of a machine -------*- C++ -*-===//

#ifndef CCL_LIB_COMPILER_ENDPOINTGROUP_H
#define CCL_LIB_COMPILER_ENDPOINTGROUP_H

#include "cclc/Compiler/Compile.h"

#include <algorithm>

namespace cclc {

/// The number of endpoints of the smallest machine that has all of \p endpoints.
inline uint32_t roomOf(ArrayRef<uint32_t> endpoints) {
  return endpoints.empty() ? 0 : *std::max_element(endpoints.begin(), endpoints.end()) + 1;
}

/// Reports options of \p request that do not combine with the endpoints of a group.
LogicalResult checkGroup(const dsl::Declaration &declaration, const CompileRequest &request,
                         DiagnosticEngine &diags);

/// The arrangement of \p endpoints of \p machine in their order, as programs see it:
///
///   all endpoints of the machine                its levels
///   whole members of a level                    the levels inside them, and one level of members
///   equally many in each of several nodes       two flat levels
///   any others                                  one flat level
///
/// A node is a member of the outermost level. Fails if the machine does not have an endpoint.
FailureOr<Machine::Selection> selectGroup(const Machine &machine, ArrayRef<uint32_t> endpoints,
                                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_ENDPOINTGROUP_H
