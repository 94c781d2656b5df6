//===- ChunkProgram.cpp - Building and verifying traced programs ----------===//
//
// Named scratch buffers are laid end to end in the memory of each rank; prefix sums give the start
// of each. finish() checks the operations in trace order, each under every placement of the
// program, because two ranges may overlap in place and be separate out of place.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/ChunkProgram.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace cclc;
using llvm::formatv;

Operand ChunkProgram::operand(RankId rank, ChunkBuffer buffer, uint32_t index) const {
  if (buffer == ChunkBuffer::input())
    return Operand(Buffer::Input, index);
  if (buffer == ChunkBuffer::output())
    return Operand(Buffer::Output, index);
  return Operand(Buffer::Scratch, scratchStart[buffer.scratchIndex()][rank.index()] + index);
}

std::vector<CellSpace> ChunkProgram::cellSpaces() const {
  std::vector<CellSpace> spaces;
  for (Placement placement : theInfo.placements.list())
    spaces.push_back(cells(placement));
  return spaces;
}

std::string ChunkProgram::bufferName(ChunkBuffer buffer) const {
  if (buffer.isScratch())
    return theScratch[buffer.scratchIndex()].name;
  return buffer == ChunkBuffer::input() ? "i" : "o";
}

uint16_t ChunkProgramBuilder::scratchBuffer(StringRef name) {
  for (size_t n = 0; n < program.theScratch.size(); ++n)
    if (program.theScratch[n].name == name)
      return n;
  program.theScratch.push_back({name.str(), std::vector<uint32_t>(info().ranks())});
  return program.theScratch.size() - 1;
}

void ChunkProgramBuilder::growScratch(uint16_t buffer, RankId rank, uint32_t chunks) {
  uint32_t &size = program.theScratch[buffer].chunks[rank.index()];
  size = std::max(size, chunks);
}

namespace {
/// Checks one operation after the other and reports at its location.
class ChunkVerifier {
public:
  ChunkVerifier(const ChunkProgram &program, DiagnosticEngine &diags)
      : program(program), diags(diags), spaces(program.cellSpaces()), groups(program.info()) {}

  LogicalResult verify(const ChunkOp &op) {
    if (op.count == 0)
      return error(op, "count must be at least 1");
    if (failed(verifyRange(op, op.srcRank, op.src, op.srcIndex)) ||
        failed(verifyRange(op, op.dstRank, op.dst, op.dstIndex)))
      return failure();
    if (op.dst == ChunkBuffer::input() && program.info().placements.allowsOutOfPlace() &&
        program.info().collective.hasPostCondition())
      return error(op, "writes the input of r" + std::to_string(op.dstRank.index()) +
                           ", which is read-only out of place");
    const Directive &directive = program.info().directives[op.directive];
    if (directive.parallel > 1 && (directive.sendTb || directive.recvTb))
      return error(op,
                   formatv("an operation in {0} parts cannot be put into a threadblock: each part "
                           "needs its own",
                           directive.parallel));
    if (op.isLocal())
      return failed(verifyLocalDirective(op)) ? failure() : verifyOverlap(op);
    std::string stray = groups.findStray(op.phase, op.srcRank, op.dstRank);
    return stray.empty() ? success() : error(op, stray);
  }

private:
  LogicalResult error(const ChunkOp &op, const std::string &text) {
    return diags.error(program.info().locate(op.loc), text);
  }

  /// A user's choice is obeyed or rejected. For an operation inside a rank, only the threadblock
  /// can be chosen.
  LogicalResult verifyLocalDirective(const ChunkOp &op) {
    const Directive &directive = program.info().directives[op.directive];
    if (directive.recvTb)
      return error(
          op,
          formatv(
              "a local operation has no receiver: set its threadblock with sendtb, not recvtb {0}",
              *directive.recvTb));
    if (directive.channel && !directive.sendTb)
      return error(op, formatv("a local operation has no channel: channel {0} requires a sendtb",
                               *directive.channel));
    return success();
  }

