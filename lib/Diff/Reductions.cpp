#include "Parts.h"

#include "cclc/Proof/PlanExecution.h"
#include "cclc/Proof/ValueHashes.h"

#include <map>

using namespace cclc;
using namespace cclc::diff;

/// The step that computed the value of \p cell, or that wrote it if the value is no sum.
static OptionalId<StepId> stepOf(const SymbolicMemory::Cell &cell, const ValueTable &values) {
  OptionalId<WriterId> step =
      values.isSum(cell.value) ? OptionalId<WriterId>(values.origin(cell.value)) : cell.writer;
  return step ? OptionalId<StepId>(StepId((*step).index())) : OptionalId<StepId>();
}

static void compareUnder(Placement placement, const IndexedPlan &before, const IndexedPlan &after,
                         std::vector<ReductionChange> &changes) {
  PlanControlFlow oldRunner(before.plan, before.connections),
      newRunner(after.plan, after.connections);
  PlanExecution oldRun(before.plan, before.connections, oldRunner, placement);
  PlanExecution newRun(after.plan, after.connections, newRunner, placement);
  if (oldRun.reductionHash() == newRun.reductionHash())
    return;
  const ValueTable &olds = oldRun.memory().values, &news = newRun.memory().values;
  ValueHashes oldHashes(olds), newHashes(news);
  // Ranks with copies of the same sum share an entry.
  std::map<std::pair<uint64_t, uint64_t>, size_t> entries;
  for (uint32_t r = 0; r < before.plan.ranks(); ++r)
    for (uint32_t c = 0; c < before.plan.info().collective.outputChunks(); ++c) {
      Operand cell(Buffer::Output, c);
      SymbolicMemory::Cell now = newRun.memory().at(RankId(r), cell);
      ValueId a = oldRun.memory().at(RankId(r), cell).value, b = now.value;
      uint64_t oldHash = oldHashes.of(a), newHash = newHashes.of(b);
      if (oldHash == newHash)
        continue;
      auto [it, added] = entries.try_emplace({oldHash, newHash}, changes.size());
      constexpr size_t shown = 16;
      auto text = [](const ValueTable &values, ValueId v) {
        return v == ValueTable::undefined() ? "nothing" : values.expression(v, shown);
      };
      if (added)
        changes.push_back({placement, text(olds, a), text(news, b), {}, stepOf(now, news)});
      changes[it->second].cells.push_back({RankId(r), c});
    }
}

std::vector<ReductionChange> diff::compareReductions(const IndexedPlan &before,
                                                     const IndexedPlan &after) {
  std::vector<ReductionChange> changes;
  for (Placement placement : before.plan.info().placements.list())
    for (Placement other : after.plan.info().placements.list())
      if (placement == other)
        compareUnder(placement, before, after, changes);
  return changes;
}
