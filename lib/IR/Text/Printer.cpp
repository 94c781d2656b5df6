//===- Printer.cpp - Canonical text of programs and plans -----------------===//
//
// PrinterBase writes the parts that all levels share, and one class for each level walks its
// program in the order of the ids and writes directly to the stream. An attribute with its
// default value is left out, so that equal programs have equal texts; dependences are printed
// as comments on request.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Text/Printer.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/Support/Watch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;

StringRef cclc::levelName(Level level) {
  constexpr StringRef names[] = {"chunk", "instr", "exec"};
  return names[static_cast<size_t>(level)];
}

const ProgramInfo &cclc::infoOf(const Module &module) {
  return std::visit([](const auto &program) -> const ProgramInfo & { return program.info(); },
                    module);
}

namespace {

/// The parts that the three levels have in common. Strings are quoted and escaped; attributes with
/// their default value are omitted.
class PrinterBase {
protected:
  PrinterBase(raw_ostream &os, const ProgramInfo &info, PrintOptions options)
      : os(os), info(info), options(options) {}

  void quoted(StringRef text) {
    os << '"';
    os.write_escaped(text, /*UseHexEscapes=*/true);
    os << '"';
  }

  void target(const TargetStamp &stamp) {
    auto field = [&](const char *word, StringRef text) {
      os << word;
      quoted(text);
    };
    field("  target ", stamp.name);
    if (!stamp.hash.empty())
      field(" hash ", stamp.hash);
    for (const std::string &setting : stamp.settings)
      field(" set ", setting);
    if (!stamp.document.empty())
      field(" machine ", stamp.document);
    os << '\n';
  }

  void header(Level level, unsigned version) {
    os << "ccl.version " << version << '\n' << levelName(level) << ".program @";
    programName();
    os << " coll " << StringRef(collectiveName(info.collective.kind())) << " ranks "
       << info.ranks();
    if (!info.collective.custom())
      os << " chunks " << info.collective.chunks();
    for (const RotationFactor &rotation : info.rotations)
      os << " rotation " << rotation.size << " stride " << rotation.rankStride << " i "
         << rotation.chunkStride[0] << " o " << rotation.chunkStride[1];
    if (info.collective.isRooted())
      os << " root " << info.collective.root();
    if (info.placements.allowsInPlace())
      os << " inplace";
    if (info.placements.allowsOutOfPlace())
      os << " outofplace";
    for (const HeaderAttribute &attribute : headerAttributes)
      if (auto value = attribute.get(info); value != attribute.otherwise)
        os << ' ' << attribute.keyword << ' ' << attribute.text(*value);
    os << " {\n";
    tables();
  }

  void scratch(ArrayRef<uint32_t> chunks) {
    for (uint32_t r = 0; r < chunks.size(); ++r)
      if (chunks[r])
        os << "  scratch r" << r << ' ' << chunks[r] << '\n';
  }

  void attributes(const Directive &directive, uint32_t phase) {
    if (directive.channel)
      os << " ch " << *directive.channel;
    if (directive.sendTb)
      os << " sendtb " << *directive.sendTb;
    if (directive.recvTb)
      os << " recvtb " << *directive.recvTb;
    if (!directive.fuse)
      os << " nofuse";
    if (directive.priority)
      os << " prio " << directive.priority;
    if (directive.aggregate)
      os << " agg " << directive.aggregate;
    if (directive.inSwitch)
      os << " switch " << directive.inSwitch;
    if (directive.parallel != 1)
      os << " par " << directive.parallel;
    if (directive.instance)
      os << " inst " << directive.instance;
    if (phase)
      os << " phase " << phase;
  }

  void location(LocId id, StringRef keyword = "loc") {
    if (!options.locations)
      return;
    Location loc = info.locate(id);
    if (!loc.isKnown())
      return;
    os << ' ' << keyword << '(';
    quoted(loc.file);
    os << ':' << loc.line;
    if (loc.column)
      os << ':' << loc.column;
    os << ')';
  }

