//===- Junit.cpp - Reports of JUnit ---------------------------------------===//
//
// Writes the schema that Jenkins and GitLab read: testsuites, testsuite, testcase, failure. All
// texts are attributes, so that readers show them without their line ends being changed.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Junit.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void JunitSuite::add(std::string test, std::string failure) {
  cases.push_back({std::move(test), std::move(failure)});
}

void JunitSuite::add(ArrayRef<std::string> inputs, const DiagnosticEngine &diags) {
  bool general = false; // an error that is in no file concerns all inputs
  for (const Diagnostic &diagnostic : diags.all()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (diagnostic.loc.isKnown())
      os << diagnostic.loc << ": ";
    os << diagnostic.text;
    for (const Diagnostic::Note &note : diagnostic.notes)
      os << "\nnote: " << note.text;
    general |= !diagnostic.loc.isKnown();
    add(diagnostic.loc.isKnown() ? diagnostic.loc.file : name, text);
  }
  for (const std::string &input : inputs)
    if (!general && llvm::none_of(cases, [&](const Case &one) { return one.test == input; }))
      add(input, "");
}

void JunitSuite::write(raw_ostream &os) const {
  auto failures = llvm::count_if(cases, [](const Case &one) { return !one.failure.empty(); });
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\""
     << xmlAttribute(name) << "\" tests=\"" << cases.size() << "\" failures=\"" << failures
     << "\" errors=\"0\">\n";
  for (const Case &one : cases) {
    os << "<testcase classname=\"" << xmlAttribute(name) << "\" name=\"" << xmlAttribute(one.test)
       << '"';
    if (one.failure.empty())
      os << "/>\n";
    else
      os << "><failure message=\"" << xmlAttribute(one.failure) << "\"/></testcase>\n";
  }
  os << "</testsuite>\n</testsuites>\n";
}
