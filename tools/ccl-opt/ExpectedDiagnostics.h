//===- ExpectedDiagnostics.h - Testing diagnostics --------------*- C++ -*-===//
//
// A test contains the expected messages at the lines where they occur:
//
//   %0 = copy r0:i[0] -> r1:o[9]  // expected-error {{whole text of the error}}
//   // expected-note@+1 {{whole text of a note at the next line}}
//   // expected-error@unknown {{text of an error without a position}}
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_OPT_EXPECTEDDIAGNOSTICS_H
#define CCL_TOOLS_CCL_OPT_EXPECTEDDIAGNOSTICS_H

#include "cclc/Support/Diagnostics.h"

#include <vector>

namespace cclc {

/// A difference between the diagnostics and the expectations.
struct Mismatch {
  Location where; ///< unknown for an unexpected diagnostic without a position
  std::string text;
};

/// Compares the diagnostics for \p text, whose first line is \p firstLine of \p file, with the
/// expectations in its comments, by whole texts. Returns missing and unexpected diagnostics, and
/// malformed expectations.
std::vector<Mismatch> checkExpectedDiagnostics(StringRef text, StringRef file, unsigned firstLine,
                                               const DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_OPT_EXPECTEDDIAGNOSTICS_H
