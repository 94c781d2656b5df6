//===- PortfolioExport.cpp - A portfolio for other tools ------------------===//
//
// Simulators get one plan and one size per file: the sizes that the tuner has simulated. Runtimes
// that select among their own algorithms get one file for the whole portfolio.
//
//===----------------------------------------------------------------------===//

#include "PortfolioExport.h"

#include "cclc/Search/Tune/Deployment.h"
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
} // namespace

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
  std::vector<const Runtime *> runtimes;
  for (const PortfolioRow &row : rows)
    if (const Runtime *runtime = row.tuned->problem.runtime;
        runtime->form == RuntimeForm::Choices && !llvm::is_contained(runtimes, runtime))
      runtimes.push_back(runtime);
  for (const Runtime *runtime : runtimes) {
    std::vector<SelectionRow> selections;
    for (const PortfolioRow &row : rows)
      if (row.tuned->problem.runtime == runtime)
        llvm::append_range(selections,
                           selectionsOf(row.tuned->problem, row.tuned->result, *row.range));
    FailureOr<std::vector<DeliveredFile>> tables = selectionTables(*runtime, selections, diags);
    if (failed(tables))
      return failure();
    for (const DeliveredFile &table : *tables) {
      auto write = [&](raw_ostream &os) { os << table.text; };
      if (failed(writeFile(files.pathOf(table.path), write, diags)))
        return failure();
      written.push_back(table.path);
    }
  }
  return success();
}
