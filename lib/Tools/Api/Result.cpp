#include "cclc/Tools/Api/Result.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Version.h"
#include "cclc/cclc.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

static Location locationOf(const api::Place &place) {
  return {place.file, place.line, place.column};
}

std::string api::textOf(const std::vector<Message> &messages) {
  DiagnosticEngine diags;
  for (const Message &message : messages) {
    Location place = locationOf(message.place);
    DiagnosticEngine::InFlight added =
        message.severity == Severity::Error     ? diags.error(place, message.text)
        : message.severity == Severity::Warning ? diags.warning(place, message.text)
                                                : diags.note(place, message.text);
    for (const Message::Note &note : message.notes)
      added.note(locationOf(note.place), note.text);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os, "cclc");
  return text;
}

std::string api::version() { return versionString(); }
