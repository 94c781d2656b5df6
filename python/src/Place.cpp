//===- Place.cpp - Places of calls in Python ------------------------------===//
//
// The names of files are those of cclc._places, which makes them relative.
//
//===----------------------------------------------------------------------===//

#include "Place.h"

namespace py = pybind11;
using namespace cclc;
using namespace cclc::python;

Places::~Places() {
  for (auto &[code, file] : files)
    Py_DECREF(code);
}

dsl::SourceLocation Places::here() {
  PyFrameObject *frame = PyEval_GetFrame();
  if (!frame)
    return {};
  PyCodeObject *code = PyFrame_GetCode(frame);
  Py_DECREF(code); // the frame keeps it
  const int instruction = PyFrame_GetLasti(frame);
  Known &at =
      known[((reinterpret_cast<uintptr_t>(code) >> 4) + unsigned(instruction)) % known.size()];
  if (at.code != code || at.instruction != instruction)
    at = {code, instruction, find(code, instruction)};
  return at.place;
}

dsl::SourceLocation Places::find(PyCodeObject *code, int instruction) {
  auto it = files.find(code);
  if (it == files.end()) {
    // The import may let another thread come here.
    auto file = py::cast<std::string>(
        py::module_::import("cclc._places").attr("shown")(py::handle(code->co_filename)));
    bool isNew;
    std::tie(it, isNew) = files.try_emplace(code, std::move(file));
    if (isNew)
      Py_INCREF(code);
  }
  const int line = PyCode_Addr2Line(code, instruction);
  return {it->second.c_str(), line < 0 ? 0 : uint32_t(line)};
}
