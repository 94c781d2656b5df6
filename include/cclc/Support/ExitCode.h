//===- ExitCode.h - Exit codes of the tools ---------------------*- C++ -*-===//
//
// The exit codes are part of the interface: docs/CommandGuide lists the cases of every tool.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_EXITCODE_H
#define CCL_SUPPORT_EXITCODE_H

namespace cclc {

enum class ExitCode : int {
  Success = 0,
  Wrong = 1,    ///< the input was understood and found wrong
  Unusable = 2, ///< the input or the command line cannot be used
  Internal = 70 ///< a defect of the tool
};

} // namespace cclc

#endif // CCL_SUPPORT_EXITCODE_H
