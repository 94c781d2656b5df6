//===- Arguments.h - Arguments of methods of the C API ----------*- C++ -*-===//

#ifndef CCL_PYTHON_ARGUMENTS_H
#define CCL_PYTHON_ARGUMENTS_H

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace cclc::python {

namespace py = pybind11;

/// The parameters of a method, whose arguments are given by position or by name.
class Signature {
public:
  /// The first \p required ones have no default. Those behind "*" are given by name.
  Signature(const char *method, std::initializer_list<const char *> names, size_t required);

  static constexpr size_t most = 10;
  /// Fills \p values, in the order of the parameters; those that are not given remain null. Returns
  /// false with an exception of Python.
  bool read(PyObject *const *arguments, Py_ssize_t count, PyObject *names,
            PyObject *(&values)[most]) const;

private:
  size_t find(PyObject *name) const;
  bool fail(const std::string &text) const;

  const char *method;
  std::vector<PyObject *> names; ///< interned
  size_t required, positional;
};

/// The int of an argument; of None or no argument, nothing.
inline int intOf(PyObject *value) {
  long number;
  if (PyLong_CheckExact(value)) {
    number = PyLong_AsLong(value);
  } else {
    py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    number = index ? PyLong_AsLong(index.ptr()) : -1;
  }
  if (number == -1 && PyErr_Occurred())
    throw py::error_already_set();
  if (number != int(number)) {
    PyErr_Format(PyExc_OverflowError, "%R is too large", value);
    throw py::error_already_set();
  }
  return int(number);
}
inline std::optional<int> optionalIntOf(PyObject *value) {
  return value && value != Py_None ? std::optional(intOf(value)) : std::nullopt;
}
inline bool boolOf(PyObject *value) {
  const int truth = PyObject_IsTrue(value);
  if (truth < 0)
    throw py::error_already_set();
  return truth;
}
std::string textOf(PyObject *value);

} // namespace cclc::python

#endif // CCL_PYTHON_ARGUMENTS_H
