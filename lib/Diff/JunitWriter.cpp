//===- JunitWriter.cpp - A comparison as a report of JUnit ----------------===//
//
// One suite: the proof of the new plan, the comparison, and each gate are its test cases.
// Differences within the gates fail no test case if only gates are checked.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/DiffResult.h"
#include "cclc/Support/Junit.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

void diff::writeJunit(const DiffResult &report, bool gatesOnly, raw_ostream &os) {
  JunitSuite suite("ccl-diff " + report.newName);
  const Figures &now = report.diff.figuresAfter;
  bool proved = now.proof.verdict == Verdict::Ok;
  suite.add("proof", proved ? "" : report.newName + " is not proved: " + now.flaw);
  bool fails = report.differs() && (!gatesOnly || !report.diff.comparable);
  suite.add("comparison", fails ? report.oldName + " and " + report.newName +
                                      " differ: " + verdict(report.diff, report.strict)
                                : "");
  for (const GateResult &gate : report.gates) {
    std::string name = "gate " + gate.gate->text;
    if (gate.bytes)
      name += " at " + std::to_string(gate.bytes->count()) + " bytes" + gate.where;
    suite.add(name, gate.tripped ? gate.text() : "");
  }
  suite.write(os);
}