  raw_ostream &os;
  const ProgramInfo &info;
  PrintOptions options;

private:
  /// A name that is not a plain word is quoted.
  void programName() {
    bool plain = !info.name.empty() && llvm::isAlpha(info.name.front()) &&
                 llvm::all_of(info.name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (plain)
      os << info.name;
    else
      quoted(info.name);
  }

  void tables() {
    if (const CustomSpec *spec = info.collective.custom()) {
      os << "  input " << spec->inputChunks << "\n  output " << spec->outputChunks << '\n';
      for (const CustomSpec::Output &output : spec->outputs) {
        os << "  expect " << output.rank << ":o[" << output.index << "] =";
        const char *separator = " ";
        for (Contribution c : output.contributions) {
          os << separator << c.rank << ":i[" << c.index << ']';
          separator = " + ";
        }
        os << '\n';
      }
    }
    for (const auto &[key, value] : info.parameters) {
      os << "  param ";
      quoted(key);
      os << " = ";
      quoted(value);
      os << '\n';
    }
    for (const std::string &option : info.options) {
      os << "  option ";
      quoted(option);
      os << '\n';
    }
    for (const GridLevel &level : info.geometry.levels) {
      os << "  level ";
      quoted(level.name);
      os << ' ' << gridKindName(level.kind) << ' ' << level.width << " x " << level.height << '\n';
    }
    if (!info.target.empty())
      target(info.target);
    if (!info.placementOnTarget.empty()) {
      os << "  place";
      for (uint32_t endpoint : info.placementOnTarget)
        os << ' ' << endpoint;
      os << '\n';
    }
    for (const Neighbour &row : info.neighbours)
      os << "  neighbour " << row.rank << ' ' << directionName(row.direction) << ' ' << row.peer
         << '\n';
    generations();
    for (size_t phase = 1; phase < info.phases.size(); ++phase) {
      os << "  phase " << phase << ' ';
      quoted(info.phases[phase].name);
      if (const auto &gate = info.phases[phase].gate) {
        os << " call " << gate->call << " comm " << gate->communicator << " stage " << gate->stage;
        if (gate->generation)
          os << " gen " << *gate->generation;
      }
      os << '\n';
    }
  }

  void generations() {
    for (size_t c = 0; c < info.communicators.size(); ++c) {
      os << "  communicator " << c << ' ';
      quoted(info.communicators[c].name);
      for (const std::vector<RankId> &group : info.communicators[c].groups) {
        const char *separator = " [";
        for (RankId rank : group) {
          os << separator << rank;
          separator = " ";
        }
        os << ']';
      }
      os << '\n';
    }
    for (size_t c = 0; c < info.calls.size(); ++c) {
      os << "  call " << c << ' ';
      quoted(info.calls[c].collective);
      os << " gen " << info.calls[c].generation;
      location(info.calls[c].loc);
      os << '\n';
    }
  }
};

class ChunkPrinter : PrinterBase {
public:
  ChunkPrinter(raw_ostream &os, const ChunkProgram &program, PrintOptions options)
      : PrinterBase(os, program.info(), options), program(program) {}

  void print() {
    header(Level::Chunk, versionFor(program));
    for (const ScratchBuffer &buffer : program.scratch())
      scratchBuffer(buffer);
    for (uint32_t id = 0; id < program.ops().size(); ++id)
      op(id, program.ops()[id]);
    os << "}\n";
  }

private:
  void scratchBuffer(const ScratchBuffer &buffer) {
    bool uniform = llvm::all_equal(buffer.chunks);
    os << "  scratch ";
    quoted(buffer.name);
    if (uniform)
      os << ' ' << buffer.chunks.front();
    else
      for (uint32_t chunks : buffer.chunks)
        os << ' ' << chunks;
    os << '\n';
  }

  void range(RankId rank, ChunkBuffer buffer, uint32_t index, uint32_t count) {
    os << rank << ':';
    if (buffer.isScratch())
      quoted(program.bufferName(buffer));
    else
      os << program.bufferName(buffer);
    os << '[' << index;
    if (count != 1)
      os << ':' << uint64_t(index) + count;
    os << ']';
  }

  void op(uint32_t id, const ChunkOp &op) {
    bool copy = op.kind == ChunkOpKind::Copy;
    os << "  %" << id << " = " << (copy ? "copy " : "reduce ");
    range(op.dstRank, op.dst, op.dstIndex, op.count);
    os << (copy ? " <- " : " += ");
    range(op.srcRank, op.src, op.srcIndex, op.count);
    attributes(info.directives[op.directive], op.phase);
    location(op.loc);
    os << '\n';
  }

  const ChunkProgram &program;
};

class InstrPrinter : PrinterBase {
public:
  InstrPrinter(raw_ostream &os, const InstrProgram &program, PrintOptions options)
      : PrinterBase(os, program.info(), options), program(program) {}

