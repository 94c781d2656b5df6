//===- LiftFromMscclpp.h - Plans of steps from those of MSCCL++ -*- C++ -*-===//

#ifndef CCL_COMPILER_LIFTFROMMSCCLPP_H
#define CCL_COMPILER_LIFTFROMMSCCLPP_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

struct MscclDialect;

/// Lifts \p plan, which must be proved, to a program, and compiles it for \p dialect, or for no
/// runtime if that is null. Runtimes of MSCCL get no operations of switches, but copies and
/// reductions. The result is not proved.
FailureOr<ExecPlan> liftFromMscclpp(const mscclpp::Plan &plan, const MscclDialect *dialect,
                                    DiagnosticEngine &diags);

/// Proves \p plan, and lifts it for no runtime.
FailureOr<ExecPlan> liftProved(const mscclpp::Plan &plan, DiagnosticEngine &diags);

/// Warns, in one line, of the properties of \p plan that a plan of steps does not have, or an
/// output that does not keep nodes.
void warnOfLostProperties(const mscclpp::Plan &plan, bool keepsNodes, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_LIFTFROMMSCCLPP_H
