//===- Subprocess.h - Programs that a tool starts ---------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SUBPROCESS_H
#define CCL_SUPPORT_SUBPROCESS_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// How a program ended.
struct ProgramResult {
  int code = -1;   ///< its exit code, or negative
  std::string why; ///< of a negative one: what kept it from an exit code

  bool succeeded() const { return code == 0; }
};

/// Runs arguments[0], a path, with an empty input; what it prints goes to the files \p out and
/// \p errors. It ends when a signal ends the tool (Temporary.h).
ProgramResult runProgram(ArrayRef<std::string> arguments, const std::string &out,
                         const std::string &errors);

} // namespace cclc

#endif // CCL_SUPPORT_SUBPROCESS_H
