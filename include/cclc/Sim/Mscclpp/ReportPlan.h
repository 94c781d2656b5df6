//===- ReportPlan.h - The operations of MSCCL++ in reports ------*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_REPORTPLAN_H
#define CCL_SIM_MSCCLPP_REPORTPLAN_H

#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/Mscclpp/Simulate.h"

namespace cclc::mscclpp {

/// A plan for reports and traces, whose steps are the operations of \p plan: `nop` steps whose
/// phase is the name of the operation, at the location in the file.
FailureOr<ExecPlan> planForReports(const Plan &plan, DiagnosticEngine &diags);

/// The sizing of that plan: one piece, with chunks of the file.
Sizing sizingForReports(const SizedPlan &sized);

/// A plan, and the plan for its reports.
struct ShownPlan {
  Plan plan;
  ExecPlan steps;

  static FailureOr<ShownPlan> read(StringRef text, StringRef fileName, DiagnosticEngine &diags);
};

/// Both on one machine. The plan must outlive this.
struct ShownOnMachine {
  BoundPlan bound;
  cclc::BoundPlan shown;

  static FailureOr<ShownOnMachine> create(const ShownPlan &plan, const Machine &machine,
                                          DiagnosticEngine &diags);
};

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_REPORTPLAN_H
