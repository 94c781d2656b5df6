//===- FitToRuntime.h - Fitting a plan to an MSCCL runtime ------*- C++ -*-===//

#ifndef CCL_LIB_COMPILER_FITTORUNTIME_H
#define CCL_LIB_COMPILER_FITTORUNTIME_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Compiler/DialectSizes.h"
#include "cclc/Msccl/Dialect.h"

namespace cclc {

/// Rejects a plan that the runtime does not execute, and restricts a proved one to the sizes at
/// which it completes, with a warning.
LogicalResult fitToRuntime(Compiled &compiled, const MscclDialect &dialect, UnsafeSizes unsafe,
                           DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_COMPILER_FITTORUNTIME_H
