//===- PortfolioWriter.cpp - The files of a portfolio ---------------------===//
//
// Each plan is compiled again with its range of sizes, and proved, as by cclc. A failure at this
// point is a defect, because the same plan was simulated.
//
//===----------------------------------------------------------------------===//

#include "PortfolioExport.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Parallel.h"
#include "cclc/Tune/ChosenPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// A file to write.
struct PlanJob {
  const TunedPlans *tuned;
  const PlanRange *range;
  std::string name; ///< without extension
  std::string text;
  /// In the order of the exports.
  std::vector<std::string> exportedTexts = {};
  /// Whether the endpoints of the ranks are in another order than those of the problem.
  bool isReordered = false;
  DiagnosticEngine diags = {};

  /// Of the range, from 1 on.
  size_t number() const { return range - tuned->ranges.data() + 1; }
};

struct ExportFormat {
  StringRef option, format, extension;
};
constexpr ExportFormat planExports[] = {{"msccl", "xml", ".xml"},
                                        {"mscclpp", "mscclpp", ".mscclpp.json"}};

/// Those of the plan formats that are requested.
std::vector<ExportFormat> requestedFormats(const PortfolioFiles &files) {
  std::vector<ExportFormat> formats;
  for (const ExportFormat &each : planExports)
    if (files.exportsTo(each.option))
      formats.push_back(each);
  return formats;
}

/// Compiles the plan of \p job; reports errors in it.
LogicalResult compilePlan(PlanJob &job, const PortfolioFiles &files) {
  const TunedPlans &tuned = *job.tuned;
  FailureOr<ExecPlan> plan = compileChosen(tuned.problem, tuned.result, *job.range, job.diags);
  if (failed(plan))
    return failure();
  llvm::raw_string_ostream os(job.text);
  findPlanFormat("json")->exec.write(*plan, {}, os);
  for (const ExportFormat &exported : requestedFormats(files)) {
    ConvertRequest convert;
    convert.format = findPlanFormat(exported.format);
    convert.dialect = convert.format->hasDialects ? findMscclDialect("msccl") : nullptr;
    convert.sharing = tuned.of(*job.range).candidate.variant.sharing;
    convert.targetDir = tuned.problem.target.targetDir;
    // The executor of MSCCL++ keeps the state of a plan by its name.
    convert.name = formatv("{0}-{1}", plan->info().name, job.number());
    ConvertOutcome converted = convertPlan(job.text, job.name + ".json", convert, job.diags);
    if (converted.code != ExitCode::Success)
      return failure();
    job.exportedTexts.push_back(std::move(converted.bytes));
  }
  job.isReordered = plan->info().placementOnTarget != tuned.problem.endpoints;
  return exportSizes({&tuned, job.range, job.name, job.isReordered}, *plan, files, job.diags);
}
} // namespace

LogicalResult cclc::writePortfolio(ArrayRef<TunedPlans> tuned, const PortfolioFiles &files,
                                   DiagnosticEngine &diags) {
  if (std::error_code error = llvm::sys::fs::create_directories(files.folder))
    return diags.error({},
                       formatv("cannot create folder '{0}': {1}", files.folder, error.message()));
  std::vector<PlanJob> jobs;
  for (const TunedPlans &each : tuned)
    for (const PlanRange &range : each.ranges) {
      PlanJob job{&each, &range, "", {}};
      job.name = formatv("{0}-{1}", collectiveName(each.problem.collective), job.number());
      jobs.push_back(std::move(job));
    }
  parallelFor(files.jobs, jobs.size(), [&](size_t i) {
    if (failed(compilePlan(jobs[i], files)))
      jobs[i].diags.error({},
                          formatv("plan '{0}' ({1}) of the portfolio is not written", jobs[i].name,
                                  jobs[i].tuned->of(*jobs[i].range).candidate.command()));
  });
  const TuneProblem &problem = tuned.front().problem;
  PortfolioFile file{problem.machine.stamp.name,
                     problem.machine.stamp.settings,
                     problem.network,
                     dataTypeName(problem.type).str(),
                     {}};
  std::vector<PortfolioRow> rows;
  for (PlanJob &job : jobs) {
    bool isWrong = job.diags.hasErrors();
    diags.append(std::move(job.diags));
    auto write = [&](StringRef name, const std::string &text) {
      return writeFile((files.folder + "/" + name).str(), [&](raw_ostream &os) { os << text; },
                       diags);
    };
    if (isWrong || failed(write(job.name + ".json", job.text)))
      return failure();
    for (auto [format, text] : llvm::zip_equal(requestedFormats(files), job.exportedTexts))
      if (failed(write((job.name + format.extension).str(), text)))
        return failure();
    rows.push_back({job.tuned, job.range, job.name, job.isReordered});
    file.rows.push_back(
        rowOf(job.tuned->problem, job.tuned->result, *job.range, job.name + ".json"));
  }
  if (failed(exportSelections(rows, files, diags)))
    return failure();
  return writeFile(
      files.folder + "/portfolio.json", [&](raw_ostream &os) { writePortfolioFile(file, os); },
      diags);
}
