//===- Waits.cpp - Dependences between threadblocks, reduced --------------===//
//
// The steps of a rank are visited in the order in which they can execute, with a vector clock
// (Fidge, 1988; Mattern, 1989) for each of its threadblocks: the number of steps of every other
// threadblock that have completed. A dependence that the clock covers needs no wait. The
// dependences of a step are visited from the latest to the earliest, because a later one may imply
// an earlier one but not vice versa, so the remaining waits are exactly the transitive reduction
// (Aho, Garey and Ullman, SIAM Journal on Computing 1(2), 1972).
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

namespace cclc::schedule {
class WaitFinder {
public:
  WaitFinder(const InstrProgram &program, const Draft &draft, const Assignment &assignment)
      : program(program), draft(draft), assignment(assignment), deps(dependences()) {}

  Waits run() {
    uint32_t n = draft.steps.size();
    number();
    result.target.resize(n);
    std::vector<uint32_t> start(program.info().ranks() + 1), byRank(n);
    for (uint32_t s = 0; s < n; ++s)
      ++start[rankOf(s).index() + 1];
    for (uint32_t r = 0; r + 1 < start.size(); ++r)
      start[r + 1] += start[r];
    std::vector<uint32_t> at(start.begin(), start.end() - 1);
    for (uint32_t s = 0; s < n; ++s)
      byRank[at[rankOf(s).index()]++] = s;
    for (uint32_t r = 0; r + 1 < start.size(); ++r)
      reduceRank(ArrayRef(byRank).slice(start[r], start[r + 1] - start[r]));
    collect();
    return std::move(result);
  }

private:
  struct Pair {
    uint32_t step, target;
  };

  RankId rankOf(uint32_t step) const { return program[draft.steps[step].instr].rank; }
  uint32_t threadblockOf(uint32_t step) const { return draft.steps[step].threadblock.index(); }

  /// The dependences after fusion is final, where an rrs writes no local operand.
  DependenceGraph dependences() const {
    std::vector<CellSpace> spaces;
    for (Placement placement : program.info().placements.list())
      spaces.emplace_back(program.info().collective, placement, draft.scratchChunks);
    DependenceBuilder builder(spaces, draft.steps.size());
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      const DraftStep &step = draft.steps[s];
      const Instr &instr = program[step.instr];
      const OpTraits &op = traits(step.op);
      builder.beginNode(s);
      if (op.readsSrc)
        builder.read(instr.rank, step.src, instr.count);
      if (op.readsDst)
        builder.read(instr.rank, step.dst, instr.count);
      if (op.writesDst)
        builder.write(instr.rank, step.dst, instr.count);
    }
    return std::move(builder).finish();
  }

  void number() {
    std::vector<uint32_t> filled(assignment.threadblocks.size());
    index.reserve(draft.steps.size());
    for (uint32_t s = 0; s < draft.steps.size(); ++s)
      index.push_back(filled[threadblockOf(s)]++);
  }

  /// Dependences of \p step on other threadblocks, the latest first.
  void crossDependences(uint32_t step, SmallVectorImpl<uint32_t> &list) const {
    list.clear();
    for (DepEdge edge : deps.preds(step))
      if (threadblockOf(edge.node()) != threadblockOf(step))
        list.push_back(edge.node());
    if (auto it = draft.joins.find(step); it != draft.joins.end())
      list.push_back(it->second);
    std::sort(list.begin(), list.end(), std::greater<>());
  }

  void reduceRank(ArrayRef<uint32_t> steps) {
    llvm::DenseMap<uint32_t, uint32_t> local; // local numbers of the threadblocks of the rank
    llvm::DenseMap<uint32_t, size_t> clockOf; // by potential target: its clock in `pool`
    SmallVector<uint32_t, 8> list;
    for (uint32_t s : steps) {
      local.try_emplace(threadblockOf(s), local.size());
      crossDependences(s, list);
      for (uint32_t target : list)
        clockOf.try_emplace(target, 0);
    }
    if (clockOf.empty())
      return;
    uint32_t width = local.size();
    std::vector<std::vector<uint32_t>> clocks(width); // empty until the threadblock waits
    std::vector<uint32_t> pool(width);                // the first row is the empty clock
    for (uint32_t s : steps) {
      std::vector<uint32_t> &clock = clocks[local[threadblockOf(s)]];
      crossDependences(s, list);
      for (uint32_t target : list) {
        uint32_t other = local[threadblockOf(target)];
        if (!clock.empty() && clock[other] > index[target])
          continue;
        clock.resize(width);
        size_t row = clockOf[target];
        for (uint32_t w = 0; w < width; ++w)
          clock[w] = std::max(clock[w], pool[row + w]);
        clock[other] = std::max(clock[other], index[target] + 1);
        pairs.push_back({s, target});
        result.target[target] = true;
      }
      auto it = clockOf.find(s);
      if (it != clockOf.end() && !clock.empty()) {
        it->second = pool.size();
        pool.insert(pool.end(), clock.begin(), clock.end());
      }
    }
  }

  void collect() {
    result.begin.assign(draft.steps.size() + 1, 0);
    for (Pair pair : pairs)
      ++result.begin[pair.step + 1];
    for (uint32_t s = 0; s < draft.steps.size(); ++s)
      result.begin[s + 1] += result.begin[s];
    result.targets.resize(pairs.size());
    std::vector<uint32_t> at(result.begin.begin(), result.begin.end() - 1);
    // Waits were found in descending order and are stored in ascending order.
    for (size_t i = pairs.size(); i-- > 0;)
      result.targets[at[pairs[i].step]++] = pairs[i].target;
  }

  const InstrProgram &program;
  const Draft &draft;
  const Assignment &assignment;
  DependenceGraph deps;
  std::vector<uint32_t> index; ///< of each step in its threadblock, without nops
  std::vector<Pair> pairs;
  Waits result;
};
} // namespace cclc::schedule

Waits schedule::findWaits(const InstrProgram &program, const Draft &draft,
                          const Assignment &assignment) {
  return WaitFinder(program, draft, assignment).run();
}
