//===- Annotations.h - Messages for GitHub Actions --------------*- C++ -*-===//
//
// Workflow commands, "::error file=F,line=L,title=T::message", which the runner
// turns into marks at the source lines. What would end a line, a property or the
// command is escaped as the runner reads it.
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

/// How \p c is written, in a property such as a file or else in the message; null: as it is. May
/// be called by a signal handler.
const char *annotationEscape(char c, bool property);

} // namespace cclc

#endif // CCL_SUPPORT_ANNOTATIONS_H