  LogicalResult verifyRange(const ChunkOp &op, RankId rank, ChunkBuffer buffer, uint32_t index) {
    uint32_t ranks = program.info().ranks();
    if (rank.index() >= ranks)
      return error(op, formatv("rank {0} is out of range: the program has {1}", rank.index(),
                               counted(ranks, "rank")));
    if (buffer.isScratch() && buffer.scratchIndex() >= program.scratch().size())
      return error(op, "unknown scratch buffer");
    const Collective &collective = program.info().collective;
    uint64_t chunks = buffer.isScratch()
                          ? program.scratch()[buffer.scratchIndex()].chunks[rank.index()]
                      : buffer == ChunkBuffer::input() ? collective.inputChunks()
                                                       : collective.outputChunks();
    if (uint64_t(index) + op.count > chunks)
      return error(op, formatv("r{0}:{1}[{2}:{3}] is out of range: the buffer has {4}",
                               rank.index(), program.bufferName(buffer), index,
                               uint64_t(index) + op.count, counted(chunks, "chunk")));
    return success();
  }

  LogicalResult verifyOverlap(const ChunkOp &op) {
    for (const CellSpace &space : spaces) {
      uint64_t src = space.cell(op.srcRank, program.srcOperand(op));
      uint64_t dst = space.cell(op.dstRank, program.dstOperand(op));
      bool overlaps = src < dst + op.count && dst < src + op.count;
      // Copies that are the identity in place are allowed, so that one program supports both
      // placements.
      bool identity = src == dst && op.kind == ChunkOpKind::Copy;
      if (overlaps && !identity)
        return error(op,
                     formatv("{0} of overlapping ranges on r{1}",
                             op.kind == ChunkOpKind::Copy ? "copy" : "reduce", op.dstRank.index()));
    }
    return success();
  }

  const ChunkProgram &program;
  DiagnosticEngine &diags;
  std::vector<CellSpace> spaces;
  MessageGroups groups;
};
} // namespace

/// Checks the operations from number \p first on.
LogicalResult ChunkProgramBuilder::verifyOps(size_t first, DiagnosticEngine &diags) const {
  ChunkVerifier verifier(program, diags);
  std::vector<uint32_t> segments = segmentsOf(info().phases);
  uint32_t segment = 0;
  for (const ChunkOp &op : program.ops().drop_front(first)) {
    if (failed(verifier.verify(op)))
      return failure();
    if (segments[op.phase] < segment)
      return diags.error(
          info().locate(op.loc),
          formatv("an operation of phase {0} follows operations of a phase with a later gate",
                  op.phase));
    segment = segments[op.phase];
  }
  return success();
}

FailureOr<ChunkProgram> ChunkProgramBuilder::finish(DiagnosticEngine &diags) && {
  uint32_t ranks = info().ranks();
  uint64_t cells = countCells(info().collective, {}), moved = 0;
  for (const ScratchBuffer &buffer : program.theScratch)
    cells = std::accumulate(buffer.chunks.begin(), buffer.chunks.end(), cells);
  for (const ChunkOp &op : program.theOps)
    moved += op.count;
  Location first = program.theOps.empty() ? Location() : info().locate(program.theOps.front().loc);
  if (failed(verifySize("program", cells, moved, first, diags)) ||
      failed(verifyTables(info(), Generations::MayBeUnset, first, diags)))
    return failure();
  if (program.theScratch.size() > ChunkBuffer::maxScratchBuffers)
    return diags.error({}, formatv("the program has {0} scratch buffers, more than the limit of "
                                   "{1}",
                                   program.theScratch.size(), ChunkBuffer::maxScratchBuffers));
  program.totalScratch.assign(ranks, 0);
  for (const ScratchBuffer &buffer : program.theScratch) {
    program.scratchStart.push_back(program.totalScratch);
    for (uint32_t r = 0; r < ranks; ++r)
      program.totalScratch[r] += buffer.chunks[r];
  }
  if (failed(verifyOps(verifiedOps, diags)))
    return failure();
  assert(succeeded(verifyOps(0, diags)) && "the new information contradicts the operations");
  return std::move(program);
}
