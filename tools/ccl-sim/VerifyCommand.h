//===- VerifyCommand.h - ccl-sim --verify-only ------------------*- C++ -*-===//
//
// Proves a plan without running it: for a target also its limits, and the sizes at which it
// completes. A plan of MSCCL++ is proved by itself, because it has no
// slots and cannot be bound to a machine.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_VERIFYCOMMAND_H
#define CCL_TOOLS_CCL_SIM_VERIFYCOMMAND_H

#include "cclc/Tools/Cli/Output.h"

#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Target/Machine.h"
#include "cclc/Tools/Cli/ExitCode.h"

#include <functional>

namespace cclc {

struct VerifyRequest {
  std::string file;
  std::optional<Slots> slots;
  /// Loads the target for a plan; empty if neither limits nor sizes are to be proved.
  std::function<FailureOr<Machine>(const ProgramInfo &)> load;
  std::vector<uint64_t> sizes; ///< to be proved one by one, which needs the target
  DataType type = DataType::F32;
  std::optional<std::string> json; ///< path of the JSON file
  bool print = true;               ///< whether to print text on standard output
};

/// Proves a plan and reports the result. The JSON file is also written if the plan is malformed or
/// takes too much memory.
ExitCode runVerify(const VerifyRequest &request, Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_VERIFYCOMMAND_H
