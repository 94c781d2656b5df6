//===- InstrProgram.cpp - Verification, dependences and paths -------------===//
//
// Dependences are found in one sweep over the positions, in which the sending half of a fused
// instruction is a late read of its destination: it must find the value that its own receive wrote.
// As the numbering is a topological order, depths and remaining paths (longest paths in a DAG) take
// one pass each, forwards and backwards.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/InstrProgram.h"

#include "cclc/IR/Verifier.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// Calls \p fn for every predecessor of instruction \p id.
template <class Fn> void InstrProgram::forPreds(uint32_t id, Fn fn) const {
  for (DepEdge edge : deps.graph.preds(id))
    fn(edge.node());
  if (theInstrs[id].from)
    fn((*theInstrs[id].from).index());
}

std::vector<uint32_t> InstrProgram::depths() const {
  std::vector<uint32_t> depth(size());
  for (uint32_t id = 0; id < size(); ++id)
    forPreds(id, [&](uint32_t pred) { depth[id] = std::max(depth[id], depth[pred] + 1); });
  return depth;
}

std::vector<uint32_t> InstrProgram::remainingPaths() const {
  std::vector<uint32_t> remaining(size());
  for (uint32_t id = size(); id-- > 0;)
    forPreds(
        id, [&](uint32_t pred) { remaining[pred] = std::max(remaining[pred], remaining[id] + 1); });
  return remaining;
}

std::vector<CellSpace> InstrProgram::cellSpaces() const {
  std::vector<CellSpace> spaces;
  for (Placement placement : theInfo.placements.list())
    spaces.emplace_back(theInfo.collective, placement, theScratchChunks);
  return spaces;
}

InstrProgram::Parts InstrProgram::takeApart() && {
  deps = {};
  return {std::move(theInfo), std::move(theInstrs), std::move(theScratchChunks)};
}

InstrProgramBuilder::InstrProgramBuilder(ProgramInfo info, std::vector<Instr> instrs,
                                         std::vector<uint32_t> scratchChunks)
    : program(std::move(info)) {
  program.theInstrs = std::move(instrs);
  program.theScratchChunks = std::move(scratchChunks);
}

namespace {
class InstrVerifier {
public:
  InstrVerifier(const InstrProgram &program, DiagnosticEngine &diags)
      : program(program), diags(diags), spaces(program.cellSpaces()), groups(program.info()) {}

  LogicalResult error(uint32_t id, const std::string &text) {
    const Instr &instr = program.instrs()[id];
    return diags.error(program.info().locate(instr.loc),
                       formatv("%{0} {1}: {2}", id, traits(instr.op).mnemonic, text));
  }

  LogicalResult verify(uint32_t id) {
    const Instr &instr = program.instrs()[id];
    const OpTraits &op = traits(instr.op);
    if (instr.op == OpKind::Nop)
      return error(id, "an instruction program has no nops: waits are dependences");
    if (instr.rank.index() >= program.info().ranks())
      return error(id, formatv("there is no rank {0}", instr.rank.index()));
    if (instr.count == 0)
      return error(id, "count must be at least 1");
    if (instr.phase >= program.info().phases.size())
      return error(id, "unknown phase");
    bool keepsDst = instr.op == OpKind::RecvReduceSend;
    if (failed(verifyOperand(id, instr.src, op.readsSrc, "source")) ||
        failed(verifyOperand(id, instr.dst, op.writesDst || keepsDst, "destination")))
      return failure();
    // An rrs is checked as well, because the scheduler may turn it into an rrcs again.
    std::string overlap = findPartialOverlap(spaces, instr.rank, instr.src, instr.dst, instr.count);
    if (!overlap.empty())
      return error(id, overlap);
    if (id > 0 && program.instrs()[id - 1].pos >= instr.pos)
      return error(id, "positions must ascend");
    if (op.isFused() ? instr.sendPos <= instr.pos : instr.sendPos != instr.pos)
      return error(id, "the sending half of a fused instruction must come after it");
    if (instr.to.has_value() != op.sends || instr.from.has_value() != op.receives)
      return error(id, formatv("{0} has no peer", op.mnemonic));
    if (op.receives && failed(verifySender(id)))
      return failure();
    return op.sends ? verifyMatch(id) : success();
  }

private:
  LogicalResult verifyOperand(uint32_t id, Operand operand, bool used, StringRef what) {
    if (used == operand.isNone())
      return error(id, formatv("{0} {1} operand", used ? "needs a" : "takes no", what));
    if (!used)
      return success();
    const Instr &instr = program.instrs()[id];
    uint32_t chunks = bufferChunks(program.info().collective, program.scratchChunks(), instr.rank,
                                   operand.buffer());
    if (uint64_t(operand.index()) + instr.count > chunks)
      return error(id, formatv("{0} operand ends at {1}[{2}], but the buffer has {3} chunks", what,
                               bufferLetter(operand.buffer()),
                               uint64_t(operand.index()) + instr.count, chunks));
    return success();
  }

  LogicalResult verifySender(uint32_t id) {
    uint32_t send = (*program.instrs()[id].from).index();
    if (send >= program.size())
      return error(id, "receives from an instruction that does not exist");
    if (!(program.instrs()[send].to == InstrId(id)))
      return error(id, formatv("receives from %{0}, which sends elsewhere", send));
    return success();
  }

