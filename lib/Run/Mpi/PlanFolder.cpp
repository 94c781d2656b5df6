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
#include "cclc/Target/Runtime.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

/// Whether the plan of \p row has steps: those of other runtimes are in the portfolio as well.
static bool isExecuted(const PortfolioFileRow &row) {
  const Runtime *runtime = findRuntime(row.runtime);
  return row.runtime.empty() || (runtime && runtime->executesSteps());
}

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
    if (isExecuted(row))
      result.rows.push_back({std::move(row)});
  DiagnosticEngine missing; // is reported when the plan is needed
  for (const Row &row : result.rows)
    if (auto plan = openPlanFile(row.file.plan, missing); succeeded(plan))
      result.hash = result.hash * 31 + llvm::xxh3_64bits((*plan)->getBuffer());
  return result;
}

bool PlanFolder::covers(uint32_t ranks) const {
  for (const Row &row : rows)
    if (row.file.ranks == ranks)
      return true;
  return false;
}

const FolderPlan *PlanFolder::find(CollectiveKind kind, uint32_t ranks, uint64_t bytes,
                                   DiagnosticEngine &diags) {
  for (Row &row : rows) {
    if (!row.file.covers(kind, ranks, bytes))
      continue;
    if (row.isRead)
      return row.plan.get();
    row.isRead = true;
    FailureOr<ExecPlan> plan = readPlanFile(row.file.plan, diags);
    if (failed(plan) || failed(checkNoSwitches(*plan, "MPI", diags)))
      return nullptr;
    Slots slots = plan->slots().value_or(defaultSlots);
    PlanProof proof = verifyPlan(*plan, slots, diags, ReductionHash::Omit);
    if (proof.verdict != Verdict::Ok)
      return nullptr;
    const Collective &collective = plan->info().collective;
    if (collective.kind() != kind || collective.ranks() != ranks) {
      diags.error({}, formatv("{0} is a plan for another collective", row.file.plan));
      return nullptr;
    }
    row.plan = std::make_unique<FolderPlan>(
        FolderPlan{std::move(*plan), slotsToExecute(slots, proof.slotsNeeded)});
    return row.plan.get();
  }
  return nullptr;
}
