#include "ProgramGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace cclc;
using namespace cclc::schedule;

/// The numbers \p list in stable ascending order of keyOf(number), which is below \p end, by
/// counting.
template <class Key>
static std::vector<uint32_t> sortBy(Key keyOf, uint32_t end, ArrayRef<uint32_t> list) {
  std::vector<uint32_t> start(end + 1), sorted(list.size());
  for (uint32_t number : list)
    ++start[keyOf(number) + 1];
  for (uint32_t k = 0; k < end; ++k)
    start[k + 1] += start[k];
  for (uint32_t number : list)
    sorted[start[keyOf(number)]++] = number;
  return sorted;
}

/// Keys are below the length of the longest path, so that counting takes linear time.
std::vector<uint32_t> ProgramGraph::sortInstrs() const {
  std::vector<uint32_t> remaining = program.remainingPaths(), all(program.size());
  std::iota(all.begin(), all.end(), 0);
  uint32_t longest = all.empty() ? 0 : *llvm::max_element(remaining);
  all = sortBy([&](uint32_t id) { return longest - remaining[id]; }, longest + 1, all);
  return sortBy([&](uint32_t id) { return depth[id]; }, longest + 1, all);
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
