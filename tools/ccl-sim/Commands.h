//===- Commands.h - The commands of ccl-sim ---------------------*- C++ -*-===//
//
// Each runs with its command line and returns the exit code of the tool. A simulation differs by
// the plan: of steps, rolled, of MSCCL++ or a set of these.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_COMMANDS_H
#define CCL_TOOLS_CCL_SIM_COMMANDS_H

#include "SimArguments.h"

#include "cclc/Symmetry/Rolled/RolledForm.h"

namespace cclc {

/// Proves plans without running them: for a target also its limits, and the sizes at which they
/// complete. Plans of MSCCL++ are proved by themselves, because they have no slots and cannot be
/// bound to a machine. The JSON file is also written if a plan is malformed or takes too much
/// memory.
ExitCode runVerify(const SimArguments &args, Progress &progress, DiagnosticEngine &diags);

/// Checks whether the runtimes load files and execute them as written, individually and as a set,
/// and whether the plans are right. The paths of \p args become the files that were read.
ExitCode runLint(SimArguments &args, Progress &progress, DiagnosticEngine &diags);

/// Shows the provenance of a cell under every placement of the plan, and verifies the plan.
ExitCode runWhy(const SimArguments &args, Progress &progress, DiagnosticEngine &diags);

/// Times requests to memories and reports them.
ExitCode runDma(const SimArguments &args, DiagnosticEngine &diags);

/// Proves the plans, simulates each alone and all together, and writes the report.
ExitCode runConcurrent(SimArguments &args, Progress &progress, DiagnosticEngine &diags);

/// Simulates a plan of steps, whose rolled \p form saves work if it is known.
ExitCode runSteps(SimArguments &args, const ExecPlan &plan, const std::optional<RolledForm> &form,
                  Progress &progress, DiagnosticEngine &diags);

/// Simulates few ranks of a rolled plan and prints the times of all ranks. If these may differ, or
/// the proof needs all ranks, returns nothing and sets \p fault to the reason.
std::optional<ExitCode> runFolded(const SimArguments &args, const RolledPlan &plan,
                                  std::string &fault, Progress &progress, DiagnosticEngine &diags);

/// Simulates \p text, a plan of MSCCL++. Options that such plans do not have are rejected.
ExitCode runMscclpp(const SimArguments &args, StringRef text, Progress &progress,
                    DiagnosticEngine &diags);

/// Reports an operator or a type of elements that the executor of MSCCL++ does not have, and
/// options that such plans do not have.
LogicalResult checkMscclppOptions(const SimArguments &args, DiagnosticEngine &diags);

/// Whether \p files are several plans of MSCCL++, or a folder of them.
bool isMscclppSet(ArrayRef<std::string> files);

/// Simulates each size with the plan of one collective whose range contains it, as a runtime
/// chooses one of several files and folders, such as those of a portfolio.
ExitCode runMscclppSet(const SimArguments &args, Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_COMMANDS_H
