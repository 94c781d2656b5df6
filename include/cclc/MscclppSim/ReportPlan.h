//===- ReportPlan.h - The operations of MSCCL++ in reports ------*- C++ -*-===//

#ifndef CCL_MSCCLPPSIM_REPORTPLAN_H
#define CCL_MSCCLPPSIM_REPORTPLAN_H

#include "cclc/MscclppSim/SizedPlan.h"
#include "cclc/Sim/BoundPlan.h"

namespace cclc::mscclpp {

/// A plan for reports and traces, whose steps are the operations of \p plan: `nop` steps whose
/// phase is the name of the operation, at the location in the file.
FailureOr<ExecPlan> planForReports(const Plan &plan, DiagnosticEngine &diags);

/// The sizing of that plan: one piece, with chunks of the file.
Sizing sizingForReports(const SizedPlan &sized);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPPSIM_REPORTPLAN_H
