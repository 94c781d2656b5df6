//===- Place.h - Places of calls in Python ----------------------*- C++ -*-===//

#ifndef CCL_PYTHON_PLACE_H
#define CCL_PYTHON_PLACE_H

#include <pybind11/pybind11.h>

#include "cclc/DSL/SourceLocation.h"

#include <array>
#include <map>
#include <string>

namespace cclc::python {

/// The places from which the methods of one traced program are called. The GIL must be held.
class Places {
public:
  Places() = default;
  ~Places();
  Places(const Places &) = delete;

  /// The file and line that the innermost frame of Python executes; unknown without a frame. The
  /// text of the file lives as long as this object.
  dsl::SourceLocation here();

private:
  /// A call in a code object. A program calls a few places many times, and each search for a line
  /// takes as long as all the rest of a call.
  struct Known {
    PyCodeObject *code = nullptr;
    int instruction = -1;
    dsl::SourceLocation place = {};
  };
  dsl::SourceLocation find(PyCodeObject *code, int instruction);

  std::array<Known, 256> known; ///< by a hash
  /// The files of code objects, which are kept alive: another one could have the same address.
  std::map<PyCodeObject *, std::string> files;
};

} // namespace cclc::python

#endif // CCL_PYTHON_PLACE_H
