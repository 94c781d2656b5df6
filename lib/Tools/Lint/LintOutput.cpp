//===- LintOutput.cpp - Lint results as text and as JSON ------------------===//
//
// A table of verdicts by file and, for XML, runtime, the findings in the form FILE:LINE:COLUMN, and
// tables of size ranges with their gaps and overlaps.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "cclc/Tools/Lint/LintFiles.h"
#include "cclc/Tools/Lint/MscclppLint.h"

#include "cclc/Support/Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

/// The numbers of the requested runtimes that a finding applies to.
static std::vector<size_t> concerned(const LintResult &report, const MscclFinding &finding) {
  std::vector<size_t> result;
  for (size_t d : report.dialects)
    if (finding.dialects.test(d))
      result.push_back(d);
  return result;
}

// --- Text -------------------------------------------------------------------------

static std::string rangeText(const SizeRange &range) {
  return formatv("{0,14} .. {1,14}", range.from, range.to ? std::to_string(*range.to) : "any");
}

/// Prints the tables of several ranges, with gaps and overlaps; those of a single file have
/// neither.
static void printSizes(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files, raw_ostream &os) {
  for (const SizeRanges &table : tables) {
    if (table.ranges.size() < 2)
      continue;
    os << formatv("\nsizes of {0} over {1} ranks {2} for {3}\n", printable(table.collective),
                  table.ranks, placementText(table.placement), table.runtime);
    for (const SizeRange &range : table.ranges)
      os << rangeText(range) << "  " << printable(files[range.file]) << '\n';
    for (const SizeRange &gap : table.gaps)
      os << rangeText(gap) << "  gap: no file\n";
    for (const SizeRange &overlap : table.overlaps)
      os << rangeText(overlap) << "  overlap: " << files[overlap.file] << " or "
         << files[overlap.other] << ", the first one found\n";
  }
}

static void printTable(const LintResult &report, raw_ostream &os) {
  for (size_t d : report.dialects)
    os << formatv("{0,-15}", mscclDialects()[d].name);
  os << formatv("{0,-13}{1,5}  {2,-15}{3,5}  {4}\n", "proof", "slots", "collective", "ranks",
                "file");
  for (size_t f = 0; f < report.files.size(); ++f) {
    const MscclLint &lint = report.lints[f];
    for (size_t d : report.dialects)
      os << formatv("{0,-15}", mscclVerdictName(lint.verdicts[d]));
    const LintResult::Proof &proof = report.proofs[f];
    os << formatv("{0,-13}{1,5}  {2,-15}{3,5}  {4}\n", verdictName(proof.verdict),
                  proof.slotsNeeded ? std::to_string(*proof.slotsNeeded) : "-",
                  lint.use ? printable(lint.use->collective) : "-",
                  lint.use ? std::to_string(lint.use->ranks) : "-", printable(report.files[f]));
  }
}

static void printFinding(const LintResult &report, size_t file, const MscclFinding &finding,
                         raw_ostream &os) {
  std::vector<size_t> dialects = concerned(report, finding);
  if (dialects.empty())
    return;
  std::string who;
  for (size_t d : dialects)
    who += (who.empty()            ? ""
            : d == dialects.back() ? " and "
                                   : ", ") +
           std::string(mscclDialects()[d].name);
  if (dialects.size() > 1 && dialects.size() == mscclDialects().size())
    who = "every runtime";
  bool several = dialects.size() > 1 && who != "every runtime";
  os << Location{report.files[file], finding.line, finding.column};
  switch (finding.verdict) {
  case MscclVerdict::Loads:
    os << ": note: " << who << ": ";
    break;
  case MscclVerdict::Misreads:
    os << ": error: " << who << (several ? " misread it: " : " misreads it: ");
    break;
  case MscclVerdict::Refuses:
    os << ": error: " << who << (several ? " refuse it: " : " refuses it: ");
    break;
  }
  os << printable(finding.text) << "; " << printable(finding.remedy);
  if (finding.more)
    os << " (" << finding.more << " more)";
  os << '\n';
}

void cclc::printLint(const LintResult &report, raw_ostream &os) {
  printTable(report, os);
  bool first = true;
  auto separate = [&] {
    if (first)
      os << '\n';
    first = false;
  };
  for (size_t f = 0; f < report.files.size(); ++f) {
    for (const MscclFinding &finding : report.lints[f].findings)
      if (!concerned(report, finding).empty()) {
        separate();
        printFinding(report, f, finding, os);
      }
    const LintResult::Proof &proof = report.proofs[f];
    if (proof.verdict != Verdict::Ok) {
      separate();
      os << proof.loc << ": error: " << printable(proof.error) << '\n';
    }
  }
  for (const std::string &note : report.notes) {
    separate();
    os << "note: " << printable(note) << '\n';
  }
  printSizes(report.sizes, report.files, os);
}

void cclc::printLint(const MscclppLintResult &result, raw_ostream &os) {
  os << formatv("{0,-13}{1,-15}{2,5}{3,14}  {4}\n", "proof", "collective", "ranks", "multiple of",
                "file");
  for (size_t f = 0; f < result.files.size(); ++f) {
    const MscclppLintResult::File &file = result.files[f];
    bool isRead = !file.name.empty();
    os << formatv("{0,-13}{1,-15}{2,5}{3,14}  {4}\n", verdictName(file.verdict),
                  isRead ? printable(file.collective) : "-",
                  isRead ? std::to_string(file.ranks) : "-",
                  isRead ? std::to_string(file.multiple) : "-", printable(result.paths[f]));
  }
  bool first = true;
  auto line = [&](const std::string &text) {
    os << (first ? "\n" : "") << printable(text) << '\n';
    first = false;
  };
  for (const MscclppLintResult::File &file : result.files)
    for (const Diagnostic &each : file.found) {
      std::string where;
      if (each.loc.isKnown())
        llvm::raw_string_ostream(where) << each.loc << ": ";
      line(where + (each.severity == Severity::Error ? "error: " : "warning: ") + each.text);
    }
  for (const std::string &error : result.errors)
    line("error: " + error);
  for (const std::string &note : result.notes)
    line("note: " + note);
  printSizes(result.sizes, result.paths, os);
}

