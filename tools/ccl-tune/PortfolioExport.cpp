//===- PortfolioExport.cpp - A portfolio for other tools ------------------===//
//
// Simulators get one plan and one size per file: the sizes that the tuner has simulated. Runtimes
// that select among their own algorithms get one file for the whole portfolio.
//
//===----------------------------------------------------------------------===//

#include "PortfolioExport.h"

#include "Deployment.h"

#include "cclc/Formats/Selection/Selection.h"
#include "cclc/Search/Tune/NativeCandidates.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Views/Export/Chakra.h"
#include "cclc/Views/Export/Goal.h"

#include "llvm/ADT/STLExtras.h"
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
  StringRef runtime, file;
  SelectionFile (*write)(ArrayRef<SelectionRow> rows);
};
constexpr SelectionFormat formats[] = {{"nccl", "tuner.csv", ncclTunerCsv},
                                       {"ompi", "rules.conf", openMpiRules},
                                       {"ompi", "rules.json", openMpiJson},
                                       {"mpich", "tuning.json", mpichTuning}};

/// \p row in the terms of its runtime. A file sets the bytes of segments, and a candidate their
/// number: the sizes between the measured ones have the segments of the one below.
void addSelections(const PortfolioRow &row, std::vector<SelectionRow> &selections) {
  const TuneProblem &problem = row.tuned->problem;
  const Tried &plan = row.tuned->of(*row.range);
  const std::vector<NativeChoice> choices =
      nativeChoices(problem, *parseSelectingRuntime(problem.runtime->name));
  const NativeAlgorithm &algorithm =
      *llvm::find_if(choices, [&](const NativeChoice &choice) {
         return choice.algorithm->program == plan.candidate.program->name();
       })->algorithm;
  const uint64_t parts = segmentsOf(algorithm, plan.candidate);
  const size_t last = parts > 1 ? row.range->lastSize : row.range->firstSize;
  for (size_t s = row.range->firstSize; s <= last; ++s) {
    SelectionRow &selection = selections.emplace_back(SelectionRow{
        problem.collective, problem.ranks(), problem.ranksPerNode(),
        s == row.range->firstSize ? row.range->minBytes : problem.sizes[s],
        s == last ? row.range->maxBytes : problem.sizes[s + 1] - 1, plan.candidate.program->name(),
        plan.candidate.variant.protocol, uint32_t(channelsOf(algorithm, plan.candidate))});
    if (parts > 1)
      selection.segmentBytes = std::max<uint64_t>(problem.sizes[s] / parts, 1);
    selection.parameters = plan.candidate.parameters;
    selection.hasReducingSwitches = siteOf(problem).hasReducingSwitches;
  }
}
} // namespace

std::string cclc::selectionFileOf(const Runtime &runtime) {
  for (const SelectionFormat &format : formats)
    if (format.runtime == runtime.name)
      return format.file.str();
  llvm_unreachable("the runtime has no choices");
}

LogicalResult cclc::exportSizes(const PortfolioRow &row, const ExecPlan &plan,
                                const PortfolioFiles &files, std::vector<std::string> &written,
                                DiagnosticEngine &diags) {
  const bool toChakra = files.exportsTo("chakra"), toGoal = files.exportsTo("goal");
  if (!toChakra && !toGoal)
    return success();
  const TuneProblem &problem = row.tuned->problem;
  if (!problem.runtime->executesSteps()) {
    diags.warning({}, formatv("--export: {0} is not written: {1} does not execute its steps",
                              row.name, problem.runtime->product));
    return success();
  }
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

LogicalResult cclc::writeSelections(ArrayRef<PortfolioRow> rows, const PortfolioFiles &files,
                                    std::vector<std::string> &written, DiagnosticEngine &diags) {
  for (const SelectionFormat &format : formats) {
    std::vector<SelectionRow> selections;
    const Runtime *runtime = findRuntime(format.runtime);
    for (const PortfolioRow &row : rows)
      if (row.tuned->problem.runtime == runtime)
        addSelections(row, selections);
    if (selections.empty())
      continue;
    SelectionFile file = format.write(selections);
    // Of two calls with one collective, a runtime may have the algorithm for one only.
    if (!file.selects)
      return diags
          .error({}, formatv("{0} selects nothing: {1}", format.file, file.notExpressed.front()))
          .as(Failure::Defect);
    const std::string path = folderOf(*runtime) + "/" + format.file.str();
    if (failed(writeFile(files.pathOf(path), [&](raw_ostream &os) { os << file.text; }, diags)))
      return failure();
    written.push_back(path);
  }
  return success();
}
