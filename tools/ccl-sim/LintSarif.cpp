//===- LintSarif.cpp - Lint results as SARIF ------------------------------===//
//
// Writes the Static Analysis Results Interchange Format, version 2.1.0, which code hosts show at
// the lines of files. Rules are what a runtime does with a file, and the proof.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "LintCommand.h"

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

ordered_json resultJson(StringRef rule, StringRef level, const std::string &text,
                        const Location &where) {
  ordered_json place;
  place["physicalLocation"]["artifactLocation"]["uri"] = uriOf(where.file);
  if (where.line) {
    place["physicalLocation"]["region"]["startLine"] = where.line;
    if (where.column)
      place["physicalLocation"]["region"]["startColumn"] = where.column;
  }
  return {{"ruleId", rule.str()},
          {"level", level.str()},
          {"message", textJson(text)},
          {"locations", ordered_json::array({place})}};
}

void addFile(const LintResult &report, size_t file, ordered_json &results) {
  for (const MscclFinding &finding : report.lints[file].findings) {
    std::vector<StringRef> runtimes;
    for (size_t d : report.dialects)
      if (finding.dialects.test(d))
        runtimes.push_back(mscclDialects()[d].name);
    if (runtimes.empty())
      continue;
    bool isNote = finding.verdict == MscclVerdict::Loads;
    std::string text = llvm::join(runtimes, ", ") + ": " + finding.text + "; " + finding.remedy;
    if (finding.more)
      text += " (" + std::to_string(finding.more) + " more)";
    results.push_back(resultJson(isNote ? "advice" : mscclVerdictName(finding.verdict),
                                 isNote ? "note" : "error", text,
                                 {report.files[file], finding.line, finding.column}));
  }
  const LintResult::Proof &proof = report.proofs[file];
  if (!proof.error.empty())
    results.push_back(resultJson("proof", "error", proof.error, proof.loc));
}
} // namespace

void cclc::writeLintSarif(const LintResult &report, raw_ostream &os) {
  const std::pair<const char *, const char *> rules[] = {
      {"refuses", "A runtime does not load the file."},
      {"misreads", "A runtime loads the file, but does not execute it as written."},
      {"advice", "A runtime executes the file; something can be improved."},
      {"proof", "The plan of the file is wrong."}};
  ordered_json driver = {{"name", "ccl-sim"}, {"version", versionString()}};
  driver["rules"] = ordered_json::array();
  for (auto [id, text] : rules)
    driver["rules"].push_back({{"id", id}, {"shortDescription", textJson(text)}});
  ordered_json results = ordered_json::array();
  for (size_t f = 0; f < report.files.size(); ++f)
    addFile(report, f, results);
  ordered_json run;
  run["tool"]["driver"] = driver;
  run["results"] = results;
  ordered_json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", ordered_json::array({run})}};
  os << jsonText(out) << '\n';
}
