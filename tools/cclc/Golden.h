//===- Golden.h - Plans that are kept under version control -----*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_GOLDEN_H
#define CCL_TOOLS_CCLC_GOLDEN_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

/// Compares \p plan with the one in the file \p path. Where they are equivalent the file is left
/// alone, so that a repository sees no change; else \p write writes it, in one piece, and \p os is
/// told what has changed. A file that is not there is made. One that holds no plan is an error: it
/// may be something else.
LogicalResult updateGolden(StringRef path, const ExecPlan &plan,
                           llvm::function_ref<void(raw_ostream &)> write, raw_ostream &os,
                           DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCLC_GOLDEN_H
