//===- PortfolioExport.h - A portfolio for other tools ----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_PORTFOLIOEXPORT_H
#define CCL_TOOLS_CCL_TUNE_PORTFOLIOEXPORT_H

#include "TunedPlans.h"

namespace cclc {

struct PortfolioFiles {
  std::string folder;
  std::vector<std::string> exports; ///< values of --export
  unsigned jobs = 1;
  bool adds = false; ///< keeps what the portfolio in the folder has besides

  bool exportsTo(StringRef format) const { return llvm::is_contained(exports, format); }
  std::string pathOf(StringRef name) const { return (folder + "/" + name).str(); }
};

/// A plan of the portfolio.
struct PortfolioRow {
  const TunedPlans *tuned;
  const PlanRange *range;
  std::string name; ///< unique among those of its runtime
  std::string file; ///< in the folder of the portfolio; that of choices has several rows
};

/// Writes \p plan, that of \p row, for each measured size of its range as Chakra traces and as a
/// GOAL schedule, if they are requested, and adds the names of these files to \p written. Warns of
/// a size that the format cannot express.
LogicalResult exportSizes(const PortfolioRow &row, const ExecPlan &plan,
                          const PortfolioFiles &files, std::vector<std::string> &written,
                          DiagnosticEngine &diags);

/// Writes the choices of \p rows for the runtimes that have some, and adds the names of the files
/// to
/// \p written.
LogicalResult writeSelections(ArrayRef<PortfolioRow> rows, const PortfolioFiles &files,
                              std::vector<std::string> &written, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_PORTFOLIOEXPORT_H
