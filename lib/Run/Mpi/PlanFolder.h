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
};

class PlanFolder {
public:
  /// Reads portfolio.json; plans are read when they are needed.
  static FailureOr<PlanFolder> read(const std::string &folder, DiagnosticEngine &diags);

  /// A hash of portfolio.json and of the plans that it names.
  uint64_t contentHash() const { return hash; }
  /// Whether the folder has plans for \p ranks ranks.
  bool covers(uint32_t ranks) const;
  /// The plan for a buffer of \p bytes (as --bytes of ccl-sim), or null if there is none or it
  /// cannot be used, which is reported once.
  const FolderPlan *find(CollectiveKind kind, uint32_t ranks, uint64_t bytes,
                         DiagnosticEngine &diags);

private:
  struct Row {
    PortfolioFileRow file;
    bool isRead = false;
    std::unique_ptr<FolderPlan> plan = {};
  };
  std::vector<Row> rows;
  uint64_t hash = 0;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANFOLDER_H
