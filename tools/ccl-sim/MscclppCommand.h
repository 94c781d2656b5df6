//===- MscclppCommand.h - Simulating plans of MSCCL++ -----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_MSCCLPPCOMMAND_H
#define CCL_TOOLS_CCL_SIM_MSCCLPPCOMMAND_H

#include "SimArguments.h"
#include "cclc/Tools/Cli/Output.h"

#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Target/Machine.h"

#include <functional>

namespace cclc {

struct MscclppRequest {
  const SimArguments &args;
  StringRef text, name; ///< of the file
  ArrayRef<uint64_t> sizes;
  DataType type;
  bool summarise;
  unsigned jobs;          ///< of runs with changed machines
  std::string reportPage; ///< share/cclc/report.html
  /// Loads the machine for a plan with these ranks, and with additional overrides, each PATH=VALUE.
  std::function<FailureOr<Machine>(const ExecPlan &)> load;
  std::function<FailureOr<Machine>(const ExecPlan &, ArrayRef<std::string>, DiagnosticEngine &)>
      reload;
};

/// Proves the plan, simulates it for all sizes and reports. Options that such plans do not have are
/// rejected.
ExitCode runMscclpp(const MscclppRequest &request, Progress &progress, DiagnosticEngine &diags);

/// Reports an operator or a type of elements that the executor of MSCCL++ does not have, and
/// options that such plans do not have.
LogicalResult checkMscclppOptions(const SimArguments &args, DataType type, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_MSCCLPPCOMMAND_H
