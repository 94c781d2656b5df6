//===- Lint.h - Static checks of files --------------------------*- C++ -*-===//

#ifndef CCLC_API_LINT_H
#define CCLC_API_LINT_H

#include "cclc/Tools/Api/Report.h"
#include "cclc/Tools/Api/Result.h"

namespace cclc::api {

struct LintFinding {
  /// "refuses", "misreads", "advice", "proof", "set", "sizes" or "input", as in SARIF.
  std::string rule;
  Severity severity = Severity::Error;
  Place place; ///< an empty file: it is about all files
  std::string text;
};

struct Lint {
  /// Whether all plans are right, and a runtime loads all files and executes them as written.
  bool right = false;
  std::vector<LintFinding> findings;
  Report report; ///< of ccl-sim lint. A portfolio for several runtimes has no JSON
};

/// Checks files and folders as the runtimes do that load them: those of MSCCL, of which \p dialect
/// names one (unset: all), or the executor of MSCCL++, or those of the folders of a portfolio.
/// Fails if a file cannot be read.
Result<Lint> lint(const std::vector<std::string> &paths,
                  const std::optional<std::string> &dialect = {});

} // namespace cclc::api

#endif // CCLC_API_LINT_H
