#include "cclc/Emit/Dot.h"

#include "cclc/IR/Connections.h"
#include "cclc/IR/Dependences.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace cclc;

namespace {

/// A soft background for every chunk; chunks far apart may share one.
StringRef chunkColor(uint32_t chunk) {
  constexpr StringRef palette[] = {"#cfe2f3", "#fff2cc", "#d9ead3", "#f4cccc",
                                   "#d9d2e9", "#fce5cd", "#d0e0e3", "#ead1dc",
                                   "#e6e6e6", "#c9f2d6", "#f2e3c9", "#dbe9ff"};
  return palette[chunk % std::size(palette)];
}

constexpr StringRef trueEdge = "color=\"#202020\"";
constexpr StringRef falseEdge = "color=\"#909090\", style=dashed";
constexpr StringRef messageEdge = "color=\"#1f5fbf\", penwidth=2";
constexpr StringRef orderEdge = "color=\"#c0c0c0\", arrowhead=none";
constexpr StringRef waitEdge = "color=\"#bf3030\", style=dashed";

class DotWriter {
protected:
  DotWriter(raw_ostream &os, const ProgramInfo &info, const DotFilter &filter)
      : os(os), info(info), filter(filter) {}

  void begin(StringRef what, StringRef legend) {
    os << "digraph \"" << escaped(info.name) << "\" {\n"
       << "  label=\"" << escaped(info.name) << ": " << what << "\\n"
       << legend << "\";\n"
       << "  labelloc=t; rankdir=TB; fontname=\"Helvetica\"; newrank=true;\n"
       << "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, "
          "margin=\"0.08,0.04\"];\n"
       << "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n";
  }
  void end() { os << "}\n"; }

  void beginCluster(const llvm::Twine &id, const llvm::Twine &label, unsigned depth = 1) {
    std::string indent(2 * depth, ' ');
    os << indent << "subgraph \"cluster_" << id << "\" {\n"
       << indent << "  label=\"" << label << "\"; style=rounded; color=\"#a0a0a0\"; "
       << "labeljust=l;\n";
  }
  void endCluster(unsigned depth = 1) { os << std::string(2 * depth, ' ') << "}\n"; }

  void tooltip(LocId loc, LocId then) {
    os << ", tooltip=\"" << escaped(where(loc));
    if (then != loc)
      os << "\\n" << escaped(where(then));
    os << '"';
  }

  void edge(const llvm::Twine &from, const llvm::Twine &to, StringRef style) {
    os << "  " << from << " -> " << to << " [" << style << "];\n";
  }

  bool wantsChunk(uint32_t index, uint32_t count) const {
    return !filter.chunk || (index <= *filter.chunk && *filter.chunk < index + count);
  }
  bool wantsRank(RankId rank) const { return !filter.rank || *filter.rank == rank; }
  bool wantsOperand(Operand operand, uint32_t count) const {
    return !operand.isNone() && operand.buffer() != Buffer::Scratch &&
           wantsChunk(operand.index(), count);
  }
  /// Scratch has no chunk numbers of its own: it is drawn with whatever uses it.
  bool wantsInstr(RankId rank, Operand src, Operand dst, uint32_t count) const {
    if (!wantsRank(rank))
      return false;
    return !filter.chunk || wantsOperand(src, count) || wantsOperand(dst, count);
  }

  static std::string escaped(StringRef text) {
    std::string result;
    for (char c : text) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
    return result;
  }

  raw_ostream &os;
  const ProgramInfo &info;
  DotFilter filter;

private:
  std::string where(LocId id) const {
    std::string text;
    llvm::raw_string_ostream(text) << info.locate(id);
    return text.empty() ? "no source line" : text;
  }
};

class ChunkDot : DotWriter {
public:
  ChunkDot(const ChunkProgram &program, raw_ostream &os, const DotFilter &filter)
      : DotWriter(os, program.info(), filter), program(program) {}

  void write() {
    begin("Chunk DAG", "solid: true dependence, dashed: false dependence, ellipse: initial chunk");
    findNodes();
    for (uint32_t r = 0; r < program.info().ranks(); ++r)
      cluster(RankId(r));
    edges();
    end();
  }

private:
  bool wants(const ChunkOp &op) const {
    bool rank = wantsRank(op.srcRank) || wantsRank(op.dstRank);
    bool chunk = !filter.chunk || (!op.src.isScratch() && wantsChunk(op.srcIndex, op.count)) ||
                 (!op.dst.isScratch() && wantsChunk(op.dstIndex, op.count));
    return rank && chunk;
  }

