//===- ProgramGraph.cpp - The instructions as a graph ---------------------===//
//
// Instructions are sorted by their depth. For runtimes that merge reductions, those of one sum follow
// each other.
//
//===----------------------------------------------------------------------===//

#include "ProgramGraph.h"

#include "cclc/Support/Grouped.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace cclc;
using namespace cclc::schedule;

/// Whether \p next adds to the sum of \p instr, from the same buffer.
static bool continuesSum(const Instr &instr, const Instr &next) {
  return instr.op == OpKind::Reduce && next.op == OpKind::Reduce && instr.dst == next.dst &&
         instr.src.buffer() == next.src.buffer() && instr.count == next.count &&
         instr.phase == next.phase;
}

/// A sum with another reader is not continued, as its step publishes.
std::vector<OptionalId<InstrId>> ProgramGraph::findSums() const {
  std::vector<OptionalId<InstrId>> next(program.size());
  std::vector<uint32_t> readers(program.size());
  for (uint32_t id = 0; id < program.size(); ++id)
    for (DepEdge edge : program.dependences().preds(id)) {
      readers[edge.node()] += edge.isTrue();
      if (edge.isTrue() && continuesSum(program.instrs()[edge.node()], program.instrs()[id]))
        next[edge.node()] = InstrId(id);
    }
  for (uint32_t id = 0; id < program.size(); ++id)
    if (readers[id] > 1)
      next[id] = {};
  return next;
}

/// Keys are below the length of the longest path, so that counting takes linear time.
std::vector<uint32_t> ProgramGraph::sortInstrs() const {
  std::vector<uint32_t> remaining = program.remainingPaths(), all(program.size());
  std::iota(all.begin(), all.end(), 0);
  uint32_t longest = all.empty() ? 0 : *llvm::max_element(remaining);
  all = sortedBy(all, longest + 1, [&](uint32_t id) { return longest - remaining[id]; });
  if (nextInSum.empty())
    return sortedBy(all, longest + 1, [&](uint32_t id) { return depth[id]; });
  std::vector<uint32_t> depthOfSum = depth;
  for (uint32_t id = program.size(); id-- > 0;)
    if (nextInSum[id])
      depthOfSum[id] = depthOfSum[(*nextInSum[id]).index()];
  return sortedBy(all, longest + 1, [&](uint32_t id) { return depthOfSum[id]; });
}

bool ProgramGraph::hasDeadWrites() const {
  return llvm::any_of(program.instrs(), [](const Instr &instr) {
    return !instr.dst.isNone() && !traits(instr.op).writesDst;
  });
}

const DependenceGraph &ProgramGraph::ofSteps() {
  if (steps)
    return *steps;
  steps = &program.dependences();
  if (!hasDeadWrites())
    return *steps;
  std::vector<CellSpace> spaces = program.cellSpaces();
  DependenceBuilder builder(spaces, program.size());
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    builder.beginNode(id);
    addAccesses(builder, instr.rank, instr.op, instr.src, instr.dst, instr.count);
  }
  withoutDeadWrites = std::move(builder).finish();
  steps = &withoutDeadWrites;
  return *steps;
}
