//===- PlanFolder.h - The plans of a portfolio ------------------*- C++ -*-===//
//
// A folder that `ccl-tune -o` has written: portfolio.json names the plan of every collective,
// number of ranks and range of sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_PLANFOLDER_H
#define CCL_LIB_RUN_MPI_PLANFOLDER_H

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/IR/ExecPlan.h"

#include <memory>

namespace cclc::run {

/// A plan of the folder that has been read and proved.
struct FolderPlan {
  ExecPlan plan;
  uint32_t slots;
  /// Whether all ranks get the same bits of sums of floating-point numbers.
  bool hasSameBits;
};

/// A row of portfolio.json.
struct PortfolioRow {
  PortfolioFileRow file;
  uint64_t hash = 0; ///< of the plan's file when the folder was read; 0: it was not there
  bool isRead = false;
  std::unique_ptr<FolderPlan> plan = {};
};

class PlanFolder {
public:
  /// Reads portfolio.json; plans are read when they are needed.
  static FailureOr<PlanFolder> read(const std::string &folder, DiagnosticEngine &diags);

  /// A hash of portfolio.json and of the plans that it names.
  uint64_t contentHash() const { return hash; }
  /// Whether the folder has plans for \p ranks ranks.
  bool covers(uint32_t ranks) const;
  /// The row for a buffer of \p bytes (as --bytes of ccl-sim), or null if there is none. Only rows
  /// with the plan of \p row count, a number of rowOf(), unless it is 0.
  PortfolioRow *find(CollectiveKind kind, uint32_t ranks, uint64_t bytes, uint32_t row = 0);
  /// The number of the first row with the plan of \p file; 0: there is none.
  uint32_t rowOf(StringRef file) const;
  /// Whether measurements have chosen its plans.
  bool isMeasured() const;
  /// The plan of \p row, or null if it cannot be used, which the first call reports.
  static const FolderPlan *planOf(PortfolioRow &row, DiagnosticEngine &diags);

private:
  std::vector<PortfolioRow> rows; ///< is not changed after read()
  uint64_t hash = 0;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANFOLDER_H
