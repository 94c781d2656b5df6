//===- Options.h - Options as Python gives them -----------------*- C++ -*-===//
//
// Arguments have the names and texts of the options of the tools: sizes are numbers or "1K:1M:4",
// settings of a target "PATH=VALUE" or a dict, slots a number or "inf".
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_OPTIONS_H
#define CCL_PYTHON_OPTIONS_H

#include "Call.h"

namespace cclc::python {

/// With the bundled programs, and the machines in the folder that is installed with the module.
const api::Toolchain &toolchain();

uint64_t sizeOf(py::handle value);
std::optional<uint64_t> optionalSizeOf(py::handle value);
std::vector<uint64_t> sizesOf(py::handle value);
std::optional<uint32_t> slotsOf(py::handle value);
/// A list, or the only element of one.
std::vector<std::string> textsOf(py::handle value);
/// The text of a parameter or of a value of a target: yes, 2, 5e10, ...
std::string valueText(py::handle value);
std::string pathOf(py::handle value);
api::Target targetOf(py::handle name, py::handle settings);
/// The same; without a name the target of \p plan.
api::Target targetOf(const api::Plan &plan, py::handle name, py::handle settings);

} // namespace cclc::python

#endif // CCL_PYTHON_OPTIONS_H