  LogicalResult verifyMatch(uint32_t id) {
    const Instr &send = program.instrs()[id];
    if ((*send.to).index() >= program.size())
      return error(id, "sends to an instruction that does not exist");
    const Instr &recv = program[*send.to];
    if (!(recv.from == InstrId(id)))
      return error(id, formatv("sends to %{0}, which receives from elsewhere", (*send.to).index()));
    if (recv.rank == send.rank)
      return error(id, formatv("sends to its own rank {0}", send.rank.index()));
    if (recv.count != send.count)
      return error(id, formatv("sends {0} chunks to a receive of {1}", send.count, recv.count));
    if (recv.pos <= send.sendPos)
      return error(id, "is received before it is sent");
    std::string stray = groups.findStray(send.phase, send.rank, recv.rank);
    return stray.empty() ? success() : error(id, stray);
  }

  const InstrProgram &program;
  DiagnosticEngine &diags;
  std::vector<CellSpace> spaces; ///< of every placement
  MessageGroups groups;
};
} // namespace

LogicalResult InstrProgramBuilder::verifyTables(DiagnosticEngine &diags) const {
  uint64_t moved = 0;
  for (const Instr &instr : program.instrs())
    moved += instr.count;
  Location first =
      program.size() == 0 ? Location() : program.info().locate(program.instrs().front().loc);
  if (failed(verifySize("program", countCells(program.info().collective, program.scratchChunks()),
                        moved, first, diags)))
    return failure();
  return cclc::verifyTables(program.info(), Generations::Allocated, first, diags);
}

LogicalResult InstrProgramBuilder::verify(DiagnosticEngine &diags) const {
  InstrVerifier verifier(program, diags);
  std::vector<uint32_t> segments = segmentsOf(program.info().phases);
  uint32_t segment = 0;
  for (uint32_t id = 0; id < program.size(); ++id) {
    if (failed(verifier.verify(id)))
      return failure();
    const Instr &instr = program.instrs()[id];
    if (segments[instr.phase] < segment)
      return verifier.error(id, "follows a phase with a later gate");
    segment = segments[instr.phase];
    if (instr.to && segments[program[*instr.to].phase] != segment)
      return verifier.error(id, "is sent before a gate and received after it");
  }
  return success();
}

void InstrProgramBuilder::findEndPos() {
  program.thePosEnd = 0;
  for (const Instr &instr : program.theInstrs)
    program.thePosEnd = std::max({program.thePosEnd, instr.pos + 1, instr.sendPos + 1});
}

/// Sweeps over the nodes and the sending halves of fused nodes by position.
LogicalResult InstrProgramBuilder::computeDependences(DiagnosticEngine &diags) {
  InstrVerifier verifier(program, diags);
  findEndPos();
  uint32_t n = program.size();
  uint32_t end = program.thePosEnd;

  std::vector<OptionalId<InstrId>> halves(end); // sending halves of fused nodes by position
  for (uint32_t id = 0; id < n; ++id) {
    const Instr &instr = program.theInstrs[id];
    if (instr.sendPos == instr.pos)
      continue;
    OptionalId<InstrId> &half = halves[instr.sendPos];
    if (half)
      return verifier.error(
          id, formatv("the sending half has the position of that of %{0}", (*half).index()));
    half = InstrId(id);
  }
  for (uint32_t id = 0; id < n; ++id)
    if (OptionalId<InstrId> half = halves[program.theInstrs[id].pos])
      return verifier.error((*half).index(),
                            formatv("the sending half has the position of %{0}", id));

  std::vector<CellSpace> spaces = program.cellSpaces();
  DependenceBuilder builder(spaces, n);
  uint32_t pos = 0;
  auto sendHalvesBefore = [&](uint32_t limit) -> LogicalResult {
    for (; pos < limit; ++pos)
      if (halves[pos]) {
        uint32_t id = (*halves[pos]).index();
        const Instr &instr = program.theInstrs[id];
        if (!builder.lateRead(id, instr.rank, instr.dst, instr.count))
          return verifier.error(id, "its value is overwritten before its sending half");
      }
    return success();
  };
  for (uint32_t id = 0; id < n; ++id) {
    const Instr &instr = program.theInstrs[id];
    const OpTraits &op = traits(instr.op);
    if (failed(sendHalvesBefore(instr.pos)))
      return failure();
    builder.beginNode(id);
    if (op.readsSrc)
      builder.read(instr.rank, instr.src, instr.count);
    if (op.readsDst)
      builder.read(instr.rank, instr.dst, instr.count);
    if (!instr.dst.isNone())
      builder.write(instr.rank, instr.dst, instr.count);
  }
  if (failed(sendHalvesBefore(end)))
    return failure();
  program.deps = std::move(builder).finish(program.info().collective);
  return success();
}

FailureOr<InstrProgram> InstrProgramBuilder::finish(DiagnosticEngine &diags) && {
  if (failed(verifyTables(diags)) || failed(verify(diags)) || failed(computeDependences(diags)))
    return failure();
  return std::move(program);
}

FailureOr<InstrProgram> InstrProgramBuilder::finishEdited(DiagnosticEngine &diags) && {
  if (failed(verifyTables(diags)))
    return failure();
  assert(succeeded(verify(diags)) && "a pass has made a wrong program");
  if (failed(computeDependences(diags)))
    return failure();
  return std::move(program);
}

FailureOr<InstrProgram> InstrProgramBuilder::finishEdited(Dependences dependences,
                                                          DiagnosticEngine &diags) && {
  findEndPos();
  if (failed(verifyTables(diags)))
    return failure();
  assert(succeeded(verify(diags)) && "a pass has made a wrong program");
  program.deps = std::move(dependences);
  return std::move(program);
}
