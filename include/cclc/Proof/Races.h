//===- Races.h - Race detection ---------------------------------*- C++ -*-===//
//
// Part 3 of the proof of a plan: two accesses of overlapping physical cells, of which one is a
// write, must be ordered in G_inf. Slots do not count as an order, because a plan must be correct
// with any number of them.
//
// A step with several chunks may be executed in transmissions of as few as one chunk. Fused steps
// can then return the first chunk of a step to its rank before the step has accessed the last one,
// so that such a path orders only accesses to the same chunk of both steps, or to a later one of
// the second.
//
// Only the threadblocks of a rank access its memory, so the steps of a rank are visited in one
// topological order and each access is compared with the last write of the cell and the reads
// since. Sparse vector clocks decide the order inside the rank (threadblocks and waits), in time
// linear in the plan; the remaining pairs are searched in the whole of G_inf.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_RACES_H
#define CCL_PROOF_RACES_H

#include "cclc/Proof/PlanControlFlow.h"

namespace cclc {

struct Race {
  Placement placement;
  RankId rank = RankId(0);
  Operand cell; ///< in the notation of the later step
  StepId earlier, later;
  bool earlierWrites, laterWrites;
  /// The earlier step accesses the cell in a later chunk than the later step does, so that only the
  /// end of a step on a path between the two orders the accesses.
  bool needsWholeStep = false;
  /// The steps are ordered, but not their transmissions.
  bool ifSplit = false;
};

/// The first race of a plan with transmissions of any size, ordered by rank and by the order of
/// steps in a run; none if the plan does not complete. Up to \p jobs groups of ranks are scanned at
/// a time.
std::optional<Race> findRace(const ExecPlan &plan, const ConnectionTable &connections,
                             PlanControlFlow &runner, unsigned jobs = 1);

/// The first pair of conflicting accesses that the threadblocks and waits of their rank do not
/// order, even if messages order them.
std::optional<Race> findLocallyUnordered(const ExecPlan &plan, PlanControlFlow &runner);

/// Reports \p race, with the nearest send before its accesses that sends the same data again: a
/// repeated send shifts the messages of its connection.
void reportRace(const ExecPlan &plan, const Race &race, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_PROOF_RACES_H
