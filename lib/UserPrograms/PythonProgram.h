//===- PythonProgram.h - Loading programs in Python -------------*- C++ -*-===//

#ifndef CCL_LIB_USERPROGRAMS_PYTHONPROGRAM_H
#define CCL_LIB_USERPROGRAMS_PYTHONPROGRAM_H

#include "cclc/UserPrograms/UserCode.h"

namespace cclc {

/// Executes the file of \p code by the module of Python in \p prefix, where the tools are
/// installed. Sets \p read to the files of the program.
std::optional<dsl::Declaration> loadPythonProgram(const UserCode &code, StringRef prefix,
                                                  std::vector<std::string> &read,
                                                  DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_USERPROGRAMS_PYTHONPROGRAM_H
