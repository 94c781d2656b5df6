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

static std::string textAt(const py::tuple &state, size_t index) {
  return py::cast<std::string>(state[index]);
}
/// The place that a pickled state begins with.
static api::Place placeOf(const py::tuple &state) {
  return {textAt(state, 0), py::cast<unsigned>(state[1]), py::cast<unsigned>(state[2])};
}

void python::addMessages(py::module_ &module) {
  using api::Message;
  using Note = Message::Note;
  RowType<Note> notes(module, "Note");
  notes.field("file", [](const Note &note) { return note.place.file; })
      .field("line", [](const Note &note) { return note.place.line; })
      .field("column", [](const Note &note) { return note.place.column; })
      .field("text", &Note::text);
  notes.type.def(py::pickle(
      [](const Note &note) {
        return py::make_tuple(note.place.file, note.place.line, note.place.column, note.text);
      },
      [](const py::tuple &state) { return Note{placeOf(state), textAt(state, 3)}; }));
  RowType<Message> messages(module, "Message");
  messages.field("severity", [](const Message &message) { return severityName(message.severity); })
      .field("file", [](const Message &message) { return message.place.file; })
      .field("line", [](const Message &message) { return message.place.line; })
      .field("column", [](const Message &message) { return message.place.column; })
      .field("text", &Message::text)
      .field("notes", &Message::notes);
  messages.type.def(py::pickle(
      [](const Message &message) {
        return py::make_tuple(message.place.file, message.place.line, message.place.column,
                              message.text, int(message.severity), message.notes);
      },
      [](const py::tuple &state) {
        return Message{static_cast<api::Severity>(py::cast<int>(state[4])), placeOf(state),
                       textAt(state, 3), py::cast<std::vector<Note>>(state[5])};
      }));
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
