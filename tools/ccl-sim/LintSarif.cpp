//===- LintSarif.cpp - Lint results as SARIF ------------------------------===//
//
// Writes the Static Analysis Results Interchange Format, version 2.1.0, which code hosts show at
// the lines of files. Rules are what a runtime does with a file, and the proof.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "LintFindings.h"

#include "cclc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using nlohmann::ordered_json;

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
