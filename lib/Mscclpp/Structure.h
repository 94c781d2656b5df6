//===- Structure.h - Structural verification of MSCCL++ plans ---*- C++ -*-===//

#ifndef CCL_LIB_MSCCLPP_STRUCTURE_H
#define CCL_LIB_MSCCLPP_STRUCTURE_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Checks the guarantees of PlanBuilder::finish().
LogicalResult verifyStructure(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_STRUCTURE_H
