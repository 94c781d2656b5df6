//===- Golden.h - Updating golden plans -------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_GOLDEN_H
#define CCL_TOOLS_CCLC_GOLDEN_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

/// Compares \p plan with the plan in the file \p path. If they are equivalent the file is not
/// changed, so that there is no change in a repository; otherwise it is atomically replaced by the
/// output of \p write, and the differences are printed to \p os. A missing file is created. A file
/// without a plan is an error, since it may be a different file by mistake.
LogicalResult updateGolden(StringRef path, const ExecPlan &plan,
                           llvm::function_ref<void(raw_ostream &)> write, raw_ostream &os,
                           DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCLC_GOLDEN_H
