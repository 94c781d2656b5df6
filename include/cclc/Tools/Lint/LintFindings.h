//===- LintFindings.h - Findings in the forms of services -------*- C++ -*-===//
//
// The findings about files and about their set, as a list for SARIF, annotations of GitHub and
// reports of JUnit.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_LINTFINDINGS_H
#define CCL_TOOLS_LINT_LINTFINDINGS_H

#include "cclc/Tools/Lint/LintFiles.h"
#include "cclc/Tools/Lint/MscclppLint.h"

namespace cclc {

struct LintFinding {
  StringRef rule; ///< of SARIF
  Severity severity;
  Location where; ///< unknown for a finding about the set
  std::string text;
};

std::vector<LintFinding> findingsOf(const LintResult &report);
std::vector<LintFinding> findingsOf(const MscclppLintResult &report);

/// Appends findings to the messages of the tool. If all is right, because one of the runtimes loads
/// all files, errors are warnings.
void addFindings(ArrayRef<LintFinding> findings, bool isRight, DiagnosticEngine &diags);

/// Writes SARIF, for the pages of code hosts. \p unread has the errors about files that could not
/// be read, and \p files those that were.
void writeLintSarif(ArrayRef<LintFinding> findings, const DiagnosticEngine &unread,
                    ArrayRef<std::string> files, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_LINT_LINTFINDINGS_H
