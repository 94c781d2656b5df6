//===- Options.cpp - Options as Python gives them -------------------------===//
//
// The package is installed below the prefix that has the machines, so that both can be moved.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Arguments.h"

#include "cclc/Support/Text.h"

#include <pybind11/stl.h>

#include <dlfcn.h>
#include <filesystem>

using namespace cclc;
using namespace cclc::python;

const api::Toolchain &python::toolchain() {
  static const api::Toolchain bundled = [] {
    // lib/python3/dist-packages/cclc/_cclc.so and share/cclc/targets have the same prefix.
    Dl_info here;
    dladdr(reinterpret_cast<void *>(&toolchain), &here);
    std::filesystem::path prefix = std::filesystem::absolute(here.dli_fname);
    for (int level = 0; level < 5; ++level)
      prefix = prefix.parent_path();
    return api::Toolchain((prefix / "share/cclc/targets").string());
  }();
  return bundled;
}

static bool isText(py::handle value) { return py::isinstance<py::str>(value); }

/// The whole number of an object that has one.
static int64_t numberOf(py::handle value) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  const int64_t number = index ? PyLong_AsLongLong(index.ptr()) : -1;
  if (number == -1 && PyErr_Occurred())
    throw py::error_already_set();
  return number;
}

uint64_t python::sizeOf(py::handle value) {
  if (!isText(value)) {
    const int64_t number = numberOf(value);
    if (number < 0)
      raiseUsage(std::to_string(number) + " is not a size");
    return uint64_t(number);
  }
  const auto text = py::cast<std::string>(value);
  if (std::optional<uint64_t> size = parseSize(text))
    return *size;
  raiseUsage("'" + text + "' is not a size: give bytes, or a number with K, M or G");
}

std::optional<uint64_t> python::optionalSizeOf(py::handle value) {
  return value.is_none() ? std::nullopt : std::optional(sizeOf(value));
}

/// The sizes of FROM:TO[:FACTOR].
static std::vector<uint64_t> sweepOf(const std::string &text) {
  SmallVector<StringRef, 3> parts;
  StringRef(text).split(parts, ':');
  const std::optional<uint64_t> from = parseSize(parts[0]), to = parseSize(parts[1]);
  uint64_t factor = 2;
  if (parts.size() > 3 || !from || !to || *from == 0 || *from > *to ||
      (parts.size() == 3 && (parts[2].getAsInteger(10, factor) || factor < 2)))
    raiseUsage("sizes are FROM:TO or FROM:TO:FACTOR, such as 1K:1M:4, not '" + text + "'");
  std::vector<uint64_t> sizes;
  for (uint64_t size = *from; size < *to; size *= factor) {
    sizes.push_back(size);
    if (size > *to / factor)
      break;
  }
  sizes.push_back(*to);
  return sizes;
}

std::vector<uint64_t> python::sizesOf(py::handle value) {
  if (isText(value))
    if (const auto text = py::cast<std::string>(value); text.find(':') != std::string::npos)
      return sweepOf(text);
  if (isText(value) || !py::isinstance<py::iterable>(value))
    return {sizeOf(value)};
  std::vector<uint64_t> sizes;
  for (py::handle each : value)
    sizes.push_back(sizeOf(each));
  return sizes;
}

std::optional<uint32_t> python::slotsOf(py::handle value) {
  if (value.is_none())
    return std::nullopt;
  if (isText(value) && py::cast<std::string>(value) == "inf")
    return api::unlimitedSlots;
  if (isText(value) || numberOf(value) < 1)
    raiseUsage("the number of slots is at least 1, or 'inf'");
  return uint32_t(std::min<int64_t>(numberOf(value), UINT32_MAX));
}

std::vector<std::string> python::textsOf(const char *name, py::handle value) {
  if (value.is_none())
    return {};
  if (isText(value))
    return {py::cast<std::string>(value)};
  return castOf<std::vector<std::string>>(name, value);
}

std::string python::valueText(py::handle value) {
  if (py::isinstance<py::bool_>(value))
    return py::cast<bool>(value) ? "on" : "off";
  return py::cast<std::string>(py::str(value));
}

std::string python::pathOf(py::handle value) {
  PyObject *path = PyOS_FSPath(value.ptr());
  if (!path)
    throw py::error_already_set();
  const auto owned = py::reinterpret_steal<py::object>(path);
  return isText(owned) ? textOf(path) : py::cast<std::string>(owned);
}

api::Target python::targetOf(py::handle name, py::handle settings) {
  api::Target target{pathOf(name)};
  if (!py::isinstance<py::dict>(settings)) {
    target.settings = textsOf("set", settings);
    return target;
  }
  for (auto [path, value] : py::reinterpret_borrow<py::dict>(settings))
    target.settings.push_back(py::cast<std::string>(path) + "=" + valueText(value));
  return target;
}

api::Target python::targetOf(const api::Plan &plan, py::handle name, py::handle settings) {
  if (name.is_none() && plan.target().empty())
    raiseUsage("plan '" + plan.name() + "' was compiled for no machine: name a target");
  return targetOf(name.is_none() ? py::str() : name, settings);
}
