#include "ProgramGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::schedule;

const DependenceGraph &ProgramGraph::ofSteps() {
  if (steps)
    return *steps;
  steps = &program.dependences();
  auto keepsDst = [](const Instr &instr) {
    return !instr.dst.isNone() && !traits(instr.op).writesDst;
  };
  if (llvm::none_of(program.instrs(), keepsDst))
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
