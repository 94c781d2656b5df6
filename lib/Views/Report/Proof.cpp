//===- Proof.cpp - Proof reports as text and as JSON ----------------------===//
//
// The verdict of a plan and, with a target, one row per size from SizeVerifier and SizeMemory:
// transmissions of a step, slots needed, safe, deadlock or too large, which is printed as soon as
// it is known. The JSON form also contains all diagnostics with their notes.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Proof.h"

#include "JsonText.h"

#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/SizeMemory.h"
#include "cclc/Support/Text.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

std::optional<Bytes> Safety::largest() const {
  return completes && fits ? std::min(*completes, *fits) : completes ? completes : fits;
}

Verdict Safety::verdict() const {
  Verdict worst = Verdict::Ok;
  for (const Row &row : rows)
    if (!row.fits)
      worst = std::max(worst, Verdict::Illegal);
    else if (!row.proof.safe)
      return Verdict::Deadlock;
  return worst;
}

/// Verifies the sizes, which may be none, and determines the largest safe one. Reports sizes that
/// are unsafe or do not fit.
static FailureOr<Safety> proveSizes(const PlacedPlan &plan, std::optional<uint32_t> slotsNeeded,
                                    const ProofRequest &request, DiagnosticEngine &diags) {
  std::vector<Sizing> sizings; // first, because an invalid size is an error without a table
  for (uint64_t size : request.sizes) {
    FailureOr<Sizing> sizing = Sizing::create(plan, Bytes(size), request.type, diags);
    if (failed(sizing))
      return failure();
    sizings.push_back(*sizing);
  }
  SizeVerifier verifier(plan, slotsNeeded);
  Safety safety;
  safety.target = plan.machine.name;
  safety.slots = plan.slots;
  for (const Sizing &sizing : sizings) {
    const SizeVerifier::Proof &found = verifier.prove(sizing);
    bool fits = succeeded(checkMemory(plan, sizing, diags));
    safety.rows.push_back(
        {sizing.requested.count(), sizing.transmissions(plan.maxCount), found, fits});
    if (fits && !found.safe)
      verifier.report(sizing, diags);
    if (request.onRow)
      request.onRow(safety);
  }
  safety.completes = verifier.largestSafe(sizeOf(request.type));
  safety.fits = largestFitting(plan, request.type);
  return safety;
}

LogicalResult cclc::proveWithSizes(const ExecPlan &plan, const ProofRequest &request,
                                   ProvedPlan &report, DiagnosticEngine &diags) {
  const Machine *machine = request.machine;
  Protocol protocol = plan.info().protocol;
  Slots slots = request.slots                        ? *request.slots
                : machine && machine->find(protocol) ? machine->slotsFor(plan.info())
                                                     : plan.slots().value_or(defaultSlots);
  report.slots = slots;
  report.proof =
      machine ? provePlanOn(*machine, plan, slots, diags) : verifyPlan(plan, slots, diags);
  report.verdict = report.proof.verdict;
  if (!machine || report.verdict != Verdict::Ok)
    return success();
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, *machine, slots, diags);
  if (failed(placed))
    return failure();
  FailureOr<Safety> safety = proveSizes(*placed, report.proof.slotsNeeded, request, diags);
  if (failed(safety))
    return failure();
  report.verdict = safety->verdict();
  report.safety = std::move(*safety);
  return success();
}

namespace {
using Json = nlohmann::ordered_json;

Json limit(std::optional<Bytes> largest) { return largest ? Json(largest->count()) : Json("inf"); }

Json toJson(const Safety &safety) {
  Json out;
  out["target"] = safety.target;
  out["slots"] = safety.slots.isUnlimited() ? Json("inf") : Json(safety.slots.limit());
  out["safe_up_to"] = limit(safety.largest());
  out["fits_up_to"] = limit(safety.fits);
  out["results"] = Json::array();
  for (const Safety::Row &row : safety.rows) {
    Json entry;
    entry["bytes"] = row.bytes;
    entry["transmissions"] = row.transmissions;
    entry["slots_needed"] = row.proof.slotsNeeded ? Json(*row.proof.slotsNeeded) : Json(nullptr);
    entry["safe"] = row.proof.safe;
    entry["fits"] = row.fits;
    out["results"].push_back(std::move(entry));
  }
  return out;
}

/// Every diagnostic of one severity, with its notes.
Json toJson(const DiagnosticEngine &diags, Severity severity) {
  auto entry = [](const Location &loc, const std::string &text) {
    std::string where;
    llvm::raw_string_ostream(where) << loc;
    return Json({{"location", where}, {"text", text}});
  };
  Json all = Json::array();
  for (const Diagnostic &diagnostic : diags.all()) {
    if (diagnostic.severity != severity)
      continue;
    Json one = entry(diagnostic.loc, diagnostic.text);
    one["notes"] = Json::array();
    for (const Diagnostic::Note &note : diagnostic.notes)
      one["notes"].push_back(entry(note.loc, note.text));
    all.push_back(std::move(one));
  }
  return all;
}
} // namespace

