//===- Subprocess.h - Running child processes -------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SUBPROCESS_H
#define CCL_SUPPORT_SUBPROCESS_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// How a program ended.
struct ProgramResult {
  int code = -1;   ///< the exit code; negative if there is none
  std::string why; ///< the reason for a negative code

  bool succeeded() const { return code == 0; }
};

/// Runs arguments[0], a path, with an empty standard input. Its standard output and error go to the
/// files \p out and \p errors. A signal that terminates the tool terminates it as well
/// (Interrupts.h).
ProgramResult runProgram(ArrayRef<std::string> arguments, const std::string &out,
                         const std::string &errors);

} // namespace cclc

#endif // CCL_SUPPORT_SUBPROCESS_H
