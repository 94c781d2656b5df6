//===- LintFindings.cpp - Findings of lints as one list -------------------===//
//
// Errors and advice of each file come first, then those of the set, then gaps and overlaps of
// sizes. An error of one runtime fails a test only if no runtime loads all files, as in the exit
// code; SARIF keeps its level.
//
//===----------------------------------------------------------------------===//

#include "LintFindings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

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
