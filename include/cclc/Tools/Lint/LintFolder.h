//===- LintFolder.h - The plans of a folder ---------------------*- C++ -*-===//

#ifndef CCL_TOOLS_LINT_LINTFOLDER_H
#define CCL_TOOLS_LINT_LINTFOLDER_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// The files of a folder, each list in order; folders in it are left out.
struct FolderFiles {
  std::vector<std::string> plans, others;
};

/// The plans are the files that end in the first of \p endings in which one ends. Reports a folder
/// that cannot be read or has no plan.
FailureOr<FolderFiles> filesOfFolder(const std::string &folder, ArrayRef<const char *> endings,
                                     DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_LINT_LINTFOLDER_H
