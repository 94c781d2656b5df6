//===- ReportPlan.h - The operations of MSCCL++ in reports ------*- C++ -*-===//

#ifndef CCL_MSCCLPPSIM_REPORTPLAN_H
#define CCL_MSCCLPPSIM_REPORTPLAN_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// A plan for reports and traces, whose steps are the operations of \p plan: `nop` steps whose
/// phase is the name of the operation, at the location in the file.
FailureOr<ExecPlan> planForReports(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPPSIM_REPORTPLAN_H
