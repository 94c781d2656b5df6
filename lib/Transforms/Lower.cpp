//===- Lower.cpp - Lowering chunk operations to instructions --------------===//
//
// A local operation accesses memory at its rank, a remote one at the source (the `s`) and at the
// destination (the `r` or `rrc`). Dependences between these accesses give the depth of every
// operation in the Chunk DAG and its longest remaining path. Sorting by depth, then by longest
// remaining path, then by trace order respects every dependence, and instructions are numbered in
// this order.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Grouped.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {

/// Access nodes of operation k: 2k reads the source of a remote operation, 2k+1
/// does everything else.
Dependences accessDependences(const ChunkProgram &program) {
  std::vector<CellSpace> spaces = program.cellSpaces();
  DependenceBuilder builder(spaces, 2 * program.ops().size(), Overwrites::All);
  for (uint32_t k = 0; k < program.ops().size(); ++k) {
    const ChunkOp &op = program.ops()[k];
    Operand dst = program.dstOperand(op);
    if (!op.isLocal())
      builder.beginNode(2 * k);
    else
      builder.beginNode(2 * k + 1);
    builder.read(op.srcRank, program.srcOperand(op), op.count);
    if (!op.isLocal())
      builder.beginNode(2 * k + 1);
    if (op.kind == ChunkOpKind::Reduce)
      builder.read(op.dstRank, dst, op.count);
    builder.write(op.dstRank, dst, op.count);
  }
  return std::move(builder).finish(program.info().collective);
}

/// The operations sorted by segment (IR/Generations.h), then depth, then longest remaining path,
/// then trace order.
std::vector<uint32_t> layOut(const ChunkProgram &program, const DependenceGraph &graph) {
  uint32_t n = program.ops().size();
  std::vector<uint32_t> depth(n), remaining(n), order(n);
  auto forPreds = [&](uint32_t k, auto fn) {
    for (uint32_t node : {2 * k, 2 * k + 1})
      for (DepEdge edge : graph.preds(node))
        if (edge.node() / 2 != k)
          fn(edge.node() / 2);
  };
  uint32_t maxDepth = 0, maxRemaining = 0;
  for (uint32_t k = 0; k < n; ++k) {
    forPreds(k, [&](uint32_t pred) { depth[k] = std::max(depth[k], depth[pred] + 1); });
    maxDepth = std::max(maxDepth, depth[k]);
    order[k] = k;
  }
  for (uint32_t k = n; k-- > 0;) {
    forPreds(k,
             [&](uint32_t pred) { remaining[pred] = std::max(remaining[pred], remaining[k] + 1); });
    maxRemaining = std::max(maxRemaining, remaining[k]);
  }
  order =
      sortedBy(order, maxRemaining + 1, [&](uint32_t k) { return maxRemaining - remaining[k]; });
  order = sortedBy(order, maxDepth + 1, [&](uint32_t k) { return depth[k]; });
  std::vector<uint32_t> segments = segmentsOf(program.info().phases);
  if (segments.back() > 0)
    order = sortedBy(order, segments.back() + 1,
                     [&](uint32_t k) { return segments[program.ops()[k].phase]; });
  return order;
}

class Lowering {
public:
  explicit Lowering(const ChunkProgram &program) : program(program) {}

  void run() {
    std::vector<uint32_t> order;
    uint32_t size = 0;
    {
      Dependences accesses = accessDependences(program);
      order = layOut(program, accesses.graph);
      std::vector<OptionalIndex> instrOf(2 * program.ops().size()); // by access node
      for (uint32_t k : order) {
        if (!program.ops()[k].isLocal())
          instrOf[2 * size_t(k)] = size++;
        instrOf[2 * size_t(k) + 1] = size++;
      }
      dependences = accesses.renumbered(instrOf, size);
    }
    // The accesses are freed before the instructions, which take most of the memory, are made.
    instrs.reserve(size);
    for (uint32_t k : order)
      lower(program.ops()[k]);
  }

  std::vector<Instr> instrs;
  Dependences dependences;

private:
  Operand canonical(RankId rank, Operand operand) const {
    return program.info().collective.canonical(rank, operand, program.info().placements);
  }

  void add(const ChunkOp &op, OpKind kind, RankId rank, Operand src, Operand dst,
           OptionalId<InstrId> to, OptionalId<InstrId> from) {
    uint32_t pos = instrs.size();
    instrs.push_back({rank, src, dst, op.count, to, from, op.loc, op.loc, pos, pos, op.directive,
                      op.directive, op.phase, kind});
  }

  void lower(const ChunkOp &op) {
    Operand src = canonical(op.srcRank, program.srcOperand(op));
    Operand dst = canonical(op.dstRank, program.dstOperand(op));
    bool copies = op.kind == ChunkOpKind::Copy;
    if (op.isLocal()) {
      add(op, copies ? OpKind::Copy : OpKind::Reduce, op.dstRank, src, dst, {}, {});
      return;
    }
    InstrId send(instrs.size()), recv(instrs.size() + 1);
    add(op, OpKind::Send, op.srcRank, src, {}, recv, {});
    if (copies)
      add(op, OpKind::Recv, op.dstRank, {}, dst, {}, send);
    else
      add(op, OpKind::RecvReduceCopy, op.dstRank, dst, dst, {}, send);
  }

  const ChunkProgram &program;
};
} // namespace

FailureOr<InstrProgram> cclc::lowerToInstr(ChunkProgram &&program, PassContext &context) {
  for (const Directive &directive : program.info().directives)
    if (directive.parallel > 1)
      return context.diags.error(
          {}, formatv("an operation has {0} parts: run the pass parallelize before lower-to-instr",
                      directive.parallel));
  Lowering lowering(program);
  lowering.run();
  std::vector<Instr> instrs = std::move(lowering.instrs);
  context.count("lower-to-instr", "instructions", instrs.size());
  std::vector<uint32_t> scratch = program.scratchChunks().vec();
  // The chunk program is freed before the next level grows its tables.
  ProgramInfo info = [](ChunkProgram program) {
    return std::move(program).takeInfo();
  }(std::move(program));
  return InstrProgramBuilder(std::move(info), std::move(instrs), std::move(scratch))
      .finishEdited(std::move(lowering.dependences), context.diags);
}
