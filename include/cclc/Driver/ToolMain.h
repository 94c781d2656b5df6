//===- ToolMain.h - Entry points of the tools -------------------*- C++ -*-===//
//
// The command lines are a contract: docs/CommandGuide has names, exit codes and
// JSON keys.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DRIVER_TOOLMAIN_H
#define CCL_DRIVER_TOOLMAIN_H

namespace cclc {

/// What every tool ends with.
enum class ExitCode : int {
  Success = 0,
  Wrong = 1,    ///< the input was understood and found wrong
  Unusable = 2, ///< the input or the command line cannot be used
  Internal = 70 ///< a defect of the tool
};

/// Compiles an algorithm to a plan.
int cclcMain(int argc, char **argv);
/// Executes and times a plan.
int cclSimMain(int argc, char **argv);
/// Compares two plans.
int cclDiffMain(int argc, char **argv);
/// Runs passes over text IR.
int cclOptMain(int argc, char **argv);

} // namespace cclc

#endif // CCL_DRIVER_TOOLMAIN_H
