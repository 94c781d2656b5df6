//===- GithubWriter.cpp - Annotations of GitHub Actions -------------------===//
//
// Gates, the proof and differences as workflow commands (Support/Annotations.h).
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "cclc/Diff/DiffResult.h"
#include "cclc/Support/Annotations.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

/// GitHub limits the number of annotations of a step.
static constexpr size_t shown = 10;

void diff::writeGithub(const DiffResult &report, bool gatesOnly, raw_ostream &os) {
  for (const GateResult &gate : report.gates)
    if (gate.tripped)
      annotate(os, "error", {}, "ccl-diff " + report.newName, gate.text());
  const Figures &now = report.diff.figuresAfter;
  if (now.proof.verdict != Verdict::Ok)
    annotate(os, "error", {}, "ccl-diff " + report.newName,
             report.newName + " is not proved: " + now.flaw);
  if (!report.differs())
    return;
  StringRef level = !report.diff.comparable ? "error" : gatesOnly ? "notice" : "warning";
  annotate(os, level, {}, "ccl-diff " + report.newName,
           report.oldName + " and " + report.newName +
               " differ: " + verdict(report.diff, report.strict));
  std::vector<Fold> folds = foldDifferences(report.diff, report.strict);
  size_t lines = 0;
  for (const Fold &fold : folds) {
    const Difference &d = fold.first;
    // Differences without a location are covered by the verdict above.
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