/// The line on the plan.
static void printVerdict(const ProvedPlan &report, raw_ostream &os) {
  os << printable(report.file) << ": " << verdictName(report.proof.verdict);
  if (report.slots)
    os << " with " << report.slots->phrase();
  if (report.proof.slotsNeeded)
    os << ", needs " << *report.proof.slotsNeeded;
  if (report.proof.reductionHash)
    os << ", reduction hash " << hashText(*report.proof.reductionHash);
  if (report.proof.sameBits)
    os << (*report.proof.sameBits ? ", same bits on all ranks" : ", different bits on the ranks");
  if (!report.proof.note.empty())
    os << "; " << printable(report.proof.note);
  os << '\n';
}

static void printLargest(const Safety &safety, raw_ostream &os) {
  std::optional<Bytes> largest = safety.largest();
  if (!largest)
    os << "safe at every size on ";
  else if (*largest == Bytes())
    os << "safe at no size on ";
  else
    os << "safe up to " << largest->count() << " bytes on ";
  os << printable(safety.target);
  if (largest && largest != safety.completes)
    os << "; " << (*largest == Bytes() ? "no buffer fits" : "larger buffers do not fit")
       << " into its memory";
  os << '\n';
}

static void printRow(const ProvedPlan &report, const Safety &safety, size_t number,
                     raw_ostream &os) {
  if (number == 0) {
    printVerdict(report, os);
    os << formatv("{0,12} {1,14} {2,13} {3,6}  {4}\n", "bytes", "transmissions", "slots needed",
                  "slots", "verdict");
  }
  const Safety::Row &row = safety.rows[number];
  os << formatv("{0,12} {1,14} {2,13} {3,6}  {4}\n", row.bytes, row.transmissions,
                row.proof.slotsNeeded ? std::to_string(*row.proof.slotsNeeded) : "-",
                safety.slots.str(),
                !row.fits        ? "too large"
                : row.proof.safe ? "safe"
                                 : "deadlock");
}

void cclc::printLastRow(const ProvedPlan &report, const Safety &safety, raw_ostream &os) {
  printRow(report, safety, safety.rows.size() - 1, os);
  os.flush();
}

void cclc::printRows(const ProvedPlan &report, raw_ostream &os) {
  for (size_t row = 0; report.safety && row < report.safety->rows.size(); ++row)
    printRow(report, *report.safety, row, os);
}

void cclc::printProof(const ProvedPlan &report, raw_ostream &os) {
  if (!report.safety || report.safety->rows.empty())
    printVerdict(report, os);
  if (report.safety)
    printLargest(*report.safety, os);
  os.flush();
}

/// Adds the keys of one plan.
static void addPlan(const ProofReport &one, Json &out) {
  const auto &[report, diags] = one;
  out["file"] = report.file;
  out["verdict"] = verdictName(report.verdict).str();
  out["slots"] = nullptr;
  if (report.slots)
    out["slots"] = report.slots->isUnlimited() ? Json("inf") : Json(report.slots->limit());
  out["slots_needed"] = nullptr;
  if (report.proof.slotsNeeded)
    out["slots_needed"] = *report.proof.slotsNeeded;
  out["reduction_hash"] = nullptr;
  if (report.proof.reductionHash)
    out["reduction_hash"] = hashText(*report.proof.reductionHash);
  out["same_bits"] = nullptr;
  if (report.proof.sameBits)
    out["same_bits"] = *report.proof.sameBits;
  out["note"] = report.proof.note.empty() ? Json(nullptr) : Json(report.proof.note);
  if (report.safety)
    out["sizes"] = toJson(*report.safety);
  out["errors"] = toJson(diags, Severity::Error);
  out["warnings"] = toJson(diags, Severity::Warning);
}

void cclc::writeProofJson(ArrayRef<ProofReport> reports, raw_ostream &os) {
  Json out;
  out["format"] = "ccl-verify-report";
  out["version"] = 1;
  if (reports.size() == 1) {
    addPlan(reports.front(), out);
  } else {
    Verdict worst = Verdict::Ok;
    for (const ProofReport &one : reports)
      worst = std::max(worst, one.plan.verdict);
    out["verdict"] = verdictName(worst).str();
    out["plans"] = Json::array();
    for (const ProofReport &one : reports)
      addPlan(one, out["plans"].emplace_back());
  }
  // Names in files may be invalid UTF-8.
  os << jsonText(out) << '\n';
}
