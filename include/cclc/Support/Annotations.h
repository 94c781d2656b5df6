//===- Annotations.h - Messages for GitHub Actions --------------*- C++ -*-===//
//
// Workflow commands, "::error file=F,line=L,title=T::message", which the runner shows at the source
// lines. Characters that would end a line, a property or the command are escaped as the runner
// expects.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_ANNOTATIONS_H
#define CCL_SUPPORT_ANNOTATIONS_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// \p level is "error", "warning" or "notice".
void annotate(raw_ostream &os, StringRef level, const Location &location, StringRef title,
              StringRef message);

/// Each diagnostic as one command; its notes are further lines of the message.
void annotate(raw_ostream &os, StringRef tool, const DiagnosticEngine &diags);

/// The escape sequence for \p c in a property, such as a file name, or in the message; null if \p c
/// needs none. Async-signal-safe.
const char *annotationEscape(char c, bool property);

} // namespace cclc

#endif // CCL_SUPPORT_ANNOTATIONS_H
