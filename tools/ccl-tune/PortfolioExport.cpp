//===- PortfolioExport.cpp - A portfolio for other tools ------------------===//
//
// Simulators get one plan and one size per file: the sizes that the tuner has simulated. Runtimes
// that select among their own algorithms get one file for the whole portfolio.
//
//===----------------------------------------------------------------------===//

#include "PortfolioExport.h"

#include "cclc/Formats/Selection/Selection.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Views/Export/Chakra.h"
#include "cclc/Views/Export/Goal.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// Warns that a format cannot express one size of \p row, for the reasons in \p refused.
void warnOfSize(const PortfolioRow &row, StringRef format, uint64_t size,
                const DiagnosticEngine &refused, DiagnosticEngine &diags) {
  for (const Diagnostic &reason : refused.all())
    diags.warning({}, formatv("--export {0}: {1} with {2} bytes is not written: {3}", format,
                              row.name, size, reason.text));
}

/// A file with choices of algorithms.
struct SelectionFormat {
  StringRef option, file;
  SelectingRuntime runtime;
  SelectionFile (*write)(ArrayRef<SelectionRow> rows);
  /// The runtime orders the ranks of its algorithms by itself, and not by their numbers.
  bool ordersRanks;
};
constexpr SelectionFormat formats[] = {
    {"nccl-csv", "nccl-tuner.csv", SelectingRuntime::Nccl, ncclTunerCsv, true},
    {"ompi", "openmpi-rules.conf", SelectingRuntime::OpenMpi, openMpiRules, false},
    {"ompi", "openmpi-rules.json", SelectingRuntime::OpenMpi, openMpiJson, false},
    {"mpich", "mpich-tuning.json", SelectingRuntime::Mpich, mpichTuning, false}};

SelectionRow selectionRow(const PortfolioRow &row, const SelectionFormat &format) {
  const TuneProblem &problem = row.tuned->problem;
  const Tried &plan = row.tuned->of(*row.range);
  SelectionRow selection{problem.collective,
                         problem.ranks(),
                         problem.ranksPerNode(),
                         row.range->minBytes,
                         row.range->maxBytes,
                         plan.candidate.program->name(),
                         plan.candidate.variant.protocol,
                         plan.measure.channels,
                         0,
                         plan.candidate.parameters,
                         problem.machine.switches.has_value()};
  // A user's program may have the name of a bundled one.
  if (!plan.candidate.version.empty())
    selection.program = plan.candidate.source;
  // The number of chunks is fixed, their size is not: that of the middle of the range is chosen.
  // Instances are parallel, and no parts of a pipeline.
  size_t middle = (row.range->firstSize + row.range->lastSize) / 2;
  const uint64_t parts = plan.measure.bufferChunks / plan.candidate.variant.instances;
  if (parts > 1)
    selection.segmentBytes = std::max<uint64_t>(problem.sizes[middle] / parts, 1);
  if (row.isReordered && !format.ordersRanks)
    selection.program += " with reordered ranks";
  return selection;
}

/// Reports that \p format expresses none of \p rows.
void reportNothing(const SelectionFormat &format, ArrayRef<SelectionRow> rows,
                   DiagnosticEngine &diags) {
  const StringRef title = selectingRuntimeTitle(format.runtime);
  llvm::SetVector<StringRef> programs;
  for (const SelectionRow &row : rows)
    for (const NativeAlgorithm &each : nativeAlgorithms(format.runtime))
      if (each.collective == row.collective && each.isModelled() && each.guard.admits(siteOf(row)))
        programs.insert(each.program);
  auto error = diags.error({}, formatv("--export {0}: {1} is not written: {2} has an algorithm of "
                                       "none of the plans",
                                       format.option, format.file, title));
  error.as(Failure::Wrong);
  if (programs.empty())
    error.note({}, formatv("{0} has no algorithm of this collective like a bundled program: leave "
                           "out --export {1}",
                           title, format.option));
  else
    error.note({}, formatv("choose among algorithms of {0} with --programs {1}", title,
                           llvm::join(programs, ",")));
}
} // namespace

LogicalResult cclc::exportSizes(const PortfolioRow &row, const ExecPlan &plan,
                                const PortfolioFiles &files, std::vector<std::string> &written,
                                DiagnosticEngine &diags) {
  const bool toChakra = files.exportsTo("chakra"), toGoal = files.exportsTo("goal");
  if (!toChakra && !toGoal)
    return success();
  const TuneProblem &problem = row.tuned->problem;
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(plan, problem.machine, problem.machine.slotsFor(plan.info()), diags);
  if (failed(placed))
    return failure();
  for (size_t s = row.range->firstSize; s <= row.range->lastSize; ++s) {
    uint64_t size = problem.sizes[s];
    FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(size), problem.type, diags);
    if (failed(sizing))
      return failure();
    const std::string name = formatv("{0}.{1}", row.name, size), path = files.pathOf(name);
    DiagnosticEngine refused;
    ChakraTraces traces(*placed, *sizing);
    if (toChakra && failed(traces.check(refused)))
      warnOfSize(row, "chakra", size, refused, diags);
    else if (toChakra && failed(traces.writeFiles(path, diags)))
      return failure();
    else if (toChakra)
      for (uint32_t r = 0; r < plan.ranks(); ++r)
        written.push_back(ChakraTraces::fileName(name, RankId(r)));
    DiagnosticEngine refusedGoal;
    bool isGoal = toGoal && succeeded(checkGoal(*placed, *sizing, refusedGoal));
    if (toGoal && !isGoal)
      warnOfSize(row, "goal", size, refusedGoal, diags);
    auto write = [&](raw_ostream &os) { writeGoal(*placed, *sizing, os); };
    if (isGoal && failed(writeFile(path + ".goal", write, diags)))
      return failure();
    if (isGoal)
      written.push_back(name + ".goal");
  }
  return success();
}

LogicalResult cclc::exportSelections(ArrayRef<PortfolioRow> rows, const PortfolioFiles &files,
                                     std::vector<std::string> &written, DiagnosticEngine &diags) {
  StringRef reported; // the option whose rows have been reported
  for (const SelectionFormat &format : formats) {
    if (!files.exportsTo(format.option))
      continue;
    std::vector<SelectionRow> selections;
    for (const PortfolioRow &row : rows)
      selections.push_back(selectionRow(row, format));
    SelectionFile file = format.write(selections);
    if (reported != format.option)
      for (const std::string &missing : file.notExpressed)
        diags.warning({}, formatv("--export {0}: {1}", format.option, missing));
    reported = format.option;
    if (!file.selects) {
      reportNothing(format, selections, diags);
      continue;
    }
    if (failed(
            writeFile(files.pathOf(format.file), [&](raw_ostream &os) { os << file.text; }, diags)))
      return failure();
    written.push_back(format.file.str());
  }
  return success();
}
