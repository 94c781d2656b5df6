//===- PortfolioWriter.cpp - The files of a portfolio ---------------------===//
//
// Each plan is compiled again with its range of sizes, and proved, as by cclc. A failure at this
// point is a defect, because the same plan was simulated, unless a runtime does not accept it. The
// text of a file is read back and timed with every size of its range, so that it delivers what the
// tables promise. A runtime finds its files in a folder of its own, where nothing else is.
//
// portfolio.json names all files, and is written after them. Files that the portfolio before it
// names, and it does not, are removed then.
//
//===----------------------------------------------------------------------===//

#include "PortfolioWriter.h"

#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
constexpr StringRef listName = "portfolio.json";

/// A plan to write.
struct PlanJob {
  const TunedPlans *tuned;
  const PlanRange *range;
  std::string name; ///< unique in the folder of its runtime
  /// The names of the files that were written.
  std::vector<std::string> written = {};
  LogicalResult result = success();
  DiagnosticEngine diags = {};

  const TuneProblem &problem() const { return tuned->problem; }
  const Runtime &runtime() const { return *problem().runtime; }
  /// The path of its file in the folder of the portfolio.
  std::string file() const { return fileOf(runtime(), name); }
  PortfolioRow row() const { return {tuned, range, name, file()}; }
};

/// Compiles the plan of \p job, and writes it in the form of its runtime.
LogicalResult writePlan(PlanJob &job, const PortfolioFiles &files) {
  const TunedPlans &tuned = *job.tuned;
  FailureOr<DeliveredPlan> delivered =
      deliverPlan(tuned.problem, tuned.result, *job.range, job.name, job.diags);
  if (failed(delivered))
    return failure();
  auto write = [&](raw_ostream &os) { os << delivered->text; };
  if (failed(writeFile(files.pathOf(job.file()), write, job.diags)))
    return failure();
  job.written.push_back(job.file());
  return exportSizes(job.row(), delivered->plan, files, job.written, job.diags);
}
} // namespace

FailureOr<PortfolioWriter> PortfolioWriter::open(PortfolioFiles files, DiagnosticEngine &diags) {
  if (failed(createFolder(files.folder, diags)))
    return failure();
  PortfolioWriter writer(std::move(files));
  writer.readOld();
  return writer;
}

/// Reads the names of the files of an earlier run. A list that is no portfolio names none.
void PortfolioWriter::readOld() {
  auto text = llvm::MemoryBuffer::getFile(files.pathOf(listName));
  if (!text)
    return;
  DiagnosticEngine ignored;
  FailureOr<PortfolioFile> file =
      readPortfolio((*text)->getBuffer(), files.folder, files.pathOf(listName), ignored);
  if (failed(file))
    return;
  old = file->files;
  auto shorten = [&](std::vector<PortfolioFileRow> &rows) {
    for (PortfolioFileRow &row : rows)
      row.plan.erase(0, files.folder.size() + 1);
  };
  shorten(file->rows);
  for (PortfolioFailure &failure : file->failures)
    shorten(failure.rows);
  for (const PortfolioFileRow &row : file->rows)
    old.push_back(row.plan);
  // ccl-tune writes to this folder and those of runtimes alone.
  llvm::erase_if(old, [](StringRef name) {
    if (auto [first, rest] = name.split('/'); first == runtimeFolder || first == survivalFolder)
      name = rest;
    auto [folder, file] = name.split('/');
    if (findRuntime(folder))
      name = file;
    return name.empty() || name.contains('/') || name == "." || name == "..";
  });
  if (files.adds)
    earlier = std::move(*file);
}

