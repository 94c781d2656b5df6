//===- Proof.h - The report of ccl-sim verify --------------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_PROOF_H
#define CCL_VIEWS_REPORT_PROOF_H

#include "cclc/Sim/SizeVerifier.h"

#include "cclc/Proof/PlanVerifier.h"

#include <functional>

namespace cclc {

/// The sizes at which a plan completes on a target, and fits into its memories.
struct Safety {
  struct Row {
    uint64_t bytes;
    uint32_t transmissions; ///< maximum number of transmissions of a step
    SizeVerifier::Proof proof;
    bool fits; ///< whether the memories of the target hold the plan
  };
  std::string target;
  Slots slots = defaultSlots;
  /// The largest sizes that complete and that fit; unset if unlimited.
  std::optional<Bytes> completes, fits;
  std::vector<Row> rows;

  /// Unset if unlimited.
  std::optional<Bytes> largest() const;
  /// Of all rows: Ok, Deadlock or, if the only defect is the memory, Illegal.
  Verdict verdict() const;
};

/// The result of the verification of a plan.
struct ProvedPlan {
  std::string file;
  PlanProof proof;
  std::optional<Slots> slots; ///< unset for formats without slots
  Verdict verdict;            ///< including the sizes
  std::optional<Safety> safety;
};

struct ProofRequest {
  const Machine *machine = nullptr; ///< null: its limits and sizes are not proved
  std::optional<Slots> slots;       ///< unset: those of the machine's protocol, or of the plan
  ArrayRef<uint64_t> sizes;
  DataType type = DataType::F32;
  /// Called for each size as soon as it is verified.
  std::function<void(const Safety &)> onRow;
};

/// Proves \p plan, and if that succeeds all sizes, and stores the results in \p report. Fails if
/// the machine has no room for the ranks.
LogicalResult proveWithSizes(const ExecPlan &plan, const ProofRequest &request, ProvedPlan &report,
                             DiagnosticEngine &diags);

/// Prints the last row of \p safety and flushes \p os; before the first row also the line on the
/// plan.
void printLastRow(const ProvedPlan &report, const Safety &safety, raw_ostream &os);
/// Prints all rows, if there are any.
void printRows(const ProvedPlan &report, raw_ostream &os);
/// Prints the rest of the report: everything but the rows.
void printProof(const ProvedPlan &report, raw_ostream &os);
/// A result and its diagnostics.
struct ProofReport {
  ProvedPlan plan;
  DiagnosticEngine diags;
};

/// Writes the report of one plan, or those of several and the worst verdict;
/// docs/CommandGuide/ccl-sim.md documents the keys.
void writeProofJson(ArrayRef<ProofReport> reports, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_PROOF_H
