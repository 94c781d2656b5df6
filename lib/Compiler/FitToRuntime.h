//===- FitToRuntime.h - Fitting a plan to its destination -------*- C++ -*-===//

#ifndef CCL_LIB_COMPILER_FITTORUNTIME_H
#define CCL_LIB_COMPILER_FITTORUNTIME_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Compiler/SafeSizes.h"
#include "cclc/Formats/Msccl/Dialect.h"

namespace cclc {

/// Rejects a plan that the runtime does not execute, and restricts a proved one to the sizes at
/// which it completes, with a warning.
LogicalResult fitToRuntime(Compiled &compiled, const MscclDialect &dialect, UnsafeSizes unsafe,
                           DiagnosticEngine &diags);

/// Restricts a proved plan to the sizes at which it completes on its target, with a warning. One
/// that needs more slots than the target has completes at none: it is rejected, or keeps its sizes
/// if these are from another form.
LogicalResult fitSizes(Compiled &compiled, const Machine &machine, UnsafeSizes unsafe,
                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_FITTORUNTIME_H