LogicalResult PortfolioWriter::checkAdded(const TuneProblem &problem,
                                          DiagnosticEngine &diags) const {
  if (earlier.rows.empty() && earlier.gaps.empty())
    return success();
  auto differs = [&](StringRef what, StringRef theirs, StringRef ours) {
    return diags.error({files.pathOf(listName)},
                       formatv("--add: the portfolio is for {0} '{1}', and this run for '{2}'",
                               what, theirs, ours));
  };
  const TargetStamp &stamp = problem.machine.stamp;
  if (earlier.target != stamp.name)
    return differs("target", earlier.target, stamp.name);
  if (earlier.settings != stamp.settings)
    return differs("--set", llvm::join(earlier.settings, " "), llvm::join(stamp.settings, " "));
  if (earlier.network != problem.network)
    return differs("--network", earlier.network, problem.network);
  if (StringRef type = dataTypeName(problem.type); earlier.type != type)
    return differs("--dtype", earlier.type, type);
  // The file of a runtime with choices has all of its rules.
  for (const PortfolioFileRow &row : earlier.rows)
    if (problem.runtime->form == RuntimeForm::Choices && row.runtime == problem.runtime->name)
      return diags.error({files.pathOf(listName)},
                         formatv("--add: the rules of {0} are in one file: tune all of its "
                                 "collectives in one run",
                                 row.runtime));
  return success();
}

PortfolioFile PortfolioWriter::keptBeside(ArrayRef<TunedPlans> tuned) const {
  PortfolioFile kept = earlier;
  auto isTuned = [&](const auto &row) {
    return llvm::any_of(tuned, [&](const TunedPlans &each) {
      const TuneProblem &problem = each.problem;
      return row.collective == problem.collective && row.runtime == problem.runtime->name &&
             row.ranks == problem.ranks();
    });
  };
  llvm::erase_if(kept.rows, isTuned);
  llvm::erase_if(kept.gaps, isTuned);
  llvm::erase_if(kept.failures, [&](const PortfolioFailure &failure) {
    return failure.rows.empty() || isTuned(failure.rows.front());
  });
  // The files of a plan begin with its name; those of a runtime are beside its plans.
  auto belongs = [&](StringRef file, const PortfolioFileRow &row) {
    auto [folder, plan] = StringRef(row.plan).rsplit('/');
    return file == row.plan || file == folder.str() + ".env" ||
           file.starts_with(plan.rsplit('.').first.str() + ".");
  };
  llvm::erase_if(kept.files, [&](StringRef file) {
    auto isOf = [&](const PortfolioFileRow &row) { return belongs(file, row); };
    return !llvm::any_of(kept.rows, isOf) &&
           !llvm::any_of(kept.failures, [&](const PortfolioFailure &failure) {
             return llvm::any_of(failure.rows, isOf);
           });
  });
  return kept;
}

LogicalResult PortfolioWriter::add(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                   const std::string &page, DiagnosticEngine &diags) {
  if (failed(addPlans(tuned.back(), diags)))
    return failure();
  return writeShared(tuned, axes, page, diags);
}

LogicalResult PortfolioWriter::addPlans(const TunedPlans &tuned, DiagnosticEngine &diags) {
  const Runtime &runtime = *tuned.problem.runtime;
  if (failed(createFolder(files.pathOf(folderOf(runtime)), diags)))
    return failure();
  if (runtime.form == RuntimeForm::Choices) {
    const std::string file = selectionFileOf(runtime);
    for (const PlanRange &range : tuned.ranges)
      rows.push_back({&tuned, &range, "", file});
    return success();
  }
  // Other numbers of ranks have plans of the collective as well.
  size_t number = llvm::count_if(rows, [&](const PortfolioRow &row) {
    const TuneProblem &problem = row.tuned->problem;
    return problem.runtime == &runtime && problem.collective == tuned.problem.collective;
  });
  const PortfolioFile kept = keptBeside(tuned);
  auto isKept = [&](StringRef name) {
    return llvm::any_of(
        kept.rows, [&](const PortfolioFileRow &row) { return row.plan == fileOf(runtime, name); });
  };
  std::vector<PlanJob> jobs;
  for (const PlanRange &range : tuned.ranges) {
    std::string name;
    do
      name = planNameOf(runtime, tuned.problem.collective, ++number);
    while (isKept(name));
    jobs.push_back({&tuned, &range, name});
  }
  parallelFor(files.jobs, jobs.size(), [&](size_t i) {
    PlanJob &job = jobs[i];
    job.result = writePlan(job, files);
    Failure kind = job.diags.failure();
    if (failed(job.result))
      job.diags
          .error({}, formatv("plan '{0}' ({1}) of the portfolio is not written", job.name,
                             tuned.of(*job.range).candidate.command()))
          .as(kind);
  });
  for (PlanJob &job : jobs) {
    diags.append(std::move(job.diags));
    if (failed(job.result))
      return failure();
    rows.push_back(job.row());
    llvm::append_range(written, job.written);
  }
  return addSurvival(tuned, diags);
}

