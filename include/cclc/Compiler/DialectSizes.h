//===- DialectSizes.h - Limits on buffer sizes of a runtime -----*- C++ -*-===//
//
// An MSCCL runtime splits a step whose chunks do not fit into a slot into several transmissions.
// Above some size a plan may then need more slots than a connection has, and the runtime hangs.
// maxBytes is set to the largest safe size.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_DIALECTSIZES_H
#define CCL_COMPILER_DIALECTSIZES_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Msccl/Dialect.h"
#include "cclc/Semantics/PlanVerifier.h"

namespace cclc {

/// The largest buffer, in bytes of the whole buffer, at which the runtime completes \p plan with
/// elements of any type; unset if it does so at every size. \p slotsNeeded is the number of slots
/// that the plan needs without splitting.
std::optional<uint64_t> largestSafe(const ExecPlan &plan, const MscclDialect &dialect,
                                    std::optional<uint32_t> slotsNeeded);

/// "steps of up to 3 chunks take more transmissions than a connection holds (2)".
std::string whyUnsafe(const ExecPlan &plan, const MscclDialect &dialect);

/// The treatment of sizes of a plan at which the runtime does not complete it.
enum class UnsafeSizes {
  Refuse, ///< an error, because the user requested them
  Cut,    ///< removed, because they are from another form of the plan
};

/// Restricts \p plan to the sizes at which the runtime completes it, with a warning. Fails if no
/// size is left, or if \p unsafe is Refuse and there are unsafe sizes.
LogicalResult restrictSizes(ExecPlan &plan, const MscclDialect &dialect,
                            std::optional<uint32_t> slotsNeeded, UnsafeSizes unsafe,
                            DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_DIALECTSIZES_H
