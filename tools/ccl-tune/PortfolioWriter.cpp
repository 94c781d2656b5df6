//===- PortfolioWriter.cpp - The files of a portfolio ---------------------===//
//
// Each plan is compiled again with its range of sizes, and proved, as by cclc. A failure at this
// point is a defect, because the same plan was simulated, unless a runtime does not accept it. The
// file of a plan is read back and timed with every size of its range, so that it delivers what the
// tables promise.
//
// portfolio.json names all files, and is written after them. Files that the portfolio before it
// names, and it does not, are removed then.
//
//===----------------------------------------------------------------------===//

#include "PortfolioWriter.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
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
  std::string name; ///< without extension
  /// The names of the files that were written.
  std::vector<std::string> written = {};
  /// Whether the endpoints of the ranks are in another order than those of the problem.
  bool isReordered = false;
  LogicalResult result = success();
  DiagnosticEngine diags = {};

  /// Of the range, from 1 on.
  size_t number() const { return range - tuned->ranges.data() + 1; }
  PortfolioRow row() const { return {tuned, range, name, isReordered}; }
};

struct ExportFormat {
  StringRef option, format, extension;
};
constexpr ExportFormat planExports[] = {{"msccl", "xml", ".xml"},
                                        {"mscclpp", "mscclpp", ".mscclpp.json"}};

LogicalResult writeText(PlanJob &job, const PortfolioFiles &files, StringRef extension,
                        StringRef text) {
  const std::string name = job.name + extension.str();
  if (failed(writeFile(files.pathOf(name), [&](raw_ostream &os) { os << text; }, job.diags)))
    return failure();
  job.written.push_back(name);
  return success();
}

/// Writes \p plan in the plan formats that are requested.
LogicalResult writeExports(PlanJob &job, const ExecPlan &plan, const PortfolioFiles &files) {
  for (const ExportFormat &each : planExports) {
    if (!files.exportsTo(each.option))
      continue;
    ConvertRequest convert;
    convert.format = findPlanFormat(each.format);
    convert.dialect = convert.format->hasDialects ? findMscclDialect("msccl") : nullptr;
    convert.sharing = job.tuned->of(*job.range).candidate.variant.sharing;
    convert.targetDir = job.tuned->problem.target.targetDir;
    // The executor of MSCCL++ keeps the state of a plan by its name.
    convert.name = formatv("{0}-{1}", plan.info().name, job.number());
    FailureOr<std::string> bytes = convertPlan(plan, convert, job.diags);
    if (failed(bytes) || failed(writeText(job, files, each.extension, *bytes)))
      return failure();
  }
  return exportSizes(job.row(), plan, files, job.written, job.diags);
}

/// Compiles the plan of \p job, writes it, and reads it back to time it.
LogicalResult writePlan(PlanJob &job, const PortfolioFiles &files) {
  const TunedPlans &tuned = *job.tuned;
  FailureOr<ExecPlan> chosen = compileChosen(tuned.problem, tuned.result, *job.range, job.diags);
  if (failed(chosen))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  findPlanFormat("json")->exec.write(*chosen, {}, os);
  if (failed(writeText(job, files, ".json", text)))
    return failure();
  const std::string path = files.pathOf(job.written.back());
  FailureOr<ExecPlan> delivered = readPlanFile(path, job.diags);
  if (failed(delivered) ||
      failed(checkTimes(tuned.problem, tuned.result, *job.range, *delivered, path, job.diags)))
    return job.diags.fail(Failure::Defect);
  job.isReordered = chosen->info().placementOnTarget != tuned.problem.endpoints;
  return writeExports(job, *chosen, files);
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
  // ccl-tune writes to this folder alone.
  llvm::erase_if(old, [](StringRef name) {
    return name.empty() || name.contains('/') || name == "." || name == "..";
  });
}

LogicalResult PortfolioWriter::add(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                   const std::string &page, bool isLast, DiagnosticEngine &diags) {
  if (failed(addPlans(tuned.back(), diags)))
    return failure();
  return writeShared(tuned, axes, page, isLast, diags);
}

LogicalResult PortfolioWriter::addPlans(const TunedPlans &tuned, DiagnosticEngine &diags) {
  std::vector<PlanJob> jobs;
  for (const PlanRange &range : tuned.ranges) {
    jobs.push_back({&tuned, &range, ""});
    jobs.back().name =
        formatv("{0}-{1}", collectiveName(tuned.problem.collective), jobs.back().number());
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
  return success();
}

LogicalResult PortfolioWriter::writeShared(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                           const std::string &page, bool isLast,
                                           DiagnosticEngine &diags) {
  std::vector<std::string> all = written;
  // The warnings of the last call are those of all collectives.
  DiagnosticEngine found;
  LogicalResult exported = exportSelections(rows, files, all, found);
  if (isLast || failed(exported))
    diags.append(std::move(found));
  if (failed(exported))
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
                     all};
  for (const PortfolioRow &row : rows)
    file.rows.push_back(
        rowOf(row.tuned->problem, row.tuned->result, *row.range, row.name + ".json"));
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
