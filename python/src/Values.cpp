//===- Values.cpp - Messages and parts of machines ------------------------===//
//
// The objects that the extension and the module of the tools both have.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Rows.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;

const char *python::severityName(api::Severity severity) {
  const char *names[] = {"error", "warning", "note"};
  return names[size_t(severity)];
}

void python::addMessages(py::module_ &module) {
  using api::Message;
  using Note = Message::Note;
  RowType<Note>(module, "Note")
      .field("file", [](const Note &note) { return note.place.file; })
      .field("line", [](const Note &note) { return note.place.line; })
      .field("column", [](const Note &note) { return note.place.column; })
      .field("text", &Note::text);
  RowType<Message> messages(module, "Message");
  messages.field("severity", [](const Message &message) { return severityName(message.severity); })
      .field("file", [](const Message &message) { return message.place.file; })
      .field("line", [](const Message &message) { return message.place.line; })
      .field("column", [](const Message &message) { return message.place.column; })
      .field("text", &Message::text)
      .field("notes", &Message::notes);
}

void python::addMachine(py::module_ &module) {
  py::class_<dsl::Rotation>(module, "Rotation")
      .def(py::init([](int ranks, int stride, int chunks) {
             return dsl::Rotation{ranks, stride, chunks};
           }),
           "ranks"_a, "stride"_a = 1, "chunks"_a = 0)
      .def_readonly("ranks", &dsl::Rotation::ranks)
      .def_readonly("stride", &dsl::Rotation::stride)
      .def_readonly("chunks", &dsl::Rotation::chunks);
  RowType<GridLevel>(module, "GridLevel")
      .field("name", &GridLevel::name)
      .field("kind", [](const GridLevel &self) { return std::string(gridKindName(self.kind)); })
      .field("width", &GridLevel::width)
      .field("height", &GridLevel::height);
}
