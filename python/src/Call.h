//===- Call.h - Calls of the libraries from Python --------------*- C++ -*-===//
//
// A call releases the GIL. Exceptions of Python that are raised meanwhile, by the body of a
// program, by a function that follows the progress or by Ctrl-C, end the call at its next stage and
// are raised when it has returned.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_CALL_H
#define CCL_PYTHON_CALL_H

#include <pybind11/pybind11.h>

#include "cclc/cclc.h"

#include <chrono>

namespace cclc::python {

namespace py = pybind11;

/// Raises cclc._errors.NAME with the text of \p messages.
[[noreturn]] void raise(const char *name, const std::vector<api::Message> &messages);
/// Raises the exception of a failure; \p wrong is that of input which was found wrong.
[[noreturn]] void raise(api::Failure failure, const std::vector<api::Message> &messages,
                        const char *wrong);
/// Raises that of a plan, with its proof if that is the reason.
[[noreturn]] void raise(const api::Plan &plan, api::Failure failure,
                        const std::vector<api::Message> &messages);
[[noreturn]] void raiseUsage(const std::string &text);
/// Warns of \p messages in Python.
void warn(const std::vector<api::Message> &messages);

/// The value of \p result, with its warnings.
template <class T> T take(api::Result<T> result, const char *wrong) {
  if (!result)
    raise(result.failure(), result.messages(), wrong);
  warn(result.messages());
  return *std::move(result);
}
template <class T> T take(const api::Plan &plan, api::Result<T> result) {
  if (!result)
    raise(plan, result.failure(), result.messages());
  warn(result.messages());
  return *std::move(result);
}

/// The value of \p fn, which is called without the GIL.
template <class Fn> auto released(Fn fn) {
  py::gil_scoped_release release;
  return fn();
}

/// A call that can be interrupted.
class PythonCall {
public:
  /// \p progress is called with the name of each stage; it may be None.
  explicit PythonCall(py::object progress = py::none()) : progress(std::move(progress)) {}
  ~PythonCall() { forget(); }
  PythonCall(const PythonCall &) = delete;

  template <class Options> void follow(Options &options) {
    options.cancellation = cancellation;
    options.onProgress = [this](std::string_view stage) { reach(stage); };
  }
  /// The value of \p fn, which is called without the GIL, unless an exception was kept.
  template <class Fn> auto run(Fn fn) {
    auto value = released(fn);
    raiseKept();
    return value;
  }

  /// Ends together with \p other.
  void endWith(const PythonCall &other) { cancellation = other.cancellation; }

  // With the GIL:
  /// Takes the exception that is set, and ends the call if \p cancels.
  void keep(bool cancels = true);
  /// The exception that was kept; null if there is none.
  py::handle kept() const { return value; }
  void forget();
  void raiseKept();

private:
  void reach(std::string_view stage);

  py::object progress;
  api::Cancellation cancellation;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  /// Signals are looked at every 50 ms.
  std::chrono::steady_clock::time_point looked = std::chrono::steady_clock::now();
};

} // namespace cclc::python

#endif // CCL_PYTHON_CALL_H
