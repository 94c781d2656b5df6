//===- PlanFolder.cpp - The plans of a portfolio --------------------------===//
//
// A plan is proved when it is read: an application must not get a wrong result from a file that was
// changed by hand.
//
//===----------------------------------------------------------------------===//

#include "PlanFolder.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Run/PreparedPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

FailureOr<PlanFolder> PlanFolder::read(const std::string &folder, DiagnosticEngine &diags) {
  std::string path = folder + "/portfolio.json";
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  PlanFolder result;
  result.hash = llvm::xxh3_64bits(text);
  FailureOr<PortfolioFile> file = readPortfolio(text, folder, path, diags);
  if (failed(file))
    return failure();
  for (PortfolioFileRow &row : file->rows)
    if (row.hasSteps()) // plans of other runtimes are in the portfolio as well
      result.rows.push_back({std::move(row)});
  DiagnosticEngine missing; // is reported when the plan is needed
  for (PortfolioRow &row : result.rows) {
    if (auto plan = openPlanFile(row.file.plan, missing); succeeded(plan))
      row.hash = llvm::xxh3_64bits((*plan)->getBuffer());
    result.hash = result.hash * 31 + row.hash;
  }
  return result;
}

bool PlanFolder::covers(uint32_t ranks) const {
  return llvm::any_of(rows, [&](const PortfolioRow &row) { return row.file.ranks == ranks; });
}

bool PlanFolder::isMeasured() const {
  return llvm::any_of(rows, [](const PortfolioRow &row) {
    return llvm::any_of(row.file.points, [](const PortfolioPoint &point) {
      return point.measuredNanoseconds.has_value();
    });
  });
}

PortfolioRow *PlanFolder::find(CollectiveKind kind, uint32_t ranks, uint64_t bytes, uint32_t row) {
  for (PortfolioRow &each : rows)
    if (each.file.covers(kind, ranks, bytes) &&
        (row == 0 || each.file.plan == rows[row - 1].file.plan))
      return &each;
  return nullptr;
}

uint32_t PlanFolder::rowOf(StringRef file) const {
  auto found = llvm::find_if(rows, [&](const PortfolioRow &row) { return row.file.plan == file; });
  return found == rows.end() ? 0 : uint32_t(found - rows.begin()) + 1;
}

/// Reads and proves the plan of \p row.
static FailureOr<FolderPlan> readRow(const PortfolioRow &row, DiagnosticEngine &diags) {
  const std::string &path = row.file.plan;
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  if (llvm::xxh3_64bits(text) != row.hash)
    return diags.error({}, formatv("{0} has been changed since the job began", path));
  FailureOr<ExecPlan> plan = readPlan(text, planFileName(path), diags);
  if (failed(plan) || failed(checkNoSwitches(*plan, "MPI", diags)))
    return failure();
  const Collective &collective = plan->info().collective;
  Slots slots = plan->slots().value_or(defaultSlots);
  // Only an all-reduce has the same elements on several ranks.
  PlanProof proof =
      verifyPlan(*plan, slots, diags,
                 collective.kind() == CollectiveKind::AllReduce ? ReductionHash::Compute
                                                                : ReductionHash::Omit);
  if (proof.verdict != Verdict::Ok)
    return failure();
  if (collective.kind() != row.file.collective || collective.ranks() != row.file.ranks)
    return diags.error({}, formatv("{0} is a plan for another collective", path));
  return FolderPlan{std::move(*plan), slotsToExecute(slots, proof.slotsNeeded),
                    proof.sameBits.value_or(true)};
}

const FolderPlan *PlanFolder::planOf(PortfolioRow &row, DiagnosticEngine &diags) {
  if (!row.isRead) {
    row.isRead = true;
    if (FailureOr<FolderPlan> plan = readRow(row, diags); succeeded(plan))
      row.plan = std::make_unique<FolderPlan>(std::move(*plan));
  }
  return row.plan.get();
}
