//===- Call.cpp - Exceptions of Python and of the libraries ---------------===//
//
// The GIL is taken for signals at most every 50 ms, and at stages only if their progress is
// followed.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <pybind11/stl.h>

using namespace cclc;
using namespace cclc::python;

static std::string placedText(const api::Place &place, const std::string &text) {
  std::string at = place.file;
  if (place.line)
    at += ":" + std::to_string(place.line);
  if (place.line && place.column)
    at += ":" + std::to_string(place.column);
  return at.empty() ? text : at + ": " + text;
}

void python::raise(const char *name, const std::vector<api::Message> &messages) {
  std::string text;
  for (const api::Message &message : messages)
    if (message.severity == api::Severity::Error)
      text += (text.empty() ? "" : "\n") + placedText(message.place, message.text);
  py::object error = py::module_::import("cclc._errors").attr(name)(text, messages);
  for (const api::Message &message : messages)
    for (const api::Message::Note &note : message.notes)
      error.attr("add_note")(placedText(note.place, "note: " + note.text));
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

void python::raise(api::Failure failure, const std::vector<api::Message> &messages,
                   const char *wrong) {
  switch (failure) {
  case api::Failure::Wrong:
    raise(wrong, messages);
  case api::Failure::Unusable:
    raise("UsageError", messages);
  case api::Failure::Internal:
  case api::Failure::Interrupted: // only with an exception, which is raised instead
    break;
  }
  raise("InternalError", messages);
}

void python::raiseUsage(const std::string &text) {
  raise("UsageError", {api::Message{api::Severity::Error, {}, text, {}}});
}

void python::warn(const std::vector<api::Message> &messages) {
  if (messages.empty())
    return;
  py::object category = py::module_::import("cclc._errors").attr("CclcWarning");
  for (const api::Message &message : messages)
    if (PyErr_WarnEx(category.ptr(), placedText(message.place, message.text).c_str(), 1) < 0)
      throw py::error_already_set();
}

void PythonCall::keep(bool cancels) {
  forget();
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace)
    PyException_SetTraceback(value, trace);
  if (cancels)
    cancellation.request();
}

void PythonCall::forget() {
  Py_CLEAR(type);
  Py_CLEAR(value);
  Py_CLEAR(trace);
}

void PythonCall::raiseKept() {
  if (!value)
    return;
  PyErr_Restore(std::exchange(type, nullptr), std::exchange(value, nullptr),
                std::exchange(trace, nullptr));
  throw py::error_already_set();
}

void PythonCall::look() {
  py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0)
    return;
  keep();
  throw Ended();
}

void PythonCall::reach(std::string_view stage) {
  if (cancellation.isRequested())
    return;
  py::gil_scoped_acquire acquire;
  try {
    progress(std::string(stage));
  } catch (py::error_already_set &error) {
    error.restore();
    keep();
  }
}
