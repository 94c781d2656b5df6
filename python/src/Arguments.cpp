//===- Arguments.cpp - Arguments of methods of the C API ------------------===//
//
// Names in the code of a caller are interned, as those of the parameters are: most are found by
// their address.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>
#include <string_view>

using namespace cclc::python;

Signature::Signature(const char *method, std::initializer_list<const char *> texts, size_t required)
    : method(method), required(required), positional(texts.size()) {
  for (const char *text : texts)
    if (std::string_view(text) == "*")
      positional = names.size();
    else
      names.push_back(PyUnicode_InternFromString(text));
}

/// The number of the parameter; that of names if there is none. Names in the code of a caller are
/// interned as well.
size_t Signature::find(PyObject *name) const {
  const auto same = std::find(names.begin(), names.end(), name);
  if (same != names.end())
    return size_t(same - names.begin());
  return size_t(std::find_if(names.begin(), names.end(),
                             [&](PyObject *own) { return PyUnicode_Compare(own, name) == 0; }) -
                names.begin());
}

bool Signature::fail(const std::string &text) const {
  PyErr_SetString(PyExc_TypeError, (std::string(method) + "() " + text).c_str());
  return false;
}

bool Signature::read(PyObject *const *arguments, Py_ssize_t count, PyObject *given,
                     PyObject *(&values)[most]) const {
  if (size_t(count) > positional)
    return fail("takes at most " + std::to_string(positional) + " positional arguments, not " +
                std::to_string(count));
  std::copy_n(arguments, count, values);
  const Py_ssize_t named = given ? PyTuple_GET_SIZE(given) : 0;
  for (Py_ssize_t n = 0; n < named; ++n) {
    PyObject *name = PyTuple_GET_ITEM(given, n);
    const size_t at = find(name);
    if (at == names.size())
      return fail("has no parameter '" + textOf(name) + "'");
    if (values[at])
      return fail("got two values for '" + textOf(name) + "'");
    values[at] = arguments[count + n];
  }
  for (size_t n = 0; n < required; ++n)
    if (!values[n])
      return fail("needs '" + textOf(names[n]) + "'");
  return true;
}

std::string cclc::python::textOf(PyObject *value) {
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(value, &size);
  if (!text)
    throw py::error_already_set();
  return std::string(text, size_t(size));
}
