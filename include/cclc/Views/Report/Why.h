//===- Why.h - Printing the provenance of a cell ----------------*- C++ -*-===//
//
// The provenance of one cell as text and as JSON: from its last writer back to the initial chunks,
// with source lines. Of the two operands of a reduction, the one with fewer steps is printed first
// and indented, so the longest chain is not indented.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_WHY_H
#define CCL_VIEWS_REPORT_WHY_H

#include "cclc/Proof/Provenance.h"
#include "cclc/Proof/Verdict.h"

#include <deque>

namespace cclc {

/// The name of a cell on the command line.
struct CellName {
  RankId rank;
  Operand cell;
  friend bool operator==(const CellName &, const CellName &) = default;
};

/// "3:o:2", "3:output:2" or "r3:o[2]"; reports errors in other texts.
std::optional<CellName> parseCellName(StringRef option, StringRef text, DiagnosticEngine &diags);

/// Reports an error if \p plan has no such cell.
LogicalResult checkCell(const ExecPlan &plan, const CellName &name, DiagnosticEngine &diags);

/// The provenance of one cell under one placement.
class Why {
public:
  Why(const ExecPlan &plan, const Provenance &provenance, const CellName &name,
      Placement placement);

  /// "((r0:i[3] + r1:i[3]) + r2:i[3])", truncated after \p limit contributions.
  std::string expression(size_t limit = 64) const;
  /// Prints at most \p lines lines of steps.
  void print(raw_ostream &os, size_t lines = 200) const;

  Placement underPlacement() const { return placement; }
  uint64_t numContributions() const { return contributions; }
  uint64_t numReductions() const { return reductions; }
  uint64_t numMessages() const { return messages; }

private:
  friend struct WhyJson;
  struct Line {
    unsigned depth;
    std::string step, what, where;
  };
  void count();
  std::vector<Line> lines(size_t limit) const;
  std::string textOf(ProvenanceId id) const;
  std::string doing(ProvenanceId action) const;
  bool addsInSwitch(StepId step) const;
  std::string operandText(ProvenanceId action, bool second) const;

  const ExecPlan &plan;
  const Provenance &provenance;
  CellName name;
  Placement placement;
  ProvenanceId root;
  std::vector<ProvenanceId> reached; ///< the nodes reachable from the cell, operands first
  std::vector<uint64_t> weight;      ///< by ProvenanceId: the number of its steps, if reached
  uint64_t contributions = 0, reductions = 0, messages = 0, steps = 0;
};

/// The provenance of a cell under each placement of a plan.
struct WhyAnswers {
  Verdict verdict;                    ///< of the plan
  std::deque<Provenance> provenances; ///< to which the answers refer
  std::vector<Why> answers;           ///< none after a deadlock
};

/// Proves \p plan, which may be wrong, and finds the provenance of \p name. Fails if there is no
/// such cell.
FailureOr<WhyAnswers> answerWhy(const ExecPlan &plan, const CellName &name,
                                std::optional<Slots> slots, DiagnosticEngine &diags);

/// Writes all provenances of a plan as one JSON object, in which nodes are numbered from the cell
/// back; docs/CommandGuide/ccl-sim.md documents the keys.
void writeWhyJson(Verdict verdict, ArrayRef<Why> answers, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_WHY_H
