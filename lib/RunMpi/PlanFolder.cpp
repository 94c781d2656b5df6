//===- PlanFolder.cpp - The plans of a portfolio --------------------------===//
//
// A plan is proved when it is read: an application must not get a wrong result from a file that was
// changed by hand.
//
//===----------------------------------------------------------------------===//

#include "PlanFolder.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Run/RunPlan.h"
#include "cclc/Semantics/PlanVerifier.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;
using nlohmann::json;

FailureOr<PlanFolder> PlanFolder::read(const std::string &folder, DiagnosticEngine &diags) {
  std::string path = folder + "/portfolio.json";
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  PlanFolder result;
  result.hash = llvm::xxh3_64bits(text);
  try {
    json document = json::parse(text.begin(), text.end());
    for (const json &row : document.at("rows")) {
      std::string name = row.at("collective");
      std::optional<CollectiveKind> kind = parseCollective(name);
      if (!kind)
        return diags.error({}, formatv("{0}: unknown collective '{1}'", path, name));
      std::optional<uint64_t> maxBytes;
      if (row.contains("max_bytes") && !row["max_bytes"].is_null())
        maxBytes = row["max_bytes"];
      result.rows.push_back({*kind, row.at("ranks"), row.at("min_bytes"), maxBytes,
                             folder + "/" + row.at("plan").get<std::string>()});
    }
  } catch (const json::exception &error) {
    return diags.error({}, formatv("{0}: {1}", path, error.what()));
  }
  DiagnosticEngine missing; // is reported when the plan is needed
  for (const Row &row : result.rows)
    if (auto plan = openPlanFile(row.file, missing); succeeded(plan))
      result.hash = result.hash * 31 + llvm::xxh3_64bits((*plan)->getBuffer());
  return result;
}

bool PlanFolder::covers(uint32_t ranks) const {
  for (const Row &row : rows)
    if (row.ranks == ranks)
      return true;
  return false;
}

const FolderPlan *PlanFolder::find(CollectiveKind kind, uint32_t ranks, uint64_t bytes,
                                   DiagnosticEngine &diags) {
  for (Row &row : rows) {
    if (row.kind != kind || row.ranks != ranks || bytes < row.minBytes ||
        (row.maxBytes && bytes > *row.maxBytes))
      continue;
    if (row.isRead)
      return row.plan.get();
    row.isRead = true;
    FailureOr<ExecPlan> plan = readPlanFile(row.file, diags);
    if (failed(plan))
      return nullptr;
    Slots slots = plan->slots().value_or(defaultSlots);
    PlanProof proof = verifyPlan(*plan, slots, diags);
    if (proof.verdict != Verdict::Ok)
      return nullptr;
    const Collective &collective = plan->info().collective;
    if (collective.kind() != kind || collective.ranks() != ranks) {
      diags.error({}, formatv("{0} is a plan for another collective", row.file));
      return nullptr;
    }
    row.plan = std::make_unique<FolderPlan>(
        FolderPlan{std::move(*plan), slotsToExecute(slots, proof.slotsNeeded)});
    return row.plan.get();
  }
  return nullptr;
}
