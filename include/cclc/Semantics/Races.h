//===- Races.h - Are conflicting accesses ordered ---------------*- C++ -*-===//
//
// Part 3 of the proof of a plan: two accesses of overlapping physical cells, of
// which one is a write, must be ordered in G_inf. Credits (slots) order nothing
// that one may rely on.
//
// Only the threadblocks of a rank touch its memory, so the steps of a rank are
// taken in one topological order and each access is compared with the last
// write of the cell and the reads since. Orders inside the rank (threadblocks
// and waits) are known from sparse vector clocks, which costs time linear in
// the plan; what they leave open is looked up in the whole of G_inf.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_RACES_H
#define CCL_SEMANTICS_RACES_H

#include "cclc/Semantics/PlanRunner.h"

namespace cclc {

struct Race {
  Placement placement;
  RankId rank = RankId(0);
  Operand cell; ///< as the later step names it
  uint32_t earlier, later;
  bool earlierWrites, laterWrites;
};

/// The first race of a plan that is free of deadlock, in the order of ranks and
/// of their steps in a run.
std::optional<Race> findRace(const ExecPlan &plan, const ConnectionTable &connections,
                             PlanRunner &runner);

void reportRace(const ExecPlan &plan, const Race &race, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEMANTICS_RACES_H
