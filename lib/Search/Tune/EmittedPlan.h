//===- EmittedPlan.h - Timing the MSCCL++ plan of a candidate ---*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_EMITTEDPLAN_H
#define CCL_LIB_SEARCH_TUNE_EMITTEDPLAN_H

#include "cclc/Search/Tune/Measure.h"
#include "cclc/Sim/Mscclpp/PlacedPlan.h"

namespace cclc {

/// The plan of MSCCL++ that a candidate is lowered to. If MSCCL++ is the only destination, its time
/// is that of the candidate, because the lowering may change which of two candidates is faster.
class EmittedPlan {
public:
  /// Whether candidates of \p problem are timed by their plans of MSCCL++.
  static bool isTimed(const SearchProblem &problem);
  /// Whether candidates with groups of threadblocks are timed: for machines with nodes, whose
  /// proxies would execute the transfers of all instances one after the other.
  static bool isShared(const SearchProblem &problem);

  /// Lowers \p plan of \p variant unless it was, and binds the result to the endpoints of its
  /// ranks.
  static FailureOr<EmittedPlan> create(const ExecPlan &plan, const Variant &variant,
                                       std::optional<mscclpp::Plan> lowered,
                                       const SearchProblem &problem, DiagnosticEngine &diags);

  /// Binds \p plan to the endpoints of its ranks.
  static FailureOr<EmittedPlan> create(mscclpp::Plan plan, ArrayRef<uint32_t> endpoints,
                                       const SearchProblem &problem, DiagnosticEngine &diags);

  /// Unset if the plan takes longer than \p until.
  std::optional<Measure::Run> run(uint64_t size, std::optional<SimTime> until,
                                  const SearchProblem &problem) const;
  const mscclpp::PlacedPlan &bound() const { return placed; }
  /// The threadblocks of the rank with most.
  uint32_t mostThreadblocks() const;
  /// The executor accepts multiples of this size in bytes.
  uint64_t multiple() const;
  /// Fails if the executor does not accept \p size.
  LogicalResult checkSize(uint64_t size, DataType type, DiagnosticEngine &diags) const;

private:
  EmittedPlan(std::unique_ptr<const mscclpp::Plan> plan, mscclpp::PlacedPlan placed)
      : plan(std::move(plan)), placed(std::move(placed)) {}

  std::unique_ptr<const mscclpp::Plan> plan; ///< to which `placed` refers
  mscclpp::PlacedPlan placed;
};

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_EMITTEDPLAN_H
