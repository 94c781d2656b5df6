//===- Call.h - Calls of the libraries from Python --------------*- C++ -*-===//
//
// A call releases the GIL. Exceptions of Python that are raised meanwhile are kept, end the call,
// and are raised when it has returned: those of the body of a program and of a function that
// follows the progress at the next stage, those of signals at the next look (cclc/Support/Watch.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_CALL_H
#define CCL_PYTHON_CALL_H

#include <pybind11/pybind11.h>

#include "cclc/Support/Watch.h"
#include "cclc/cclc.h"

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

/// A call that can be interrupted.
class PythonCall {
public:
  /// \p progress is called with the name of each stage; it may be None.
  explicit PythonCall(py::object progress = py::none()) : progress(std::move(progress)) {}
  ~PythonCall() { forget(); }
  PythonCall(const PythonCall &) = delete;

  template <class Options> void follow(Options &options) {
    options.cancellation = cancellation;
    if (!progress.is_none())
      options.onProgress = [this](std::string_view stage) { reach(stage); };
  }
  /// The value of \p fn, which is called without the GIL. Raises an exception that a signal
  /// raises meanwhile.
  template <class Fn> auto released(Fn fn) {
    try {
      py::gil_scoped_release release;
      const Watch watch(std::chrono::milliseconds(50), [this] { look(); });
      return fn();
    } catch (const Ended &) {
      raiseKept();
      throw;
    }
  }
  /// The same, unless an exception was kept.
  template <class Fn> auto run(Fn fn) {
    auto value = released(std::move(fn));
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
  /// Ends the call after a signal, whose exception is kept.
  struct Ended {};
  void look();
  void reach(std::string_view stage);

  py::object progress;
  api::Cancellation cancellation;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
};

/// The value of \p fn, which is called without the GIL and can be interrupted.
template <class Fn> auto released(Fn fn) { return PythonCall().released(std::move(fn)); }

} // namespace cclc::python

#endif // CCL_PYTHON_CALL_H
