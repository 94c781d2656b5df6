//===- PythonModule.h - The module that runs programs in Python -*- C++ -*-===//
//
// The tools link no library of Python: they load lib/cclc/python.so (python/src/Tool.cpp), which
// finds the language in the tool, as users' programs in C++ do.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_USERPROGRAMS_PYTHONMODULE_H
#define CCL_USERPROGRAMS_PYTHONMODULE_H

#include "cclc/DSL/Declaration.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// The program of a file, or the error at a line of a file.
struct PythonProgram {
  std::optional<dsl::Declaration> declaration = {};
  std::string error = {}, file = {};
  unsigned line = 0; ///< 0: the whole file
  /// The file, and those that it imports from its folder.
  std::vector<std::string> files = {};
};

/// The functions of the module, by name: its version of the DSL, and the function that executes a
/// file. What the declaration needs lives until the tool ends.
inline constexpr const char *pythonModuleAbi = "cclc_program_abi";
inline constexpr const char *pythonModuleLoad = "cclc_python_load";
using LoadPythonProgram = void(const char *file, PythonProgram &result);

} // namespace cclc

#endif // CCL_USERPROGRAMS_PYTHONMODULE_H
