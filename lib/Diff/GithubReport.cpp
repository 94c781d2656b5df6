//===- GithubReport.cpp - Annotations of GitHub Actions -------------------===//
//
// Workflow commands, "::warning file=F,line=L,title=T::message". What would end a line, a property
// or the command is escaped as the runner reads it.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "cclc/Diff/Report.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

/// Annotations of one step are limited; more than these help nobody.
static constexpr size_t shown = 10;

static std::string escaped(StringRef text, bool property) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '%':
      result += "%25";
      break;
    case '\r':
      result += "%0D";
      break;
    case '\n':
      result += "%0A";
      break;
    case ':':
      result += property ? "%3A" : ":";
      break;
    case ',':
      result += property ? "%2C" : ",";
      break;
    default:
      result += c;
    }
  return result;
}

static void annotate(raw_ostream &os, StringRef level, const Location &location, StringRef title,
                     const std::string &message) {
  os << "::" << level << ' ';
  if (location.isKnown()) {
    os << "file=" << escaped(location.file, true) << ',';
    if (location.line)
      os << "line=" << location.line << ',';
    if (location.column)
      os << "col=" << location.column << ',';
  }
  os << "title=" << escaped(title, true) << "::" << escaped(message, false) << '\n';
}

void diff::writeGithub(const DiffReport &report, bool gatesOnly, raw_ostream &os) {
  for (const GateResult &gate : report.gates)
    if (gate.tripped)
      annotate(os, "error", {}, "ccl-diff " + report.newName, gate.text());
  const Figures &now = report.diff.figuresAfter;
  if (now.proof.verdict != Verdict::Ok)
    annotate(os, "error", {}, "ccl-diff " + report.newName,
             report.newName + " is not proved: " + now.flaw);
  if (!report.differs())
    return;
  StringRef level = gatesOnly ? "notice" : "warning";
  annotate(os, level, {}, "ccl-diff " + report.newName,
           report.oldName + " and " + report.newName +
               " differ: " + verdict(report.diff, report.strict));
  std::vector<Fold> folds = foldDifferences(report.diff, report.strict);
  size_t lines = 0;
  for (const Fold &fold : folds) {
    const Difference &d = fold.first;
    // What has no place in a file is in the sentence above, or in the text.
    if (!d.location.isKnown() || lines++ >= shown)
      continue;
    std::string message = fold.first.rank ? "r" + std::to_string(d.rank->index()) + " " : "";
    message += Fold::textOf(d) + fold.tail();
    annotate(os, level, d.location, ("ccl-diff " + aspectName(d.aspect)).str(), message);
  }
  if (lines > shown)
    annotate(os, level, {}, "ccl-diff " + report.newName,
             "... and " + std::to_string(lines - shown) + " more; --format=json has them all");
}
