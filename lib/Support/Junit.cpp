//===- Junit.cpp - Reports of JUnit ---------------------------------------===//
//
// Writes the schema that Jenkins and GitLab read: testsuites, testsuite, testcase, failure.
// Messages are attributes, and details the text of a failure. Names of files may be invalid UTF-8,
// which readers refuse.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Junit.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

/// \p text, which may have any bytes, as an attribute or the text of an element.
static std::string attribute(StringRef text) { return xmlAttribute(llvm::json::fixUTF8(text)); }
static std::string content(StringRef text) { return xmlText(llvm::json::fixUTF8(text)); }

void JunitSuite::add(std::string test, std::string failure, std::string details) {
  cases.push_back({std::move(test), std::move(failure), std::move(details)});
}

void JunitSuite::add(ArrayRef<std::string> inputs, const DiagnosticEngine &diags) {
  bool general = false; // an error that is in no file concerns all inputs
  for (const Diagnostic &diagnostic : diags.all()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (diagnostic.loc.isKnown())
      os << diagnostic.loc << ": ";
    if (diagnostic.severity != Severity::Error) {
      os << (diagnostic.severity == Severity::Warning ? "warning: " : "note: ");
      warnings += text + diagnostic.textWithNotes() + '\n';
      continue;
    }
    os << diagnostic.textWithNotes();
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
     << attribute(name) << "\" tests=\"" << cases.size() << "\" failures=\"" << failures
     << "\" errors=\"0\">\n";
  for (const Case &one : cases) {
    os << "<testcase classname=\"" << attribute(name) << "\" name=\"" << attribute(one.test) << '"';
    if (one.failure.empty()) {
      os << "/>\n";
      continue;
    }
    os << "><failure message=\"" << attribute(one.failure) << '"';
    if (one.details.empty())
      os << "/></testcase>\n";
    else
      os << ">\n" << content(one.details) << "</failure></testcase>\n";
  }
  if (!output.empty() || !warnings.empty())
    os << "<system-err>" << content(output + warnings) << "</system-err>\n";
  os << "</testsuite>\n</testsuites>\n";
}
