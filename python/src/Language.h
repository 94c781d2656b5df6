//===- Language.h - Programs in Python --------------------------*- C++ -*-===//
//
// The methods of a traced program are called for every operation, so they are functions of the C
// API of Python, which take a tenth of the time of those of pybind11.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_LANGUAGE_H
#define CCL_PYTHON_LANGUAGE_H

#include "Call.h"
#include "Place.h"

#include "cclc/DSL/DSL.h"

namespace cclc::python {

/// Adds the types Program, ChunkRef, Buffer, Communicator, Scope and Orbit to \p module.
void addLanguage(py::module_ &module);

/// The compilation of a program in Python.
class Trace : public PythonCall {
public:
  /// \p algorithm is a cclc.Algorithm, which must outlive the object.
  Trace(py::object algorithm, py::object progress)
      : PythonCall(std::move(progress)), algorithm(std::move(algorithm)) {}
  ~Trace();

  /// The declaration, whose functions call those of the algorithm.
  dsl::Declaration declare();

  /// Sets the exception cclc._errors.NAME of a call at \p at; \p text has lines with notes.
  void raiseAt(const char *name, const std::string &text, const dsl::SourceLocation &at);
  /// The exception of an error of the program is the one that its call has raised, if there is
  /// one, with \p messages.
  [[noreturn]] void raiseError(api::Failure failure, const std::vector<api::Message> &messages);
  dsl::SourceLocation here() { return places.here(); }

private:
  /// Calls the body, without the GIL.
  void trace(dsl::Program &program);
  int ranksFrom(const dsl::ParamValues &values);
  /// Calls \p fn with the GIL, and keeps its exception.
  template <class Fn> auto inPython(Fn fn);

  py::object algorithm;
  Places places;
  PyObject *raised = nullptr; ///< the last one of raiseAt()
};

} // namespace cclc::python

#endif // CCL_PYTHON_LANGUAGE_H
