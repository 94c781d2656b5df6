//===- ConcurrentMscclpp.h - Plans of MSCCL++ at once -----------*- C++ -*-===//
//
// What ccl-sim concurrent does otherwise for plans of MSCCL++ than for those of steps. Reports show
// the plans that planForReports() makes of them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H
#define CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H

#include "ConcurrentCommand.h"

#include "cclc/Sim/Mscclpp/Concurrent.h"
#include "cclc/Sim/Mscclpp/ReportPlan.h"

namespace cclc {

class ConcurrentMscclpp {
public:
  explicit ConcurrentMscclpp(const ConcurrentRequest &request) : request(request) {}

  /// Reports the first option that such plans do not have.
  LogicalResult checkOptions(DiagnosticEngine &diags) const;
  /// Adds the next plan and returns the one for its reports.
  FailureOr<ExecPlan> read(StringRef text, StringRef name, DiagnosticEngine &diags);
  /// Binds plan \p p as \p shown is bound; returns the sizing for its reports.
  FailureOr<Sizing> bind(size_t p, const BoundPlan &shown, DiagnosticEngine &diags);
  LogicalResult prove(size_t p, DiagnosticEngine &diags) const;
  LogicalResult checkEndpoints(DiagnosticEngine &diags) const;

  SimResult simulateAlone(size_t p, StringRef network) const;
  /// Executes the data of the plans \p p with \p dataOk[p], and sets these. Mismatches are
  /// reported by \p onMismatch.
  ConcurrentResult simulateTogether(StringRef network, std::vector<std::optional<bool>> &dataOk,
                                    llvm::function_ref<void(size_t, std::string)> onMismatch) const;

private:
  /// At a fixed address.
  struct One {
    mscclpp::Plan plan;
    std::optional<mscclpp::BoundPlan> bound = {};
    std::optional<mscclpp::SizedPlan> sized = {};
  };

  const ConcurrentRequest &request;
  std::vector<std::unique_ptr<One>> plans;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H