// --- JSON -------------------------------------------------------------------------

static ordered_json rangesJson(ArrayRef<SizeRange> ranges, ArrayRef<std::string> files,
                               unsigned number) {
  ordered_json all = ordered_json::array();
  for (const SizeRange &range : ranges) {
    ordered_json one;
    one["from"] = range.from;
    one["to"] = range.to ? ordered_json(*range.to) : ordered_json(nullptr);
    if (number >= 1)
      one["file"] = files[range.file];
    if (number >= 2)
      one["other"] = files[range.other];
    all.push_back(std::move(one));
  }
  return all;
}

static ordered_json sizesJson(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files) {
  ordered_json all = ordered_json::array();
  for (const SizeRanges &table : tables) {
    ordered_json one;
    one["runtime"] = table.runtime;
    one["collective"] = table.collective;
    one["ranks"] = table.ranks;
    one["placement"] = table.placement == Placement::InPlace ? "in_place" : "out_of_place";
    one["ranges"] = rangesJson(table.ranges, files, 1);
    one["gaps"] = rangesJson(table.gaps, files, 0);
    one["overlaps"] = rangesJson(table.overlaps, files, 2);
    all.push_back(std::move(one));
  }
  return all;
}

static ordered_json optional(const std::optional<uint64_t> &value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

static ordered_json names(ArrayRef<size_t> dialects) {
  ordered_json all = ordered_json::array();
  for (size_t d : dialects)
    all.push_back(mscclDialects()[d].name);
  return all;
}

static ordered_json fileJson(const LintResult &report, size_t f) {
  const MscclLint &lint = report.lints[f];
  const LintResult::Proof &proof = report.proofs[f];
  ordered_json out;
  out["file"] = report.files[f];
  out["collective"] = lint.use ? ordered_json(lint.use->collective) : ordered_json(nullptr);
  out["ranks"] = lint.use ? ordered_json(lint.use->ranks) : ordered_json(nullptr);
  for (size_t d : report.dialects)
    out["runtimes"][mscclDialects()[d].name] = mscclVerdictName(lint.verdicts[d]).str();
  out["verdict"] = verdictName(proof.verdict).str();
  out["slots_needed"] = optional(proof.slotsNeeded);
  out["error"] = proof.error.empty() ? ordered_json(nullptr) : ordered_json(proof.error);
  out["findings"] = ordered_json::array();
  for (const MscclFinding &finding : lint.findings) {
    std::vector<size_t> dialects = concerned(report, finding);
    if (dialects.empty())
      continue;
    ordered_json one;
    one["effect"] =
        finding.verdict == MscclVerdict::Loads ? "note" : mscclVerdictName(finding.verdict).str();
    one["runtimes"] = names(dialects);
    one["line"] = finding.line;
    one["column"] = finding.column;
    one["text"] = finding.text;
    one["remedy"] = finding.remedy;
    one["more"] = finding.more;
    out["findings"].push_back(std::move(one));
  }
  return out;
}

void cclc::writeLintJson(const LintResult &report, raw_ostream &os) {
  ordered_json out;
  out["format"] = "ccl-lint-report";
  out["version"] = 1;
  out["right"] = report.isRight();
  for (size_t d : report.dialects)
    out["runtimes"][mscclDialects()[d].name] = mscclVerdictName(report.worst(d)).str();
  out["files"] = ordered_json::array();
  for (size_t f = 0; f < report.files.size(); ++f)
    out["files"].push_back(fileJson(report, f));
  out["sizes"] = sizesJson(report.sizes, report.files);
  out["notes"] = report.notes;
  os << jsonText(out) << '\n';
}

void cclc::writeLintJson(const MscclppLintResult &result, raw_ostream &os) {
  ordered_json out;
  out["format"] = "ccl-lint-report";
  out["version"] = 1;
  out["right"] = result.isRight();
  out["files"] = ordered_json::array();
  for (size_t f = 0; f < result.files.size(); ++f) {
    const MscclppLintResult::File &file = result.files[f];
    bool isRead = !file.name.empty();
    auto orNull = [&](const auto &value) {
      return isRead ? ordered_json(value) : ordered_json(nullptr);
    };
    auto error = llvm::find_if(
        file.found, [](const Diagnostic &each) { return each.severity == Severity::Error; });
    out["files"].push_back(
        {{"file", result.paths[f]},
         {"name", orNull(file.name)},
         {"collective", orNull(file.collective)},
         {"ranks", orNull(file.ranks)},
         {"multiple_of", orNull(file.multiple)},
         {"verdict", verdictName(file.verdict).str()},
         {"error", error == file.found.end() ? ordered_json(nullptr) : ordered_json(error->text)}});
  }
  out["sizes"] = sizesJson(result.sizes, result.paths);
  out["errors"] = result.errors;
  out["notes"] = result.notes;
  os << jsonText(out) << '\n';
}
