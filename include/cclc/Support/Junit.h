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
  /// Adds a test case, which fails if \p failure is not empty.
  void add(std::string test, std::string failure);
  /// Adds the diagnostics: errors as failures of test cases named after their files, and a passed
  /// test case \p test if there is none.
  void add(const std::string &test, const DiagnosticEngine &diags);
  void write(raw_ostream &os) const;

private:
  struct Case {
    std::string test, failure;
  };
  std::string name;
  std::vector<Case> cases;
};

} // namespace cclc

#endif // CCL_SUPPORT_JUNIT_H
