//===- Annotations.cpp - Workflow commands --------------------------------===//
//
// The characters %, CR and LF are escaped everywhere, ':' and ',' in properties only, as the
// runner's command parser expects them (github.com/actions/toolkit, core/src/command.ts).
// Other control characters are written as visible escapes, because they could alter the log.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Annotations.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

const char *cclc::annotationEscape(char c, bool property) {
  switch (c) {
  case '%':
    return "%25";
  case '\r':
    return "%0D";
  case '\n':
    return "%0A";
  case ':':
    return property ? "%3A" : nullptr;
  case ',':
    return property ? "%2C" : nullptr;
  default:
    return nullptr;
  }
}

static std::string escaped(StringRef text, bool property) {
  std::string result;
  for (char c : text)
    if (const char *escape = annotationEscape(c, property))
      result += escape;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += printable(StringRef(&c, 1));
    else
      result += c;
  return result;
}

void cclc::annotate(raw_ostream &os, StringRef level, const Location &location, StringRef title,
                    StringRef message) {
  os << "::" << level << ' ';
  if (location.isKnown()) {
    os << "file=" << escaped(location.file, true) << ',';
    if (location.line)
      os << "line=" << location.line << ',';
    if (location.column)
      os << "col=" << location.column << ',';
  }
  os << "title=" << escaped(title, true) << "::" << escaped(message, false) << '\n';
}

void cclc::annotate(raw_ostream &os, StringRef tool, const DiagnosticEngine &diags) {
  for (const Diagnostic &diagnostic : diags.all()) {
    StringRef level = diagnostic.severity == Severity::Error     ? "error"
                      : diagnostic.severity == Severity::Warning ? "warning"
                                                                 : "notice";
    annotate(os, level, diagnostic.loc, tool, diagnostic.textWithNotes());
  }
}
