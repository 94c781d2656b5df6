#include "ProgramGraph.h"

#include "cclc/Support/Grouped.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace cclc;
using namespace cclc::schedule;

/// Keys are below the length of the longest path, so that counting takes linear time.
std::vector<uint32_t> ProgramGraph::sortInstrs() const {
  std::vector<uint32_t> remaining = program.remainingPaths(), all(program.size());
  std::iota(all.begin(), all.end(), 0);
  uint32_t longest = all.empty() ? 0 : *llvm::max_element(remaining);
  all = sortedBy(all, longest + 1, [&](uint32_t id) { return longest - remaining[id]; });
  return sortedBy(all, longest + 1, [&](uint32_t id) { return depth[id]; });
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
