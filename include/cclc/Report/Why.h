//===- Why.h - Why a cell holds what it holds, for people -------*- C++ -*-===//
//
// The provenance of one cell as text and as JSON: from the step that wrote it last
// back to the initial chunks, with source lines. Where two values were reduced, the
// way of the one with fewer steps is told first and set in; so the indentation stays
// small in the longest chain.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_REPORT_WHY_H
#define CCL_REPORT_WHY_H

#include "cclc/Semantics/Provenance.h"
#include "cclc/Semantics/Verdict.h"

namespace cclc {

/// A cell as the command line names it.
struct CellName {
  RankId rank;
  Operand cell;
  friend bool operator==(const CellName &, const CellName &) = default;
};

/// "3:o:2", "3:output:2" or "r3:o[2]"; reports what is wrong with other texts.
std::optional<CellName> parseCellName(StringRef option, StringRef text, DiagnosticEngine &diags);

/// Reports where \p plan has no such cell.
LogicalResult checkCell(const ExecPlan &plan, const CellName &name, DiagnosticEngine &diags);

/// The answer to "why?" for one cell under one placement.
class Why {
public:
  Why(const ExecPlan &plan, const Provenance &provenance, const CellName &name,
      Placement placement);

  /// "((r0:i[3] + r1:i[3]) + r2:i[3])", cut after \p limit contributions.
  std::string expression(size_t limit = 64) const;
  /// No more than \p lines lines for the way.
  void print(raw_ostream &os, size_t lines = 200) const;

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
  std::string operandText(ProvenanceId action, bool second) const;

  const ExecPlan &plan;
  const Provenance &provenance;
  CellName name;
  Placement placement;
  ProvenanceId root;
  std::vector<ProvenanceId> reached; ///< what the value was made from, operands first
  std::vector<uint64_t> weight;      ///< by ProvenanceId: steps of its way, where reached
  uint64_t contributions = 0, reductions = 0, messages = 0, steps = 0;
};

/// All answers of a plan as one JSON object, in which nodes are numbered from the cell back;
/// docs/CommandGuide/ccl-sim.md documents the keys.
void writeWhyJson(Verdict verdict, ArrayRef<Why> answers, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_WHY_H
