//===- Waits.cpp - Dependences between threadblocks, reduced --------------===//
//
// The steps of a rank are visited in the order in which they can execute, with a vector clock for
// each of its threadblocks (VectorClocks.h). A dependence that the clock covers needs no wait. The
// dependences of a step are visited from the latest to the earliest, because a later one may imply
// an earlier one but not vice versa, so the remaining waits are exactly the transitive reduction
// (Aho, Garey and Ullman, SIAM Journal on Computing 1(2), 1972).
//
// The dependences of the steps are those of the instructions, in any order that respects them,
// unless the order splits instructions or a switch joins some: then they are computed again. Ranks
// with one threadblock have no waits. Groups of ranks are independent, and their waits are
// concatenated by rank.
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include "cclc/Schedule/VectorClocks.h"
#include "cclc/Support/Parallel.h"

#include <algorithm>
#include <utility>

using namespace cclc;
using namespace cclc::schedule;

namespace cclc::schedule {
class WaitFinder {
public:
  WaitFinder(ProgramGraph &graph, const Draft &draft, const Assignment &assignment, unsigned jobs)
      : graph(graph), program(graph.program), draft(draft), assignment(assignment), jobs(jobs) {}

  Waits run() {
    uint32_t n = draft.steps.size();
    result.target.resize(n);
    if (!numberSteps()) {
      collect();
      return std::move(result);
    }
    findDependences();
    const uint32_t ranks = program.info().ranks(), groups = jobs <= 1 ? 1 : std::min(jobs, ranks);
    Grouped byRank(ranks, n, [&](uint32_t s) { return rankOf(s); });
    pairs.resize(groups);
    parallelFor(jobs, groups, [&](size_t group) {
      VectorClocks clocks;
      auto first = [&](uint64_t g) { return uint32_t(g * ranks / groups); };
      for (uint32_t r = first(group); r < first(group + 1); ++r)
        if (threadblocksOf[r] > 1)
          reduceRank(r, byRank[r], clocks, pairs[group]);
    });
    collect();
    return std::move(result);
  }

private:
  struct Pair {
    uint32_t step, target;
  };

  uint32_t rankOf(uint32_t step) const { return program[draft.steps[step].instr].rank.index(); }
  uint32_t threadblockOf(uint32_t step) const { return draft.steps[step].threadblock.index(); }

  /// Numbers the steps of every threadblock and the threadblocks with steps of every rank. Returns
  /// whether a rank has several.
  bool numberSteps() {
    std::vector<uint32_t> filled(assignment.threadblocks.size());
    index.reserve(draft.steps.size());
    localOf.resize(filled.size());
    threadblocksOf.resize(program.info().ranks());
    uint32_t most = 0;
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      uint32_t threadblock = threadblockOf(s);
      if (filled[threadblock] == 0) {
        localOf[threadblock] = threadblocksOf[rankOf(s)]++;
        most = std::max(most, localOf[threadblock] + 1);
      }
      index.push_back(filled[threadblock]++);
    }
    return most > 1;
  }

  void findDependences() {
    if (draft.steps.size() == program.size() && assignment.joined.empty()) {
      ofInstrs = &graph.ofSteps();
      stepOf.resize(program.size());
      for (uint32_t s = 0; s < draft.steps.size(); ++s)
        stepOf[draft.steps[s].instr.index()] = s;
      return;
    }
    std::vector<CellSpace> spaces;
    for (Placement placement : program.info().placements.list())
      spaces.emplace_back(program.info().collective, placement, draft.scratchChunks);
    DependenceBuilder builder(spaces, draft.steps.size());
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      const Instr &instr = program[draft.steps[s].instr];
      builder.beginNode(s);
      auto [src, dst] = draft.operandsOf(draft.steps[s], instr);
      addAccesses(builder, instr.rank, draft.steps[s].op, src, dst, instr.count);
    }
    ofDraft = std::move(builder).finish();
  }

  /// The last dependence of \p step on each other threadblock, the latest first. \p last has a
  /// place for each threadblock of the rank, and remains empty.
  void crossDependences(uint32_t step, MutableArrayRef<OptionalIndex> last,
                        SmallVectorImpl<uint32_t> &list) const {
    list.clear();
    auto add = [&](uint32_t other) {
      if (threadblockOf(other) == threadblockOf(step))
        return;
      OptionalIndex &known = last[localOf[threadblockOf(other)]];
      if (!known)
        list.push_back(localOf[threadblockOf(other)]);
      known = std::max(known, OptionalIndex(other));
    };
    if (ofInstrs)
      for (DepEdge edge : ofInstrs->preds(draft.steps[step].instr.index()))
        add(stepOf[edge.node()]);
    else
      for (DepEdge edge : ofDraft.preds(step))
        add(edge.node());
    if (!draft.joins.empty())
      if (auto it = draft.joins.find(step); it != draft.joins.end())
        add(it->second);
    for (uint32_t &entry : list)
      entry = *std::exchange(last[entry], OptionalIndex());
    if (list.size() > 1)
      std::sort(list.begin(), list.end(), std::greater<>());
  }

  void reduceRank(uint32_t rank, ArrayRef<uint32_t> steps, VectorClocks &clocks,
                  std::vector<Pair> &found) const {
    std::vector<uint32_t> sizes(threadblocksOf[rank]);
    for (uint32_t s : steps)
      ++sizes[localOf[threadblockOf(s)]];
    clocks.beginRank(sizes);
    std::vector<OptionalIndex> last(sizes.size());
    SmallVector<uint32_t, 8> list;
    for (uint32_t s : steps) {
      uint32_t threadblock = localOf[threadblockOf(s)];
      crossDependences(s, last, list);
      for (uint32_t target : list) {
        uint32_t other = localOf[threadblockOf(target)];
        if (clocks.knows(threadblock, other, index[target]))
          continue;
        clocks.wait(threadblock, other, index[target]);
        found.push_back({s, target});
      }
      clocks.publish(threadblock, index[s]);
    }
  }

  void collect() {
    // Waits were found in descending order and are stored in ascending order.
    result.targets = Grouped(draft.steps.size(), [&](auto add) {
      for (ArrayRef<Pair> group : pairs)
        for (Pair pair : llvm::reverse(group))
          add(pair.step, pair.target);
    });
    for (uint32_t target : result.targets.all())
      result.target[target] = true;
  }

  ProgramGraph &graph;
  const InstrProgram &program;
  const Draft &draft;
  const Assignment &assignment;
  unsigned jobs;
  /// The dependences by instruction, with the step of each, if each is one step; else by step.
  const DependenceGraph *ofInstrs = nullptr;
  std::vector<uint32_t> stepOf;
  DependenceGraph ofDraft;
  std::vector<uint32_t> index;          ///< of each step in its threadblock, without nops
  std::vector<uint32_t> localOf;        ///< by threadblock: its number in its rank
  std::vector<uint32_t> threadblocksOf; ///< by rank: their number
  std::vector<std::vector<Pair>> pairs; ///< by group of ranks
  Waits result;
};
} // namespace cclc::schedule

Waits schedule::findWaits(ProgramGraph &graph, const Draft &draft, const Assignment &assignment,
                          unsigned jobs) {
  return WaitFinder(graph, draft, assignment, jobs).run();
}
