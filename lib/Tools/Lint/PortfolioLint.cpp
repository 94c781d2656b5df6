//===- PortfolioLint.cpp - The folders of a portfolio ---------------------===//
//
// A runtime that reads all files of its folder fails at one that is no plan, so that each folder
// must have the files of the portfolio and no others.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/PortfolioLint.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/Selection/TuningFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace cclc;
using llvm::formatv;
namespace fs = llvm::sys::fs;

bool cclc::isPortfolio(const std::string &path) { return fs::exists(path + "/portfolio.json"); }

/// Reports what \p folder has besides its files and \p others, and what it lacks. A runtime that
/// reads all files of its folder fails at another one.
static LogicalResult checkFiles(const RuntimeFolder &folder, ArrayRef<std::string> others,
                                DiagnosticEngine &diags) {
  LogicalResult all = success();
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(folder.path, error), end; it != end && !error; it.increment(error))
    found.push_back(it->path());
  llvm::sort(found);
  for (const std::string &file : found)
    if (!llvm::is_contained(folder.files, file) && !llvm::is_contained(others, file))
      all = diags.error({file}, formatv("is not in the portfolio: {0} reads every file of its "
                                        "folder; move it elsewhere",
                                        folder.runtime->product));
  for (const std::string &file : folder.files)
    if (!llvm::is_contained(found, file))
      all = diags.error({file}, "is missing: the portfolio names it; run ccl-tune again");
  return all;
}

FailureOr<std::vector<RuntimeFolder>> cclc::foldersOfPortfolio(const std::string &path,
                                                               DiagnosticEngine &diags) {
  const std::string list = path + "/portfolio.json";
  FailureOr<PortfolioFile> file = readPortfolio(path, diags);
  if (failed(file))
    return failure();
  std::vector<RuntimeFolder> folders;
  for (const PortfolioFileRow &row : file->rows) {
    const Runtime *runtime = findRuntime(row.runtime);
    if (!runtime)
      return diags.error({list}, formatv("row of '{0}': its runtime '{1}' is unknown, so that its "
                                         "folder has no rules; run ccl-tune again",
                                         row.plan, row.runtime));
    auto at = llvm::find_if(folders, [&](const auto &each) { return each.runtime == runtime; });
    if (at == folders.end())
      at = folders.insert(folders.end(),
                          {runtime, llvm::sys::path::parent_path(row.plan).str(), {}, {}, {}});
    at->rows.push_back(row);
    if (!llvm::is_contained(at->files, row.plan))
      at->files.push_back(row.plan);
  }
  for (RuntimeFolder &folder : folders)
    llvm::copy_if(file->gaps, std::back_inserter(folder.gaps),
                  [&](const PortfolioGap &gap) { return gap.runtime == folder.runtime->name; });
  std::vector<std::string> others;
  for (const std::string &name : file->files)
    others.push_back(path + "/" + name);
  LogicalResult all = success();
  for (const RuntimeFolder &folder : folders)
    if (failed(checkFiles(folder, others, diags)))
      all = failure();
  if (failed(all))
    return diags.fail(Failure::Wrong);
  return folders;
}

/// Whether \p file selects an algorithm for each size of \p row.
static LogicalResult checkRow(const TuningFile &file, const std::string &path,
                              const PortfolioFileRow &row, DiagnosticEngine &diags) {
  // Rows for switches that add are in portfolios of machines that have some.
  const NativeSite site{row.ranks, row.ranksPerNode.value_or(row.ranks),
                        /*hasReducingSwitches=*/true};
  for (const PortfolioPoint &point : row.points)
    if (!file.select({.collective = row.collective, .site = site, .bytes = point.bytes}).algorithm)
      return diags.error({path},
                         formatv("selects no algorithm for {0} of {1} bytes over {2} ranks, "
                                 "which the portfolio promises; run ccl-tune again",
                                 collectiveName(row.collective), point.bytes, row.ranks));
  return success();
}

LogicalResult cclc::checkChoices(const RuntimeFolder &folder, DiagnosticEngine &diags) {
  LogicalResult all = success();
  for (const std::string &path : folder.files) {
    auto buffer = openPlanFile(path, diags);
    if (failed(buffer))
      return failure();
    FailureOr<TuningFile> file =
        TuningFile::read((*buffer)->getBuffer(), path, std::nullopt, diags);
    if (failed(file))
      return failure();
    for (const PortfolioFileRow &row : folder.rows)
      if (failed(checkRow(*file, path, row, diags)))
        all = diags.fail(Failure::Wrong);
  }
  return all;
}