  /// Sources come first among the nodes of the dependence graph, as the writers of
  /// the initial chunks.
  void findNodes() {
    const Collective &collective = program.info().collective;
    std::vector<CellSpace> spaces = program.cellSpaces();
    uint32_t sourcesPerRank = collective.inputChunks();
    numSources = collective.ranks() * sourcesPerRank;
    DependenceBuilder builder(spaces, numSources + program.ops().size());
    for (uint32_t s = 0; s < numSources; ++s) {
      builder.beginNode(s);
      RankId rank(s / sourcesPerRank);
      if (collective.hasInput(rank))
        builder.write(rank, Operand(Buffer::Input, s % sourcesPerRank), 1);
    }
    for (uint32_t id = 0; id < program.ops().size(); ++id) {
      const ChunkOp &op = program.ops()[id];
      builder.beginNode(numSources + id);
      builder.read(op.srcRank, program.srcOperand(op), op.count);
      if (op.kind == ChunkOpKind::Reduce)
        builder.read(op.dstRank, program.dstOperand(op), op.count);
      builder.write(op.dstRank, program.dstOperand(op), op.count);
    }
    graph = std::move(builder).finish();
    usedSource.resize(numSources);
    for (uint32_t id = 0; id < program.ops().size(); ++id)
      if (wants(program.ops()[id]))
        for (DepEdge edge : graph.preds(numSources + id))
          if (edge.node() < numSources)
            usedSource[edge.node()] = true;
  }

  std::string name(uint32_t node) const {
    return node < numSources ? "src" + std::to_string(node)
                             : "op" + std::to_string(node - numSources);
  }

  void place(RankId rank, ChunkBuffer buffer, uint32_t index, uint32_t count) {
    os << rank << ':' << escaped(program.bufferName(buffer)) << '[' << index;
    if (count != 1)
      os << ':' << index + count;
    os << ']';
  }

  void cluster(RankId rank) {
    beginCluster("r" + llvm::Twine(rank.index()), "rank " + llvm::Twine(rank.index()));
    uint32_t perRank = program.info().collective.inputChunks();
    for (uint32_t c = 0; c < perRank; ++c)
      if (usedSource[rank.index() * perRank + c])
        os << "    " << name(rank.index() * perRank + c) << " [shape=ellipse, style=filled, "
           << "fillcolor=\"" << chunkColor(c) << "\", label=\"" << rank << ":i[" << c << "]\"];\n";
    for (uint32_t id = 0; id < program.ops().size(); ++id) {
      const ChunkOp &op = program.ops()[id];
      if (op.dstRank != rank || !wants(op))
        continue;
      bool copy = op.kind == ChunkOpKind::Copy;
      os << "    op" << id << " [fillcolor=\""
         << (op.dst.isScratch() ? StringRef("#ffffff") : chunkColor(op.dstIndex)) << "\", label=\""
         << (copy ? "copy" : "reduce") << "\\n";
      place(op.dstRank, op.dst, op.dstIndex, op.count);
      os << (copy ? " \\<- " : " += ");
      place(op.srcRank, op.src, op.srcIndex, op.count);
      os << '"';
      tooltip(op.loc, op.loc);
      os << "];\n";
    }
    endCluster();
  }

  void edges() {
    for (uint32_t id = 0; id < program.ops().size(); ++id) {
      if (!wants(program.ops()[id]))
        continue;
      for (DepEdge pred : graph.preds(numSources + id)) {
        bool isOp = pred.node() >= numSources;
        if (isOp && !wants(program.ops()[pred.node() - numSources]))
          continue;
        edge(name(pred.node()), name(numSources + id), pred.isTrue() ? trueEdge : falseEdge);
      }
    }
  }

  const ChunkProgram &program;
  DependenceGraph graph;
  uint32_t numSources = 0;
  std::vector<bool> usedSource;
};

void instrLabel(raw_ostream &os, OpKind op, Operand src, Operand dst, uint32_t count) {
  os << traits(op).mnemonic;
  if (traits(op).readsSrc) {
    os << ' ';
    printRange(os, src, count);
  }
  if (traits(op).writesDst) {
    os << " -\\> ";
    printRange(os, dst, count);
  }
}

StringRef operandColor(Operand src, Operand dst) {
  Operand shown = dst.isNone() ? src : dst;
  if (shown.isNone() || shown.buffer() == Buffer::Scratch)
    return "#ffffff";
  return chunkColor(shown.index());
}

/// Fused instructions stand out by their frame.
void fusedFrame(raw_ostream &os, OpKind op) {
  if (traits(op).isFused())
    os << ", color=\"#2e8b57\", penwidth=2.5";
}

class InstrDot : DotWriter {
public:
  InstrDot(const InstrProgram &program, raw_ostream &os, const DotFilter &filter)
      : DotWriter(os, program.info(), filter), program(program) {}

  void write() {
    begin("Instruction DAG", "blue: message, solid: true dependence, dashed: false dependence, "
                             "green frame: fused");
    std::map<uint32_t, std::vector<uint32_t>> byRank;
    for (uint32_t id = 0; id < program.size(); ++id)
      if (wants(id))
        byRank[program.instrs()[id].rank.index()].push_back(id);
    for (const auto &[rank, ids] : byRank) {
      beginCluster("r" + llvm::Twine(rank), "rank " + llvm::Twine(rank));
      for (uint32_t id : ids)
        node(id);
      endCluster();
    }
    for (uint32_t id = 0; id < program.size(); ++id)
      if (wants(id))
        edges(id);
    end();
  }

private:
  bool wants(uint32_t id) const {
    const Instr &instr = program.instrs()[id];
    return wantsInstr(instr.rank, instr.src, instr.dst, instr.count);
  }

