//===- ChunkGraph.cpp - The Chunk DAG as a DotGraph -----------------------===//
//
// Nodes are the initial chunks, numbered first, and then the operations. Edges are the
// dependences that DependenceBuilder finds when every initial chunk is treated as a write:
// read after write (true), write after read and write after write (false).
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "cclc/IR/Dependences.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {

/// The nodes are the initial chunks, as the writers of the initial values, and then the operations.
class ChunkDot : public DotGraph {
public:
  explicit ChunkDot(const ChunkProgram &program) : DotGraph(program.info()), program(program) {
    const Collective &collective = info.collective;
    std::vector<CellSpace> spaces = program.cellSpaces();
    perRank = collective.inputChunks();
    numInitial = collective.ranks() * perRank;
    DependenceBuilder builder(spaces, size());
    for (uint32_t s = 0; s < numInitial; ++s) {
      builder.beginNode(s);
      RankId rank(s / perRank);
      if (collective.hasInput(rank))
        builder.write(rank, Operand(Buffer::Input, s % perRank), 1);
    }
    for (uint32_t id = 0; id < program.ops().size(); ++id) {
      const ChunkOp &op = program.ops()[id];
      builder.beginNode(numInitial + id);
      builder.read(op.srcRank, program.srcOperand(op), op.count);
      if (op.kind == ChunkOpKind::Reduce)
        builder.read(op.dstRank, program.dstOperand(op), op.count);
      builder.write(op.dstRank, program.dstOperand(op), op.count);
    }
    graph = std::move(builder).finish();
  }

  StringRef title() const override { return "Chunk DAG"; }
  StringRef nodesAre() const override { return "operations"; }
  uint32_t size() const override { return numInitial + program.ops().size(); }

  DotNode node(uint32_t id) const override {
    if (id < numInitial) {
      RankId rank(id / perRank);
      Operand chunk(Buffer::Input, id % perRank);
      DotNode node{
          rank, rank, 0, "chunk", Operand(), chunk, 1, LocTable::unknown(), LocTable::unknown()};
      node.isInitial = true;
      return node;
    }
    const ChunkOp &op = program.ops()[id - numInitial];
    return {op.dstRank,
            op.srcRank,
            op.phase,
            op.kind == ChunkOpKind::Copy ? "copy" : "reduce",
            program.srcOperand(op),
            program.dstOperand(op),
            op.count,
            op.loc,
            op.loc};
  }

  std::string name(uint32_t id) const override {
    return id < numInitial ? "src" + std::to_string(id) : "op" + std::to_string(id - numInitial);
  }

  void label(raw_ostream &os, uint32_t id) const override {
    if (id < numInitial) {
      os << RankId(id / perRank) << ":i[" << id % perRank << ']';
      return;
    }
    const ChunkOp &op = program.ops()[id - numInitial];
    bool copy = op.kind == ChunkOpKind::Copy;
    os << '%' << id - numInitial << ' ' << (copy ? "copy" : "reduce") << '\n';
    place(os, op.dstRank, op.dst, op.dstIndex, op.count);
    os << (copy ? " <- " : " += ");
    place(os, op.srcRank, op.src, op.srcIndex, op.count);
  }

  void forEachEdge(llvm::function_ref<void(uint32_t, uint32_t, DotEdge)> fn) const override {
    for (uint32_t id = numInitial; id < size(); ++id)
      for (DepEdge pred : graph.preds(id)) {
        bool remote = node(pred.node()).rank != node(id).rank;
        fn(pred.node(), id,
           !pred.isTrue() ? DotEdge::False
           : remote       ? DotEdge::Message
                          : DotEdge::True);
      }
  }

private:
  void place(raw_ostream &os, RankId rank, ChunkBuffer buffer, uint32_t index,
             uint32_t count) const {
    os << rank << ':' << program.bufferName(buffer) << '[' << index;
    if (count != 1)
      os << ':' << uint64_t(index) + count;
    os << ']';
  }

  const ChunkProgram &program;
  DependenceGraph graph;
  uint32_t perRank = 0, numInitial = 0;
};
} // namespace

void cclc::writeDot(const ChunkProgram &program, raw_ostream &os, const DotOptions &options) {
  drawGraph(ChunkDot(program), os, options);
}
