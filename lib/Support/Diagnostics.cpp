//===- Diagnostics.cpp - Collecting and printing messages -----------------===//
//
// Diagnostics are kept in the order of the reports, and InFlight adds notes by index, as the array
// may move. print() writes the location or the name of the tool, the severity and the text, then
// the notes in the same form. Text passes through printable(), so that control characters of an
// input cannot alter the terminal.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Diagnostics.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace cclc;

std::string Diagnostic::textWithNotes() const {
  std::string lines = text;
  llvm::raw_string_ostream os(lines);
  for (const Note &note : notes) {
    os << '\n';
    if (note.loc.isKnown())
      os << note.loc << ": ";
    os << "note: " << note.text;
  }
  return lines;
}

using InFlight = DiagnosticEngine::InFlight;

InFlight &InFlight::note(Location loc, const llvm::Twine &text) {
  engine.diagnostics[index].notes.push_back({std::move(loc), text.str()});
  return *this;
}

InFlight &InFlight::as(Failure kind) {
  engine.kind = kind;
  return *this;
}

InFlight DiagnosticEngine::add(Severity severity, Location loc, const llvm::Twine &text) {
  diagnostics.push_back({severity, std::move(loc), text.str(), {}});
  return InFlight(*this, diagnostics.size() - 1);
}

InFlight DiagnosticEngine::error(Location loc, const llvm::Twine &text) {
  ++errors;
  kind = Failure::Unusable;
  return add(Severity::Error, std::move(loc), text);
}

InFlight DiagnosticEngine::warning(Location loc, const llvm::Twine &text) {
  return add(Severity::Warning, std::move(loc), text);
}

InFlight DiagnosticEngine::note(Location loc, const llvm::Twine &text) {
  return add(Severity::Note, std::move(loc), text);
}

void DiagnosticEngine::clear() {
  diagnostics.clear();
  errors = 0;
  kind = Failure::Unusable;
}

void DiagnosticEngine::append(DiagnosticEngine other, const Location &where) {
  for (Diagnostic &one : other.diagnostics) {
    if (!one.loc.isKnown())
      one.loc = where;
    diagnostics.push_back(std::move(one));
  }
  errors += other.errors;
  if (other.hasErrors())
    kind = other.kind;
}

DiagnosticEngine DiagnosticEngine::withoutRepeats() const {
  DiagnosticEngine result;
  std::set<std::string> seen;
  for (const Diagnostic &diagnostic : diagnostics) {
    std::string key;
    llvm::raw_string_ostream(key) << diagnostic.loc << ": " << diagnostic.textWithNotes();
    if (diagnostic.severity != Severity::Warning || seen.insert(std::move(key)).second)
      result.diagnostics.push_back(diagnostic);
  }
  result.errors = errors;
  result.kind = kind;
  return result;
}

namespace {
struct Style {
  StringRef name;
  raw_ostream::Colors color;
};

Style styleOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return {"error", raw_ostream::RED};
  case Severity::Warning:
    return {"warning", raw_ostream::MAGENTA};
  case Severity::Note:
    return {"note", raw_ostream::CYAN};
  }
  llvm_unreachable("unknown severity");
}

void printLine(raw_ostream &os, StringRef tool, const Location &loc, Severity severity,
               StringRef text, bool color) {
  Style style = styleOf(severity);
  if (loc.isKnown())
    os << loc << ": ";
  else if (!tool.empty())
    os << tool << ": ";
  if (color)
    os.changeColor(style.color, /*Bold=*/true);
  os << style.name << ": ";
  if (color)
    os.resetColor();
  os << printable(text) << '\n';
}
} // namespace

void DiagnosticEngine::print(raw_ostream &os, StringRef tool, bool color) const {
  for (const Diagnostic &diagnostic : diagnostics) {
    // One write, so that the lines of processes that share a standard error stay whole.
    std::string lines;
    llvm::raw_string_ostream whole(lines);
    whole.enable_colors(color);
    printLine(whole, tool, diagnostic.loc, diagnostic.severity, diagnostic.text, color);
    for (const Diagnostic::Note &note : diagnostic.notes)
      printLine(whole, tool, note.loc, Severity::Note, note.text, color);
    os << lines;
  }
}
