//===- ExpectedDiagnostics.cpp - Expected messages in comments ------------===//
//
// Collects the expectations in comments, then removes one for each reported diagnostic and note of
// the same severity, line and text. Unmatched expectations and diagnostics are returned. The syntax
// is that of clang -verify, with whole texts instead of parts.
//
//===----------------------------------------------------------------------===//

#include "ExpectedDiagnostics.h"

using namespace cclc;

namespace {
struct Message {
  Severity severity;
  std::optional<unsigned> line; ///< unset without a position
  std::string text;
  bool met = false;
};

StringRef severityName(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

/// Parses an expectation; \p comment begins after "expected-".
std::optional<Message> parseExpectation(StringRef comment, unsigned line, std::string &problem) {
  Message message{Severity::Error, line, "", false};
  if (comment.consume_front("error"))
    message.severity = Severity::Error;
  else if (comment.consume_front("warning"))
    message.severity = Severity::Warning;
  else if (comment.consume_front("note"))
    message.severity = Severity::Note;
  else
    problem = "expected-error, expected-warning or expected-note";
  if (comment.consume_front("@")) {
    int offset = 0;
    if (comment.consume_front("unknown"))
      message.line.reset();
    else if (comment.consume_front("+") && !comment.consumeInteger(10, offset))
      message.line = line + offset;
    else if (comment.starts_with("-") && !comment.consumeInteger(10, offset))
      message.line = line + offset;
    else
      problem = "@+N, @-N or @unknown";
  }
  comment = comment.ltrim();
  size_t end = comment.find("}}");
  if (problem.empty() && (!comment.starts_with("{{") || end == StringRef::npos))
    problem = "the text in {{ and }}";
  if (!problem.empty())
    return std::nullopt;
  message.text = comment.slice(2, end).str();
  return message;
}
} // namespace

std::vector<Mismatch> cclc::checkExpectedDiagnostics(StringRef text, StringRef file,
                                                     unsigned firstLine,
                                                     const DiagnosticEngine &diags) {
  std::vector<Mismatch> found;
  std::vector<Message> expected;
  unsigned line = firstLine;
  for (StringRef rest = text; !rest.empty(); ++line) {
    StringRef current;
    std::tie(current, rest) = rest.split('\n');
    size_t at = current.find("expected-");
    if (at == StringRef::npos || !current.take_front(at).contains("//"))
      continue;
    std::string problem;
    if (auto message = parseExpectation(current.drop_front(at + 9), line, problem))
      expected.push_back(std::move(*message));
    else
      found.push_back({{file.str(), line}, "error: expected " + problem});
  }

  auto meet = [&](Severity severity, const Location &loc, StringRef what) {
    std::optional<unsigned> at;
    if (loc.isKnown() && loc.file == file)
      at = loc.line;
    for (Message &message : expected)
      if (!message.met && message.severity == severity && message.line == at &&
          message.text == what) {
        message.met = true;
        return;
      }
    found.push_back({loc, ("unexpected " + severityName(severity) + ": " + what).str()});
  };
  for (const Diagnostic &diagnostic : diags.all()) {
    meet(diagnostic.severity, diagnostic.loc, diagnostic.text);
    for (const Diagnostic::Note &note : diagnostic.notes)
      meet(Severity::Note, note.loc, note.text);
  }
  for (const Message &message : expected)
    if (!message.met)
      found.push_back(
          {{file.str(), message.line.value_or(0)},
           ("expected " + severityName(message.severity) + " was not reported: " + message.text)
               .str()});
  return found;
}
