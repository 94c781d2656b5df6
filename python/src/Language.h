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

/// Raises a TypeError unless \p program is a cclc.Algorithm.
void checkAlgorithm(py::handle program);

/// The compilation of a program in Python.
class Trace : public PythonCall {
public:
  /// \p algorithm is a cclc.Algorithm, which must outlive the object.
  Trace(py::object algorithm, py::object progress)
      : PythonCall(std::move(progress)), algorithm(std::move(algorithm)) {}

  /// The declaration, whose functions call those of the algorithm.
  dsl::Declaration declare();

  /// Sets the exception NAME of a call at \p at, by the program of the number \p program; \p text
  /// has lines with notes.
  void raiseAt(const char *name, const std::string &text, const dsl::SourceLocation &at,
               uint64_t program);
  /// The exception of an error of the program is the one that its call has raised, if there is
  /// one, with \p messages.
  [[noreturn]] void raiseError(api::Failure failure, const std::vector<api::Message> &messages);
  /// Raises an exception of the program that is no error of a call.
  void raiseForeign() {
    if (!keepsError)
      raiseKept();
  }
  dsl::SourceLocation here() { return places.here(); }

private:
  /// Calls the body, without the GIL.
  void trace(dsl::Program &program);
  int ranksFrom(const dsl::ParamValues &values);
  /// Calls \p fn with the GIL, and keeps its exception.
  template <class Fn> auto inPython(Fn fn);

  py::object algorithm;
  Places places;
  bool keepsError = false; ///< whether the exception that is kept is one of raiseAt()
};

} // namespace cclc::python

#endif // CCL_PYTHON_LANGUAGE_H
