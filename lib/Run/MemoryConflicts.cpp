//===- MemoryConflicts.cpp - Steps that use the same memory ---------------===//
//
// In a plan without races, conflicting accesses are ordered. An access of another threadblock
// follows a step if waits inside the rank lead from the step to it. If only messages of other ranks
// order them, the access counts as one that may precede: a message then does not arrive in the
// buffer before its step, which costs a copy, and is never wrong.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/MemoryConflicts.h"

using namespace cclc;
using namespace cclc::run;

namespace {
struct Access {
  uint32_t threadblock, step;
  bool sends; ///< the message of the step is sent from here
};

class Builder {
public:
  Builder(const PreparedPlan &run, RankId rank, Placement placement)
      : run(run), rank(rank), blocks(run.plan.threadblocks(rank)), cells(run.plan.cells(placement)),
        accesses(cells.cellsOfRank(rank)) {
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      uint32_t sends = 0;
      sendsUpTo.emplace_back();
      for (const Step &step : run.plan.steps(blocks[b])) {
        const OpTraits &op = traits(step.op);
        uint32_t s = sendsUpTo[b].size();
        sendsUpTo[b].push_back(sends += op.sends);
        if (op.readsSrc)
          add(step.src, step.count, {b, s, step.op == OpKind::Send});
        if (op.writesDst)
          add(step.dst, step.count, {b, s, op.sends});
      }
    }
  }

  using Prefixes = SmallVector<MemoryConflicts::Prefix, 1>;

  Prefixes overwritten(uint32_t threadblock, uint32_t step) const {
    Prefixes result;
    forEachConflict(threadblock, step, [&](const Access &access) {
      if (access.sends && llvm::none_of(result, [&](const MemoryConflicts::Prefix &known) {
            return known.threadblock == access.threadblock && known.steps == access.step + 1;
          }))
        result.push_back(upTo(access));
    });
    return result;
  }

  Prefixes beforeArrival(uint32_t threadblock, uint32_t step) const {
    Prefixes result;
    std::vector<uint32_t> after; // computed if there are other threadblocks in conflict
    forEachConflict(threadblock, step, [&](const Access &access) {
      if (access.threadblock == threadblock && access.step > step)
        return;
      if (access.threadblock != threadblock && after.empty())
        after = followers(threadblock, step);
      if (access.threadblock == threadblock || access.step < after[access.threadblock])
        extend(result, access);
    });
    return result;
  }

private:
  const Step &stepAt(uint32_t threadblock, uint32_t step) const {
    return run.plan.steps(blocks[threadblock])[step];
  }
  void add(Operand operand, uint32_t count, const Access &access) {
    for (uint32_t c = 0; c < count; ++c)
      accesses[cells.offsetInRank(rank, operand) + c].push_back(access);
  }
  /// Calls fn for the accesses of other steps to the destination of a step.
  template <class Fn> void forEachConflict(uint32_t threadblock, uint32_t step, Fn fn) const {
    const Step &writer = stepAt(threadblock, step);
    for (uint32_t c = 0; c < writer.count; ++c)
      for (const Access &access : accesses[cells.offsetInRank(rank, writer.dst) + c])
        if (access.threadblock != threadblock || access.step != step)
          fn(access);
  }
  MemoryConflicts::Prefix upTo(const Access &access) const {
    return {access.threadblock, access.step + 1, sendsUpTo[access.threadblock][access.step]};
  }
  void extend(Prefixes &prefixes, const Access &access) const {
    const MemoryConflicts::Prefix prefix = upTo(access);
    for (MemoryConflicts::Prefix &known : prefixes)
      if (known.threadblock == access.threadblock) {
        if (known.steps < prefix.steps)
          known = prefix;
        return;
      }
    prefixes.push_back(prefix);
  }

  /// By threadblock: the first step that follows a step, by waits inside the rank.
  std::vector<uint32_t> followers(uint32_t threadblock, uint32_t step) const {
    std::vector<uint32_t> first(blocks.size(), ~0u);
    first[threadblock] = step;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < blocks.size(); ++b)
        for (uint32_t s = 0; s < std::min(first[b], blocks[b].numSteps); ++s) {
          std::optional<Wait> wait = stepAt(b, s).wait();
          if (wait && run.satisfiedBy(rank, *wait) >= first[wait->tb.index()]) {
            first[b] = s;
            changed = true;
          }
        }
    }
    return first;
  }

  const PreparedPlan &run;
  RankId rank;
  ArrayRef<Threadblock> blocks;
  CellSpace cells;
  std::vector<std::vector<Access>> accesses; ///< by cell of the rank
  std::vector<std::vector<uint32_t>> sendsUpTo;
};
} // namespace

MemoryConflicts::MemoryConflicts(const PreparedPlan &plan, RankId rank, Placement placement) {
  Builder builder(plan, rank, placement);
  ArrayRef<Threadblock> blocks = plan.plan.threadblocks(rank);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    arrivals.emplace_back(blocks[b].numSteps);
    overwrites.emplace_back(blocks[b].numSteps);
    ArrayRef<Step> steps = plan.plan.steps(blocks[b]);
    for (uint32_t s = 0; s < steps.size(); ++s) {
      const OpTraits &op = traits(steps[s].op);
      if (op.writesDst)
        overwrites[b][s] = builder.overwritten(b, s);
      if (op.receives && op.writesDst && !op.readsSrc)
        arrivals[b][s] = builder.beforeArrival(b, s);
    }
  }
}
