//===- LowerToMscclpp.h - The last stage for MSCCL++ ------------*- C++ -*-===//

#ifndef CCL_COMPILER_LOWERTOMSCCLPP_H
#define CCL_COMPILER_LOWERTOMSCCLPP_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Support/ExitCode.h"

#include <variant>

namespace cclc {

/// \p plan in the form of MSCCL++, within the limits of its executor and proved if
/// \p prove says so. Else what is wrong was reported, and the code tells a plan that
/// the form cannot express from a defect of ours.
std::variant<mscclpp::Plan, ExitCode> lowerToMscclpp(const ExecPlan &plan, bool prove,
                                                     DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_LOWERTOMSCCLPP_H
