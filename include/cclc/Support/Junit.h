//===- Junit.h - Reports of JUnit -------------------------------*- C++ -*-===//
//
// The XML of test results that services of continuous integration read: one suite of test cases.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_JUNIT_H
#define CCL_SUPPORT_JUNIT_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

class JunitSuite {
public:
  explicit JunitSuite(std::string name) : name(std::move(name)) {}
  /// Adds a test case, which fails if \p failure is not empty; \p details are further lines.
  void add(std::string test, std::string failure, std::string details = "");
  /// Adds each error as a failed test case, named after its file or else after the tool, and a
  /// passed one for each of \p inputs without an error. Warnings are output of the suite.
  void add(ArrayRef<std::string> inputs, const DiagnosticEngine &diags);
  /// Sets what other programs, such as compilers, have printed.
  void setOutput(std::string text) { output = std::move(text); }
  void write(raw_ostream &os) const;

private:
  struct Case {
    std::string test, failure, details;
  };
  std::string name;
  std::string output, warnings;
  std::vector<Case> cases;
};

} // namespace cclc

#endif // CCL_SUPPORT_JUNIT_H
