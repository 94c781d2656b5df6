//===- LintFindings.cpp - Findings of lints as one list -------------------===//
//
// Errors and advice of each file come first, then those of the set, then gaps and overlaps of
// sizes. An error of one runtime fails a test only if no runtime loads all files, as in the exit
// code; SARIF keeps its level.
//
// The Static Analysis Results Interchange Format is that of version 2.1.0, which code hosts show at
// the lines of files. Its rules are what a runtime does with a file, and the proof.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/LintFindings.h"
#include "JsonText.h"

#include "cclc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

static void addSizes(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files,
                     std::vector<LintFinding> &findings) {
  for (const SizeRanges &table : tables) {
    std::string who = formatv("{0} over {1} ranks {2} for {3}", table.collective, table.ranks,
                              placementText(table.placement), table.runtime)
                          .str();
    auto sizes = [&](const SizeRange &range) {
      std::string to = range.to ? " to " + std::to_string(*range.to) : "";
      return formatv("sizes from {0}{1} of {2}", range.from, to, who).str();
    };
    for (const SizeRange &gap : table.gaps)
      findings.push_back({"sizes", Severity::Note, {}, sizes(gap) + ": gap, no file"});
    for (const SizeRange &overlap : table.overlaps)
      findings.push_back({"sizes",
                          Severity::Note,
                          {files[overlap.file]},
                          sizes(overlap) + ": overlap, " + files[overlap.file] + " or " +
                              files[overlap.other] + ", the first one found"});
  }
}

static void addSet(ArrayRef<std::string> texts, Severity severity,
                   std::vector<LintFinding> &findings) {
  for (const std::string &text : texts)
    findings.push_back({"set", severity, {}, text});
}

std::vector<LintFinding> cclc::findingsOf(const LintResult &report) {
  std::vector<LintFinding> findings;
  for (size_t file = 0; file < report.files.size(); ++file) {
    for (const MscclFinding &finding : report.lints[file].findings) {
      std::vector<StringRef> runtimes;
      for (size_t d : report.dialects)
        if (finding.dialects.test(d))
          runtimes.push_back(mscclDialects()[d].name);
      if (runtimes.empty())
        continue;
      const bool isNote = finding.verdict == MscclVerdict::Loads;
      std::string text = llvm::join(runtimes, ", ") + ": " + finding.text + "; " + finding.remedy;
      if (finding.more)
        text += " (" + std::to_string(finding.more) + " more)";
      findings.push_back({isNote ? StringRef("advice") : mscclVerdictName(finding.verdict),
                          isNote ? Severity::Note : Severity::Error,
                          {report.files[file], finding.line, finding.column},
                          std::move(text)});
    }
    const LintResult::Proof &proof = report.proofs[file];
    if (!proof.error.empty())
      findings.push_back({"proof", Severity::Error, proof.loc, proof.error});
  }
  addSet(report.notes, Severity::Note, findings);
  addSizes(report.sizes, report.files, findings);
  return findings;
}

std::vector<LintFinding> cclc::findingsOf(const MscclppLintResult &report) {
  std::vector<LintFinding> findings;
  for (size_t file = 0; file < report.files.size(); ++file)
    for (const Diagnostic &each : report.files[file].found)
      findings.push_back({"proof", each.severity,
                          each.loc.isKnown() ? each.loc : Location{report.paths[file]},
                          each.textWithNotes()});
  addSet(report.errors, Severity::Error, findings);
  addSet(report.notes, Severity::Note, findings);
  addSizes(report.sizes, report.paths, findings);
  return findings;
}

void cclc::addFindings(ArrayRef<LintFinding> findings, bool isRight, DiagnosticEngine &diags) {
  for (const LintFinding &finding : findings) {
    if (finding.severity == Severity::Note)
      diags.note(finding.where, finding.text);
    else if (finding.severity == Severity::Warning || isRight)
      diags.warning(finding.where, finding.text);
    else
      diags.error(finding.where, finding.text);
  }
}

// --- SARIF --------------------------------------------------------------------------

namespace {
ordered_json textJson(const std::string &text) { return {{"text", text}}; }

/// The characters of a path that a URI has to escape.
std::string uriOf(StringRef path) {
  std::string uri;
  for (char c : path)
    if (llvm::isAlnum(c) || StringRef("/._-~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::toHex(StringRef(&c, 1));
  return uri;
}

constexpr const char *levelOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

ordered_json resultJson(StringRef rule, Severity severity, const std::string &text,
                        const Location &where) {
  ordered_json result = {
      {"ruleId", rule.str()}, {"level", levelOf(severity)}, {"message", textJson(text)}};
  if (!where.isKnown())
    return result;
  ordered_json place;
  place["physicalLocation"]["artifactLocation"]["uri"] = uriOf(where.file);
  if (where.line) {
    place["physicalLocation"]["region"]["startLine"] = where.line;
    if (where.column)
      place["physicalLocation"]["region"]["startColumn"] = where.column;
  }
  result["locations"] = ordered_json::array({place});
  return result;
}
} // namespace

void cclc::writeLintSarif(ArrayRef<LintFinding> findings, const DiagnosticEngine &unread,
                          ArrayRef<std::string> files, raw_ostream &os) {
  const std::pair<const char *, const char *> rules[] = {
      {"refuses", "A runtime does not load the file."},
      {"misreads", "A runtime loads the file, but does not execute it as written."},
      {"advice", "A runtime executes the file; something can be improved."},
      {"proof", "The plan of the file is wrong."},
      {"set", "The files cannot be loaded together."},
      {"sizes", "For a size there is no file, or there are several."},
      {"input", "The file cannot be read."}};
  ordered_json driver = {{"name", "ccl-sim"}, {"version", versionString()}};
  driver["rules"] = ordered_json::array();
  for (auto [id, text] : rules)
    driver["rules"].push_back({{"id", id}, {"shortDescription", textJson(text)}});
  // Code hosts show only results with a file: those about the set are at the first one.
  Location first;
  if (!files.empty())
    first.file = files.front();
  ordered_json results = ordered_json::array();
  for (const LintFinding &finding : findings)
    results.push_back(resultJson(finding.rule, finding.severity, finding.text,
                                 finding.where.isKnown() ? finding.where : first));
  for (const Diagnostic &each : unread.all())
    results.push_back(resultJson("input", each.severity, each.textWithNotes(),
                                 each.loc.isKnown() ? each.loc : first));
  ordered_json run;
  run["tool"]["driver"] = driver;
  run["results"] = results;
  ordered_json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", ordered_json::array({run})}};
  os << jsonText(out) << '\n';
}