  void print() {
    header(Level::Instr, versionFor(program));
    scratch(program.scratchChunks());
    for (uint32_t id = 0; id < program.size(); ++id)
      instr(id, program.instrs()[id]);
    os << "}\n";
  }

private:
  void instr(uint32_t id, const Instr &instr) {
    os << "  %" << id << " = " << traits(instr.op).mnemonic << ' ' << instr.rank;
    if (!instr.src.isNone()) {
      os << ' ';
      printRange(os, instr.src, instr.count);
    }
    if (!instr.dst.isNone()) {
      os << " -> ";
      printRange(os, instr.dst, instr.count);
    }
    if (instr.from)
      os << " from " << *instr.from;
    if (instr.to)
      os << " to " << *instr.to;
    if (instr.pos != id || instr.sendPos != instr.pos) {
      os << " at " << instr.pos;
      if (instr.sendPos != instr.pos)
        os << ':' << instr.sendPos;
    }
    attributes(info.directives[instr.directive], instr.phase);
    const Directive &sendDirective = info.directives[instr.sendDirective];
    if (sendDirective != info.directives[instr.directive]) {
      os << " then {";
      attributes(sendDirective, 0);
      os << " }";
    }
    location(instr.loc);
    if (instr.sendLoc != instr.loc)
      location(instr.sendLoc, "then");
    if (options.dependences)
      dependences(id);
    os << '\n';
  }

  void dependences(uint32_t id) {
    SmallVector<DepEdge, 8> preds(program.dependences().preds(id).begin(),
                                  program.dependences().preds(id).end());
    if (preds.empty())
      return;
    std::sort(preds.begin(), preds.end(), [](DepEdge a, DepEdge b) { return a.node() < b.node(); });
    os << "  // after";
    constexpr std::pair<DepKind, StringRef> kinds[] = {
        {DepKind::True, "/true"}, {DepKind::Anti, "/anti"}, {DepKind::Output, "/output"}};
    for (DepEdge edge : preds) {
      os << " %" << edge.node();
      for (auto [kind, name] : kinds)
        if (edge.is(kind))
          os << name;
    }
  }

  const InstrProgram &program;
};

class ExecPrinter : PrinterBase {
public:
  ExecPrinter(raw_ostream &os, const ExecPlan &plan, PrintOptions options)
      : PrinterBase(os, plan.info(), options), plan(plan) {}

  void print() {
    header(Level::Exec, versionFor(plan));
    for (uint32_t r = 0; r < info.listedRanks(); ++r)
      rank(RankId(r));
    os << "}\n";
  }

private:
  void rank(RankId rank) {
    os << "  rank " << rank.index();
    if (uint32_t chunks = plan.scratchChunks()[rank.index()])
      os << " scratch " << chunks;
    os << " {\n";
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      threadblock(id++, tb);
    os << "  }\n";
  }

  void threadblock(uint32_t id, const Threadblock &tb) {
    Watch::look();
    os << "    tb " << id;
    peers(" send", plan.sendPeers(tb));
    peers(" recv", plan.recvPeers(tb));
    os << " ch " << tb.channel.index() << " {\n";
    uint32_t index = 0;
    for (const Step &step : plan.steps(tb))
      this->step(index++, step);
    os << "    }\n";
  }

  void peers(StringRef keyword, const Peers &peers) {
    if (!peers.empty())
      os << keyword;
    for (size_t i = 0; i < peers.size(); ++i)
      os << ' ' << peers[i];
  }

  void step(uint32_t index, const Step &step) {
    os << "      " << index << ": " << traits(step.op).mnemonic;
    if (!step.src.isNone()) {
      os << ' ';
      printRange(os, step.src, step.count);
    }
    if (!step.dst.isNone()) {
      os << " -> ";
      printRange(os, step.dst, step.count);
    }
    if (std::optional<Wait> wait = step.wait())
      os << " dep " << wait->tb << ':' << wait->step.index();
    for (const StepAttribute &attribute : stepAttributes)
      if (uint32_t value = attribute.get(step)) {
        os << ' ' << attribute.key;
        if (!attribute.isFlag)
          os << ' ' << value;
      }
    location(step.loc);
    if (step.sendLoc != step.loc)
      location(step.sendLoc, "then");
    os << '\n';
  }

  const ExecPlan &plan;
};
} // namespace

void cclc::print(raw_ostream &os, const ChunkProgram &program, PrintOptions options) {
  ChunkPrinter(os, program, options).print();
}

void cclc::print(raw_ostream &os, const InstrProgram &program, PrintOptions options) {
  InstrPrinter(os, program, options).print();
}

void cclc::print(raw_ostream &os, const ExecPlan &plan, PrintOptions options) {
  ExecPrinter(os, plan, options).print();
}

void cclc::print(raw_ostream &os, const Module &module, PrintOptions options) {
  std::visit([&](const auto &program) { print(os, program, options); }, module);
}
