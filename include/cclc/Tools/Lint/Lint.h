//===- Lint.h - Static checks of files and folders --------------*- C++ -*-===//
//
// The work of `ccl-sim lint`: whether runtimes load files and execute them as written.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_LINT_H
#define CCL_TOOLS_LINT_LINT_H

#include "cclc/Tools/Lint/LintFindings.h"
#include "cclc/Tools/Lint/PortfolioLint.h"

#include <variant>

namespace cclc {

/// The result for files that are loaded together.
struct LintedSet {
  const Runtime *runtime = nullptr; ///< of a folder of a portfolio; null: the runtime is open
  std::vector<std::string> files;   ///< those that were read
  std::vector<PortfolioGap> gaps;   ///< of a folder of a portfolio
  /// Unset: plans of steps, or tables of choices, all of whose errors are diagnostics.
  std::optional<std::variant<LintResult, MscclppLintResult>> result;
  std::optional<Failure> failure; ///< unset: all files are right

  std::vector<LintFinding> findings() const;
  void print(raw_ostream &os) const;
  /// Only if there is a result. docs/CommandGuide/ccl-sim.md documents the keys.
  void writeJson(raw_ostream &os) const;
};

/// Lints files and folders for the MSCCL runtime \p dialect or, if it is unset, for all; for the
/// executor of MSCCL++ if they have its plans; or each folder of the portfolio that is the only
/// path. Files that cannot be read are reported.
FailureOr<std::vector<LintedSet>> lint(ArrayRef<std::string> paths,
                                       const std::optional<std::string> &dialect,
                                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_LINT_LINT_H
