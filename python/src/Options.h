//===- Options.h - Options as Python gives them -----------------*- C++ -*-===//
//
// Arguments have the names and texts of the options of the tools: sizes are numbers or "1K:1M:4",
// settings of a target "PATH=VALUE" or a dict, slots a number or "inf".
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_OPTIONS_H
#define CCL_PYTHON_OPTIONS_H

#include "Call.h"

#include <pybind11/stl.h>

namespace cclc::python {

/// \p value as a value of C++; \p name is that of the argument in the exception.
template <class Value> Value castOf(const char *name, py::handle value) {
  try {
    return py::cast<Value>(value);
  } catch (const py::cast_error &) {
    throw py::type_error(std::string(name) + " cannot be " +
                         py::cast<std::string>(py::repr(value)));
  }
}

/// The keyword arguments of a call, which are taken one by one. None is no argument.
class Keywords {
public:
  explicit Keywords(const py::kwargs &given) : left(py::cast<py::dict>(given.attr("copy")())) {}

  py::object take(const char *name) { return left.attr("pop")(name, py::none()); }
  /// Sets \p value to the argument, which \p read converts.
  template <class Value, class Read> void take(const char *name, Value &value, Read read) {
    if (const py::object given = take(name); !given.is_none())
      value = read(given);
  }
  template <class Value> void take(const char *name, Value &value) {
    take(name, value, [&](const py::object &given) { return castOf<Value>(name, given); });
  }
  /// Those that were not taken.
  const py::dict &rest() const { return left; }

private:
  py::dict left;
};

/// With the bundled programs, and the machines in the folder that is installed with the module.
const api::Toolchain &toolchain();

uint64_t sizeOf(py::handle value);
std::optional<uint64_t> optionalSizeOf(py::handle value);
std::vector<uint64_t> sizesOf(py::handle value);
std::optional<uint32_t> slotsOf(py::handle value);
/// A list, or the only element of one; \p name is that of the argument.
std::vector<std::string> textsOf(const char *name, py::handle value);
/// The text of a parameter or of a value of a target: yes, 2, 5e10, ...
std::string valueText(py::handle value);
std::string pathOf(py::handle value);
api::Target targetOf(py::handle name, py::handle settings);
/// The same; without a name the target of \p plan.
api::Target targetOf(const api::Plan &plan, py::handle name, py::handle settings);

} // namespace cclc::python

#endif // CCL_PYTHON_OPTIONS_H
