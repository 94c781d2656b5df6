//===- PortfolioWriter.h - The folder of a portfolio ------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_PORTFOLIOWRITER_H
#define CCL_TOOLS_CCL_TUNE_PORTFOLIOWRITER_H

#include "PortfolioExport.h"
#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Tools/Cli/ExitCode.h"

namespace cclc {

/// Writes the collectives of a run one by one, so that those that are done remain if the run ends
/// early, and removes the files of an earlier portfolio that the new one does not have.
class PortfolioWriter {
public:
  /// Creates the folder. Fails if files cannot be written to it.
  static FailureOr<PortfolioWriter> open(PortfolioFiles files, DiagnosticEngine &diags);

  /// Compiles and proves the plans of the last one of \p tuned, writes them, and reads them back to
  /// compare their times with those of the search. Then writes the files that all collectives
  /// share; \p page is the report without data. \p tuned has the collectives of all calls, at the
  /// same addresses.
  LogicalResult add(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes, const std::string &page,
                    DiagnosticEngine &diags);
  /// Fails if the plans of \p problem cannot be added to the portfolio that the folder has.
  LogicalResult checkAdded(const TuneProblem &problem, DiagnosticEngine &diags) const;

private:
  explicit PortfolioWriter(PortfolioFiles files) : files(std::move(files)) {}
  void readOld();
  /// The part of the earlier portfolio that \p tuned does not replace, with its files.
  PortfolioFile keptBeside(ArrayRef<TunedPlans> tuned) const;
  LogicalResult addPlans(const TunedPlans &tuned, DiagnosticEngine &diags);
  LogicalResult addSurvival(const TunedPlans &tuned, DiagnosticEngine &diags);
  LogicalResult writeShared(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                            const std::string &page, DiagnosticEngine &diags);
  LogicalResult writeDeployments(ArrayRef<TunedPlans> tuned, std::vector<std::string> &all,
                                 DiagnosticEngine &diags) const;
  void removeStale(ArrayRef<std::string> written);

  PortfolioFiles files;
  std::vector<std::string> old; ///< the names of the files of the earlier portfolio
  PortfolioFile earlier;        ///< if this run adds to it; its plans have names in the folder
  std::vector<PortfolioRow> rows;
  std::vector<std::string> written; ///< the names of the files of plans
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_PORTFOLIOWRITER_H
