//===- JunitWriter.cpp - A comparison as a report of JUnit ----------------===//
//
// The proof of the new plan, the comparison, and each gate are test cases. Differences within the
// gates fail no test case if only gates are checked.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/DiffResult.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

void diff::addTests(const DiffResult &report, bool gatesOnly, JunitSuite &suite) {
  const Figures &now = report.diff.figuresAfter;
  bool proved = now.proof.verdict == Verdict::Ok;
  suite.add("proof", proved ? "" : report.newName + " is not proved: " + now.flaw);
  std::string differences;
  llvm::raw_string_ostream os(differences);
  writeDifferences(report, os);
  bool fails = report.differs() && (!gatesOnly || !report.diff.comparable);
  suite.add("comparison",
            fails ? report.oldName + " and " + report.newName +
                        " differ: " + verdict(report.diff, report.strict)
                  : "",
            StringRef(differences).ltrim('\n').str());
  for (const GateResult &gate : report.gates) {
    std::string name = "gate " + gate.gate->text;
    if (gate.bytes)
      name += " at " + std::to_string(gate.bytes->count()) + " bytes" + gate.where;
    suite.add(name, gate.tripped ? gate.text() : "");
  }
}