/// Writes the plans for failures, which were delivered by their search.
LogicalResult PortfolioWriter::addSurvival(const TunedPlans &tuned, DiagnosticEngine &diags) {
  const SurvivalResult &survival = tuned.survival;
  const auto plans = ArrayRef(survival.plans).drop_front(survival.portfolioPlans);
  const std::string folder = folderOf(*tuned.problem.runtime, survivalFolder);
  if (!plans.empty() && failed(createFolder(files.pathOf(folder), diags)))
    return failure();
  for (const SurvivalPlan &plan : plans) {
    auto write = [&](raw_ostream &os) { os << plan.delivered.text; };
    if (failed(writeFile(files.pathOf(plan.row.plan), write, diags)))
      return failure();
    written.push_back(plan.row.plan);
  }
  return success();
}

/// Writes beside the folder of each runtime how it is loaded.
LogicalResult PortfolioWriter::writeDeployments(ArrayRef<TunedPlans> tuned,
                                                std::vector<std::string> &all,
                                                DiagnosticEngine &diags) const {
  for (const TunedPlans &each : tuned) {
    const Runtime &runtime = *each.problem.runtime;
    const std::string name = folderOf(runtime) + ".env";
    if (llvm::is_contained(all, name))
      continue;
    auto write = [&](raw_ostream &os) { writeDeployment(runtime, os); };
    if (failed(writeFile(files.pathOf(name), write, diags)))
      return failure();
    all.push_back(name);
  }
  return success();
}

LogicalResult PortfolioWriter::writeShared(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                           const std::string &page, DiagnosticEngine &diags) {
  const PortfolioFile kept = keptBeside(tuned);
  std::vector<std::string> all = written;
  if (failed(writeSelections(rows, files, all, diags)) ||
      failed(writeDeployments(tuned, all, diags)))
    return failure();
  if (!axes.empty()) {
    if (failed(writeVariants(tuned, axes, files.pathOf("vary.json"), diags)))
      return failure();
    all.push_back("vary.json");
  }
  if (failed(writeTuneReport(tuned, axes, page, files.pathOf("report.html"), diags)))
    return failure();
  all.push_back("report.html");
  for (const std::string &name : kept.files)
    if (!llvm::is_contained(all, name))
      all.push_back(name);
  const TuneProblem &problem = tuned.front().problem;
  PortfolioFile file{.target = problem.machine.stamp.name,
                     .settings = problem.machine.stamp.settings,
                     .network = problem.network,
                     .type = dataTypeName(problem.type).str(),
                     .rows = kept.rows,
                     .isPartial = kept.isPartial,
                     .gaps = kept.gaps,
                     .failures = kept.failures,
                     .files = all};
  for (const PortfolioRow &row : rows) {
    file.rows.push_back(rowOf(row.tuned->problem, row.tuned->result, *row.range, row.file));
    if (row.tuned->measured)
      addMeasured(*row.tuned->measured, file.rows.back());
  }
  for (const TunedPlans &each : tuned) {
    file.isPartial |= each.result.end != SearchEnd::Complete;
    llvm::append_range(file.gaps, each.gaps);
    llvm::append_range(file.failures, failuresOf(each.survival, each.problem));
  }
  if (failed(writeFile(
          files.pathOf(listName), [&](raw_ostream &os) { writePortfolioFile(file, os); }, diags)))
    return failure();
  removeStale(all);
  return success();
}

/// Removes the files of the earlier portfolio that are not among \p all.
void PortfolioWriter::removeStale(ArrayRef<std::string> all) {
  namespace fs = llvm::sys::fs;
  for (const std::string &name : old) {
    fs::file_status status;
    if (!llvm::is_contained(all, name) && name != listName &&
        !fs::status(files.pathOf(name), status, /*follow=*/false) && fs::is_regular_file(status))
      fs::remove(files.pathOf(name));
  }
  old.clear();
}
