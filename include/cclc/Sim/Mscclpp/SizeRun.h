//===- MscclppRun.h - A plan of MSCCL++ simulated with one size -*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_SIZERUN_H
#define CCL_SIM_MSCCLPP_SIZERUN_H

#include "cclc/Sim/Data/DataType.h"
#include "cclc/Sim/Mscclpp/ReportPlan.h"
#include "cclc/Sim/SweepResult.h"

#include <functional>

namespace cclc::mscclpp {

/// Reports an operator or an element type that the executor does not have.
LogicalResult checkElements(ReduceOp op, DataType type, DiagnosticEngine &diags);

/// How a proved plan is simulated, with all sizes.
struct SizeRunSettings {
  const ShownOnMachine &plan;
  std::string network;
  RunOptions options; ///< without data
  /// Whether real data are moved and compared, if the collective has a post-condition.
  bool checkData = false;
  Location where = {}; ///< of messages
};

/// Simulates one size, by \p simulate if it is set, and reports wrong data, which are no failure
/// but SizeResult::dataOk.
using SimulateOnce = std::function<FailureOr<SimResult>(NetworkModel &, const RunOptions &)>;
FailureOr<SizeResult> runSize(const SizeRunSettings &settings, const SizedPlan &sized,
                              DiagnosticEngine &diags, const SimulateOnce &simulate = {});

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_SIZERUN_H
