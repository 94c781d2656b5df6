//===- Provenance.h - The provenance of values ------------------*- C++ -*-===//
//
// A graph of all values that a plan computes. Its leaves are the initial chunks of the collective,
// and its inner nodes are the actions of steps on single chunks, with edges to their operands. The
// nodes reachable from a cell are the reduction tree of its final value, with all moves of the
// data.
//
// A step with count n has n nodes, one per chunk. All nodes are stored, in 8 bytes each.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_PROVENANCE_H
#define CCL_PROOF_PROVENANCE_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// A node of the graph.
CCL_DEFINE_ID(ProvenanceId, "p");

class Provenance {
public:
  /// Traces the values of \p plan under \p placement. Fails if the plan deadlocks with unlimited
  /// slots. If the plan has races, the result is one of the possible outcomes.
  static std::optional<Provenance> trace(const ExecPlan &plan, Placement placement);
  /// The same for messages about errors: none if the plan has more than 16 million actions.
  static std::optional<Provenance> traceIfSmall(const ExecPlan &plan, Placement placement);

  /// The value of a cell that is never written.
  static ProvenanceId undefined() { return ProvenanceId(0); }
  /// The final value of a cell.
  ProvenanceId of(RankId rank, Operand cell) const { return cells[space.cell(rank, cell)]; }

  bool isContribution(ProvenanceId id) const {
    return id != undefined() && id.index() < firstAction;
  }
  Contribution contribution(ProvenanceId id) const {
    return {RankId((id.index() - 1) / inputChunks), (id.index() - 1) % inputChunks};
  }

  /// Whether the node is the action of a step, and neither undefined nor an initial chunk.
  bool isAction(ProvenanceId id) const { return id.index() >= firstAction; }
  /// The step of an action and the chunk of the step.
  struct Place {
    StepId step;
    uint32_t chunk;
  };
  Place place(ProvenanceId action) const;
  ProvenanceId action(StepId step, uint32_t chunk = 0) const {
    return ProvenanceId(firstAction + firstOfStep[step.index()] + chunk);
  }

  /// The operands of an action: the value that it moves, or the two values that it reduces, in this
  /// order. The operand for a received value is the action of the step that sent it.
  struct Operands {
    ProvenanceId lhs = undefined();
    OptionalId<ProvenanceId> rhs;
  };
  Operands operands(ProvenanceId action) const { return actions[action.index() - firstAction]; }
  /// Whether the action is a sum in a switch to which the same step adds further values.
  bool isPartialSum(ProvenanceId action) const {
    uint32_t step = place(action).step.index();
    return action.index() - firstAction >= firstOfStep[step] + counts[step];
  }

  /// Ids are below this bound. The ids of operands are not ordered.
  uint32_t size() const { return firstAction + actions.size(); }
  uint32_t numContributions() const { return firstAction - 1; }

private:
  Provenance(const ExecPlan &plan, Placement placement);
  void add(StepId step, uint32_t chunk, ArrayRef<ProvenanceId> addends);

  CellSpace space;
  uint32_t inputChunks, firstAction;
  std::vector<uint32_t> firstOfStep; ///< by step, then the number of actions
  std::vector<uint32_t> counts;      ///< by step: its chunks
  std::vector<Operands> actions;
  std::vector<ProvenanceId> cells; ///< by physical cell
};

} // namespace cclc

#endif // CCL_PROOF_PROVENANCE_H
