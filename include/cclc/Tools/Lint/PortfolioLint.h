//===- PortfolioLint.h - The folders of a portfolio -------------*- C++ -*-===//
//
// Whether the runtimes of a portfolio find exactly their files: each in a folder of its own, with
// the ranges of sizes that portfolio.json promises, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_PORTFOLIOLINT_H
#define CCL_TOOLS_LINT_PORTFOLIOLINT_H

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Target/Runtime.h"

#include <string>
#include <vector>

namespace cclc {

/// The files of a runtime.
struct RuntimeFolder {
  const Runtime *runtime;
  std::string path;
  std::vector<std::string> files; ///< those that the portfolio names, in its order
  std::vector<PortfolioFileRow> rows;
  std::vector<PortfolioGap> gaps; ///< the sizes that none of the files serves
};

/// Whether \p path is a folder with a portfolio.
bool isPortfolio(const std::string &path);

/// The folders of the portfolio in \p path, in the order of their first rows. Reports a file that
/// is missing, and one that the portfolio does not name.
FailureOr<std::vector<RuntimeFolder>> foldersOfPortfolio(const std::string &path,
                                                         DiagnosticEngine &diags);

/// Whether the tables of a runtime with choices select an algorithm for each size of their rows, as
/// the runtime reads them. Reports the first size of a row for which they do not.
LogicalResult checkChoices(const RuntimeFolder &folder, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_LINT_PORTFOLIOLINT_H
