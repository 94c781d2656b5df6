//===- FoldedCommand.h - ccl-sim of a rolled plan on few ranks --*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_FOLDEDCOMMAND_H
#define CCL_TOOLS_CCL_SIM_FOLDEDCOMMAND_H

#include "cclc/Symmetry/Rolled/RolledPlan.h"
#include "cclc/Tools/Cli/Output.h"

#include "cclc/Sim/SweepResult.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

struct FoldedRequest {
  const RolledPlan &plan;
  /// Loads the target for the ranks of a program.
  llvm::function_ref<FailureOr<Machine>(const ProgramInfo &, DiagnosticEngine &)> load;
  std::optional<std::string> network; ///< unset: that of the target
  std::optional<Slots> slots;         ///< unset: those of the target
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  uint32_t repeat = 1;
};

/// Proves the plan, simulates \p sizes on folded ranks and prints the times of all ranks. If these
/// may differ, or the proof needs all ranks, returns nothing and sets \p fault to the reason.
std::optional<ExitCode> runFolded(const FoldedRequest &request, ArrayRef<uint64_t> sizes,
                                  std::string &fault, Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_FOLDEDCOMMAND_H
