//===- ConcurrentMscclpp.h - Plans of MSCCL++ at once -----------*- C++ -*-===//
//
// What ccl-sim concurrent does otherwise for plans of MSCCL++ than for those of steps.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H
#define CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H

#include "ConcurrentCommand.h"

#include "cclc/Sim/Mscclpp/Concurrent.h"

namespace cclc {

class ConcurrentMscclpp {
public:
  explicit ConcurrentMscclpp(const ConcurrentRequest &request) : request(request) {}

  /// Reports the first option that such plans do not have.
  LogicalResult checkOptions(DiagnosticEngine &diags) const;
  /// Adds the next plan, which must stay at its address.
  FailureOr<Sizing> add(const mscclpp::PlacedPlan &placed, DiagnosticEngine &diags);
  LogicalResult checkEndpoints(DiagnosticEngine &diags) const;

  SimResult simulateAlone(size_t p, StringRef network) const;
  /// Executes the data of the plans \p p with \p dataOk[p], and sets these. Mismatches are
  /// reported by \p onMismatch.
  ConcurrentResult simulateTogether(StringRef network, std::vector<std::optional<bool>> &dataOk,
                                    llvm::function_ref<void(size_t, std::string)> onMismatch) const;

private:
  struct One {
    const mscclpp::PlacedPlan &placed;
    mscclpp::SizedPlan sized;
  };

  const ConcurrentRequest &request;
  std::vector<One> plans;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTMSCCLPP_H
