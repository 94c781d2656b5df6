//===- PortfolioWriter.cpp - The files of a portfolio ---------------------===//
//
// Each plan is compiled again with its range of sizes, and proved, as by cclc. A failure at this
// point is a defect, because the same plan was simulated, unless a runtime does not accept it. The
// file of a plan is read back and timed with every size of its range, so that it delivers what the
// tables promise. A runtime finds its files in a folder of its own, where nothing else is.
//
// portfolio.json names all files, and is written after them. Files that the portfolio before it
// names, and it does not, are removed then.
//
//===----------------------------------------------------------------------===//

#include "PortfolioWriter.h"

#include "Deployment.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/ResultCheck.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
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

/// The value of --emit for the form of a runtime that executes plans.
StringRef formatOf(RuntimeForm form) {
  switch (form) {
  case RuntimeForm::Xml:
    return "xml";
  case RuntimeForm::Mscclpp:
    return "mscclpp";
  case RuntimeForm::Module:
    return "ahbm-module";
  default:
    return "json";
  }
}

/// The bytes of \p plan as the runtime of \p job loads it.
FailureOr<std::string> textOf(PlanJob &job, const ExecPlan &plan) {
  const PlanFormat *format = findPlanFormat(formatOf(job.runtime().form));
  if (job.runtime().form == RuntimeForm::Steps) {
    std::string text;
    llvm::raw_string_ostream os(text);
    format->exec.write(plan, {}, os);
    return text;
  }
  ConvertRequest convert;
  convert.format = format;
  convert.dialect = findMscclDialect(job.runtime().name);
  convert.gathersWaits = false;
  convert.sharing = job.tuned->of(*job.range).candidate.variant.sharing;
  convert.targetDir = job.problem().target.targetDir;
  // The executor of MSCCL++ keeps the state of a plan by its name, and modules are found by it.
  if (!format->hasDialects)
    convert.name = job.name;
  return convertPlan(plan, convert, job.diags);
}

/// The times of the file that \p job has written at \p path, as its runtime executes it; \p plan is
/// the one that was written.
FailureOr<TimesOfPlan> timesOf(PlanJob &job, const std::string &path, StringRef text,
                               const ExecPlan &plan) {
  const ArrayRef<uint64_t> sizes = sizesOf(job.problem(), *job.range);
  if (job.runtime().form == RuntimeForm::Module) // which no tool reads
    return timePlan(job.problem(), plan, sizes);
  if (job.runtime().form == RuntimeForm::Mscclpp) {
    FailureOr<mscclpp::Plan> delivered = mscclpp::readJson(text, path, job.diags);
    if (failed(delivered))
      return failure();
    return timePlan(job.problem(), std::move(*delivered), sizes);
  }
  FailureOr<ExecPlan> delivered = readPlanFile(path, job.diags);
  if (failed(delivered))
    return failure();
  if (!job.runtime().placesRanks())
    delivered->setEndpoints(job.problem().endpoints);
  return timePlan(job.problem(), std::move(*delivered), sizes);
}

/// Compiles the plan of \p job, writes it, and reads it back to time it.
LogicalResult writePlan(PlanJob &job, const PortfolioFiles &files) {
  const TunedPlans &tuned = *job.tuned;
  FailureOr<ExecPlan> chosen = compileChosen(tuned.problem, tuned.result, *job.range, job.diags);
  if (failed(chosen))
    return failure();
  FailureOr<std::string> text = textOf(job, *chosen);
  if (failed(text))
    return failure();
  const std::string path = files.pathOf(job.file());
  if (failed(writeFile(path, [&](raw_ostream &os) { os << *text; }, job.diags)))
    return failure();
  job.written.push_back(job.file());
  FailureOr<TimesOfPlan> times = timesOf(job, path, *text, *chosen);
  if (failed(times) ||
      failed(checkTimes(tuned.problem, tuned.result, *job.range, *times, path, job.diags)))
    return job.diags.fail(Failure::Defect);
  return exportSizes(job.row(), *chosen, files, job.written, job.diags);
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
  for (const PortfolioFileRow &row : file->rows)
    old.push_back(row.plan.substr(files.folder.size() + 1));
  // ccl-tune writes to this folder and those of runtimes alone.
  llvm::erase_if(old, [](StringRef name) {
    name.consume_front("runtime/");
    auto [folder, file] = name.split('/');
    if (findRuntime(folder))
      name = file;
    return name.empty() || name.contains('/') || name == "." || name == "..";
  });
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
    const std::string file = folderOf(runtime) + "/" + selectionFileOf(runtime);
    for (const PlanRange &range : tuned.ranges)
      rows.push_back({&tuned, &range, "", file});
    return success();
  }
  std::vector<PlanJob> jobs;
  for (const PlanRange &range : tuned.ranges)
    jobs.push_back({&tuned, &range,
                    formatv("{0}{1}{2}", collectiveName(tuned.problem.collective),
                            runtime.form == RuntimeForm::Module ? '_' : '-', jobs.size() + 1)});
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
  const TuneProblem &problem = tuned.front().problem;
  PortfolioFile file{problem.machine.stamp.name,
                     problem.machine.stamp.settings,
                     problem.network,
                     dataTypeName(problem.type).str(),
                     {},
                     {},
                     all};
  for (const PortfolioRow &row : rows)
    file.rows.push_back(rowOf(row.tuned->problem, row.tuned->result, *row.range, row.file));
  for (const TunedPlans &each : tuned)
    llvm::append_range(file.gaps, each.gaps);
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
