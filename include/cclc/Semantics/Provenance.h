//===- Provenance.h - Why a cell holds what it holds ------------*- C++ -*-===//
//
// Every value that a plan makes, with the values it was made from: a graph whose
// leaves are the initial chunks of the collective and whose inner nodes are what
// steps did to single chunks. Followed back from a cell, it is the reduction tree
// of what the cell holds in the end, with everything that only moved it.
//
// A step of count n is n nodes, one for each of its chunks. All are kept: 8 bytes
// a node.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_PROVENANCE_H
#define CCL_SEMANTICS_PROVENANCE_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// A value at one point of its way.
CCL_DEFINE_ID(ProvenanceId, "p");

class Provenance {
public:
  /// Of the values of \p plan under \p placement. None if it does not complete with
  /// unlimited slots. If the plan has races, this is one of the possible outcomes.
  static std::optional<Provenance> trace(const ExecPlan &plan, Placement placement);

  /// The value of a cell that is never written.
  static ProvenanceId undefined() { return ProvenanceId(0); }
  /// What the cell holds in the end.
  ProvenanceId of(RankId rank, Operand cell) const { return cells[space.cell(rank, cell)]; }

  bool isContribution(ProvenanceId id) const {
    return id != undefined() && id.index() < firstAction;
  }
  Contribution contribution(ProvenanceId id) const {
    return {RankId((id.index() - 1) / inputChunks), (id.index() - 1) % inputChunks};
  }

  /// What a step did, that is neither undefined nor a contribution.
  bool isAction(ProvenanceId id) const { return id.index() >= firstAction; }
  /// The step that did it, as an index into ExecPlan::steps(), and to which of its chunks.
  struct Place {
    uint32_t step, chunk;
  };
  Place place(ProvenanceId action) const;
  ProvenanceId action(uint32_t step, uint32_t chunk = 0) const {
    return ProvenanceId(firstAction + firstOfStep[step] + chunk);
  }

  /// What a step took: one value that it moved, or the two that it reduced in this order. Of
  /// those that a message brought the step that sent it is the operand.
  struct Operands {
    ProvenanceId lhs = undefined();
    OptionalId<ProvenanceId> rhs;
  };
  Operands operands(ProvenanceId action) const { return actions[action.index() - firstAction]; }

  /// Ids are below this bound, and those of operands are in no order.
  uint32_t size() const { return firstAction + actions.size(); }
  uint32_t numContributions() const { return firstAction - 1; }

private:
  Provenance(const ExecPlan &plan, Placement placement);

  CellSpace space;
  uint32_t inputChunks, firstAction;
  std::vector<uint32_t> firstOfStep; ///< by step; at the end their number
  std::vector<Operands> actions;
  std::vector<ProvenanceId> cells; ///< by physical cell
};

} // namespace cclc

#endif // CCL_SEMANTICS_PROVENANCE_H
