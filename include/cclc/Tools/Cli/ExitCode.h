//===- ExitCode.h - Exit codes of the tools ---------------------*- C++ -*-===//
//
// The exit codes are part of the interface: docs/CommandGuide lists the cases of every tool.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CLI_EXITCODE_H
#define CCL_TOOLS_CLI_EXITCODE_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

enum class ExitCode : int {
  Success = 0,
  Wrong = 1,    ///< the input was understood and found wrong
  Unusable = 2, ///< the input or the command line cannot be used
  Internal = 70 ///< a defect of the tool
};

/// The exit code of a tool that fails.
inline ExitCode exitCodeOf(Failure failure) {
  switch (failure) {
  case Failure::Unusable:
    return ExitCode::Unusable;
  case Failure::Wrong:
  case Failure::Unfit:
    return ExitCode::Wrong;
  case Failure::Defect:
    return ExitCode::Internal;
  }
  llvm_unreachable("unknown failure");
}

/// The exit status of a tool whose user's program ends it (UserCodeOptions).
inline int exitStatusOf(Failure failure) { return static_cast<int>(exitCodeOf(failure)); }

} // namespace cclc

#endif // CCL_TOOLS_CLI_EXITCODE_H
