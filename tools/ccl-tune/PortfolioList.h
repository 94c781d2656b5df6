//===- PortfolioList.h - What a portfolio serves, as text -------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_PORTFOLIOLIST_H
#define CCL_TOOLS_CCL_TUNE_PORTFOLIOLIST_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// Prints the plans and gaps of the portfolio in \p folder.
LogicalResult listPortfolio(const std::string &folder, raw_ostream &os, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_PORTFOLIOLIST_H
