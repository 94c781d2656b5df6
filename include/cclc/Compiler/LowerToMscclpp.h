//===- LowerToMscclpp.h - Lowering a plan to MSCCL++ ------------*- C++ -*-===//

#ifndef CCL_COMPILER_LOWERTOMSCCLPP_H
#define CCL_COMPILER_LOWERTOMSCCLPP_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Target/Machine.h"

#include <optional>
#include <string>

namespace cclc {

struct LoweredPlan {
  mscclpp::Plan plan;
  /// Of \c plan, if it was proved: a hash of the reduction order, and whether all ranks get the
  /// same bits.
  std::optional<uint64_t> reductionHash = {};
  std::optional<bool> sameBits = {};
  /// A warning, if \c plan has another reduction order than the steps, as the executor adds the
  /// packets of an operation first and the local operand last.
  std::optional<std::string> otherOrder = {};
};

/// Lowers \p plan for \p machine to MSCCL++. The nodes are those of the machine, or without one
/// those of the plan; if the outermost level of its geometry is not "node", all ranks are in one
/// node. \p sharing threadblocks share the operations of each one. Checks the limits of the
/// executor and, if \p prove is set, verifies the result. A failure is of the kind Unfit if the
/// format cannot express the plan.
FailureOr<LoweredPlan> lowerToMscclpp(const ExecPlan &plan, const Machine *machine, bool prove,
                                      DiagnosticEngine &diags, uint32_t sharing = 1);

} // namespace cclc

#endif // CCL_COMPILER_LOWERTOMSCCLPP_H