  void node(uint32_t id) {
    const Instr &instr = program.instrs()[id];
    os << "    n" << id << " [fillcolor=\"" << operandColor(instr.src, instr.dst) << "\", label=\"%"
       << id << ' ';
    instrLabel(os, instr.op, instr.src, instr.dst, instr.count);
    os << '"';
    fusedFrame(os, instr.op);
    tooltip(instr.loc, instr.sendLoc);
    os << "];\n";
  }

  void edges(uint32_t id) {
    const Instr &instr = program.instrs()[id];
    for (DepEdge pred : program.dependences().preds(id))
      if (wants(pred.node()))
        edge("n" + llvm::Twine(pred.node()), "n" + llvm::Twine(id),
             pred.isTrue() ? trueEdge : falseEdge);
    if (instr.from && wants((*instr.from).index()))
      edge("n" + llvm::Twine((*instr.from).index()), "n" + llvm::Twine(id), messageEdge);
  }

  const InstrProgram &program;
};

class ScheduleDot : DotWriter {
public:
  ScheduleDot(const ExecPlan &plan, raw_ostream &os, const DotFilter &filter)
      : DotWriter(os, plan.info(), filter), plan(plan) {}

  void write() {
    begin("schedule", "columns: threadblocks, blue: message, red: wait, green frame: fused");
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      rank(RankId(r));
    for (const Threadblock &tb : plan.threadblocks())
      waits(tb);
    ConnectionTable connections(plan);
    for (const Connection &connection : connections.connections())
      messages(connection);
    end();
  }

private:
  bool wants(const Threadblock &tb, uint32_t step) const {
    const Step &s = plan.steps()[step];
    return wantsInstr(tb.rank, s.src, s.dst, s.count);
  }

  void rank(RankId rank) {
    if (!wantsRank(rank) || plan.numThreadblocks(rank) == 0)
      return;
    beginCluster("r" + llvm::Twine(rank.index()), "rank " + llvm::Twine(rank.index()));
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      threadblock(rank, id++, tb);
    endCluster();
  }

  void threadblock(RankId rank, uint32_t id, const Threadblock &tb) {
    std::string label =
        "tb " + std::to_string(id) + " channel " + std::to_string(tb.channel.index());
    if (tb.recvPeer)
      label += " from r" + std::to_string((*tb.recvPeer).index());
    if (tb.sendPeer)
      label += " to r" + std::to_string((*tb.sendPeer).index());
    beginCluster("r" + llvm::Twine(rank.index()) + "_tb" + llvm::Twine(id), label, 2);
    std::optional<uint32_t> before;
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      if (!wants(tb, s))
        continue;
      const Step &step = plan.steps()[s];
      os << "      s" << s << " [fillcolor=\"" << operandColor(step.src, step.dst) << "\", label=\""
         << s - tb.firstStep << ": ";
      instrLabel(os, step.op, step.src, step.dst, step.count);
      os << '"';
      fusedFrame(os, step.op);
      tooltip(step.loc, step.sendLoc);
      os << "];\n";
      if (before)
        edge("    s" + llvm::Twine(*before), "s" + llvm::Twine(s), orderEdge);
      before = s;
    }
    endCluster(2);
  }

  void waits(const Threadblock &tb) {
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
      if (std::optional<Wait> wait = plan.steps()[s].wait()) {
        const Threadblock &other = plan.threadblocks(tb.rank)[wait->tb.index()];
        uint32_t target = other.firstStep + wait->step.index();
        if (wants(tb, s) && wants(other, target))
          edge("s" + llvm::Twine(target), "s" + llvm::Twine(s), waitEdge);
      }
  }

  void messages(const Connection &connection) {
    forEachMessage(plan, connection, [&](uint32_t send, uint32_t recv) {
      if (wants(plan.threadblocks()[connection.senderTb], send) &&
          wants(plan.threadblocks()[connection.receiverTb], recv))
        edge("s" + llvm::Twine(send), "s" + llvm::Twine(recv), messageEdge);
    });
  }

  const ExecPlan &plan;
};
} // namespace

void cclc::writeDot(const ChunkProgram &program, raw_ostream &os, const DotFilter &filter) {
  ChunkDot(program, os, filter).write();
}

void cclc::writeDot(const InstrProgram &program, raw_ostream &os, const DotFilter &filter) {
  InstrDot(program, os, filter).write();
}

void cclc::writeDot(const ExecPlan &plan, raw_ostream &os, const DotFilter &filter) {
  ScheduleDot(plan, os, filter).write();
}
