#include "ProgramGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

/// The numbers \p list in stable ascending order of key[number], by counting.
static std::vector<uint32_t> sortBy(const std::vector<uint32_t> &key, ArrayRef<uint32_t> list) {
  std::vector<uint32_t> start, sorted(list.size());
  for (uint32_t number : list) {
    if (key[number] + 1 >= start.size())
      start.resize(key[number] + 2);
    ++start[key[number] + 1];
  }
  for (size_t k = 1; k < start.size(); ++k)
    start[k] += start[k - 1];
  for (uint32_t number : list)
    sorted[start[key[number]]++] = number;
  return sorted;
}

/// Keys are below the length of the longest path, so that counting takes linear time.
std::vector<uint32_t> ProgramGraph::sortInstrs() const {
  std::vector<uint32_t> done = program.remainingPaths(), all(program.size());
  uint32_t longest = 0;
  for (uint32_t path : done)
    longest = std::max(longest, path);
  for (uint32_t id = 0; id < program.size(); ++id) {
    all[id] = id;
    done[id] = longest - done[id];
  }
  return sortBy(depth, sortBy(done, all));
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
