//===- ProofReport.h - What --verify-only tells -----------------*- C++ -*-===//

#ifndef CCL_REPORT_PROOFREPORT_H
#define CCL_REPORT_PROOFREPORT_H

#include "cclc/Sim/SizeVerifier.h"

#include "cclc/Semantics/PlanVerifier.h"

namespace cclc {

/// At which sizes a plan completes on a target.
struct Safety {
  struct Row {
    uint64_t bytes;
    uint32_t transmissions; ///< of the step with the most
    SizeVerifier::Proof proof;
  };
  std::string target;
  Slots slots = defaultSlots;
  std::optional<Bytes> largest; ///< unset: no limit
  std::vector<Row> rows;

  bool holds() const;
};

/// Of \p sizes, which may be none, and of all; those that are not safe are reported.
FailureOr<Safety> proveSizes(const BoundPlan &plan, std::optional<uint32_t> slotsNeeded,
                             ArrayRef<uint64_t> sizes, DataType type, DiagnosticEngine &diags);

/// A plan that was proved, or not.
struct ProofReport {
  std::string file;
  PlanReport proof;
  std::optional<Slots> slots; ///< unset: plans of this form have none
  Verdict verdict;            ///< with the sizes
  std::optional<Safety> safety;
};

void printProof(const ProofReport &report, raw_ostream &os);
/// With what was reported to \p diags; docs/CommandGuide/ccl-sim.md documents the keys.
void writeProofJson(const ProofReport &report, const DiagnosticEngine &diags, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_PROOFREPORT_H
