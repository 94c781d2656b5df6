//===- Structure.h - Is a plan of MSCCL++ well-formed -----------*- C++ -*-===//

#ifndef CCL_LIB_MSCCLPP_STRUCTURE_H
#define CCL_LIB_MSCCLPP_STRUCTURE_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// What PlanBuilder::finish() promises.
LogicalResult verifyStructure(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_STRUCTURE_H
