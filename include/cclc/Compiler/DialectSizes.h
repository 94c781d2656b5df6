//===- DialectSizes.h - At which sizes a runtime completes a plan *- C++ -*-===//
//
// An MSCCL runtime splits a step whose chunks do not fit into a slot into several
// transmissions. Above some size a plan may need more slots than a connection has;
// then the runtime hangs. The size goes into maxBytes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_DIALECTSIZES_H
#define CCL_COMPILER_DIALECTSIZES_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Msccl/Dialect.h"
#include "cclc/Semantics/PlanVerifier.h"

namespace cclc {

/// The largest buffer, in bytes as plans count them, at which the runtime completes \p plan with
/// elements of any type; unset: it does at every size. \p slotsNeeded is what the plan needs whose
/// steps are not split.
std::optional<uint64_t> largestSafe(const ExecPlan &plan, const MscclDialect &dialect,
                                    std::optional<uint32_t> slotsNeeded);

/// "steps of up to 3 chunks take more transmissions than a connection holds (2)".
std::string whyUnsafe(const ExecPlan &plan, const MscclDialect &dialect);

/// Cuts the sizes that \p plan is meant for to those at which the runtime completes it, if there
/// are any, and says so.
void cutSizes(ExecPlan &plan, const MscclDialect &dialect, std::optional<uint32_t> slotsNeeded,
              DiagnosticEngine &diags);

/// Restricts \p plan to the sizes at which the runtime completes it and says so, or refuses sizes
/// that it is meant for explicitly.
LogicalResult restrictSizes(ExecPlan &plan, const MscclDialect &dialect,
                            std::optional<uint32_t> slotsNeeded, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_DIALECTSIZES_H
