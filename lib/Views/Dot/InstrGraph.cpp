#include "Graph.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {

/// Instructions with communication and processing edges.
class InstrDot : public DotGraph {
public:
  explicit InstrDot(const InstrProgram &program) : DotGraph(program.info()), program(program) {}

  StringRef title() const override { return "Instruction DAG"; }
  StringRef nodesAre() const override { return "instructions"; }
  uint32_t size() const override { return program.size(); }

  DotNode node(uint32_t id) const override {
    const Instr &instr = program.instrs()[id];
    return instrNode(instr.rank, instr.phase, instr.op, instr.src, instr.dst, instr.count,
                     instr.loc, instr.sendLoc);
  }
  std::string name(uint32_t id) const override { return "n" + std::to_string(id); }
  void label(raw_ostream &os, uint32_t id) const override {
    const Instr &instr = program.instrs()[id];
    os << '%' << id << ' ';
    printOperation(os, instr.op, instr.src, instr.dst, instr.count);
  }

  void forEachEdge(llvm::function_ref<void(uint32_t, uint32_t, DotEdge)> fn) const override {
    for (uint32_t id = 0; id < program.size(); ++id) {
      for (DepEdge pred : program.dependences().preds(id))
        fn(pred.node(), id, pred.isTrue() ? DotEdge::True : DotEdge::False);
      if (OptionalId<InstrId> from = program.instrs()[id].from)
        fn((*from).index(), id, DotEdge::Message);
    }
  }

private:
  const InstrProgram &program;
};
} // namespace

void cclc::writeDot(const InstrProgram &program, raw_ostream &os, const DotOptions &options) {
  drawGraph(InstrDot(program), os, options);
}
