//===- Deployment.h - What runtimes load ------------------------*- C++ -*-===//
//
// The folder of a portfolio has one for each of its runtimes, with exactly the files that the
// runtime reads, and beside it the environment that makes the runtime load them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_DEPLOYMENT_H
#define CCL_SEARCH_TUNE_DEPLOYMENT_H

#include "cclc/Formats/Selection/Selection.h"
#include "cclc/Search/Tune/Portfolio.h"
#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// The folders in that of a portfolio with what runtimes load, and with what replaces it after a
/// failure.
inline constexpr StringRef runtimeFolder = "runtime", survivalFolder = "survive";
/// The folder of \p runtime in that of a portfolio: "runtime/rccl".
std::string folderOf(const Runtime &runtime, StringRef folder = runtimeFolder);
/// The name of plan \p number of \p kind, which is unique in the folder of \p runtime.
std::string planNameOf(const Runtime &runtime, CollectiveKind kind, size_t number);
/// The path of the plan \p name in the folder of a portfolio.
std::string fileOf(const Runtime &runtime, StringRef name, StringRef folder = runtimeFolder);
/// The path of the first file of a runtime with choices.
std::string selectionFileOf(const Runtime &runtime);

/// Writes the environment with which \p runtime loads the files of its folder, as assignments and
/// comments. DIR stands for the folder of the portfolio.
void writeDeployment(const Runtime &runtime, raw_ostream &os);

/// A plan of a portfolio.
struct DeliveredPlan {
  ExecPlan plan;
  std::string text; ///< in the form that the runtime loads
};

/// Compiles the plan of \p range, makes the text named \p name of it, and reads that to time it.
/// Fails if the runtime does not accept the plan, or if a time is not that of the search.
FailureOr<DeliveredPlan> deliverPlan(const TuneProblem &problem, const TuneResult &result,
                                     const PlanRange &range, const std::string &name,
                                     DiagnosticEngine &diags);

/// The times of \p delivered, whose file is \p name, as the runtime of \p problem executes it
/// there; it may have been compiled for another problem with as many ranks. Unset where it does not
/// run.
FailureOr<TimesOfPlan> timeDelivered(const TuneProblem &problem, ArrayRef<uint64_t> sizes,
                                     StringRef name, const DeliveredPlan &delivered,
                                     DiagnosticEngine &diags);

/// The rows of \p range in the tables of a runtime with choices.
std::vector<SelectionRow> selectionsOf(const TuneProblem &problem, const TuneResult &result,
                                       const PlanRange &range);

/// A file in the folder of a portfolio.
struct DeliveredFile {
  std::string path, text;
};
/// The tables of \p runtime with \p rows. Fails if one would select nothing.
FailureOr<std::vector<DeliveredFile>>
selectionTables(const Runtime &runtime, ArrayRef<SelectionRow> rows, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_DEPLOYMENT_H
