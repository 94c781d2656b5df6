#include "cclc/Semantics/ChunkChecker.h"

#include "cclc/Semantics/Gates.h"
#include "cclc/Semantics/SymbolicMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// One run of the program under one placement.
class ChunkRun {
public:
  ChunkRun(const ChunkProgram &program, Placement placement, DiagnosticEngine &diags)
      : program(program), memory(program.info().collective, program.cells(placement)),
        diags(diags) {}

  LogicalResult run() {
    for (uint32_t id = 0; id < program.ops().size(); ++id)
      if (failed(execute(id)))
        return failure();
    return checkOutputs();
  }

private:
  LogicalResult execute(uint32_t id) {
    const ChunkOp &op = program.ops()[id];
    SymbolicMemory::Cell *src = memory.at(op.srcRank, program.srcOperand(op));
    SymbolicMemory::Cell *dst = memory.at(op.dstRank, program.dstOperand(op));
    bool reduces = op.kind == ChunkOpKind::Reduce;
    for (uint32_t c = 0; c < op.count; ++c) {
      if (src[c].value == ValueTable::undefined())
        return undefinedRead(op, op.srcRank, op.src, op.srcIndex + c);
      if (reduces && dst[c].value == ValueTable::undefined())
        return undefinedRead(op, op.dstRank, op.dst, op.dstIndex + c);
      ValueId value =
          reduces ? memory.values.combine(dst[c].value, src[c].value, id) : src[c].value;
      dst[c] = {value, WriterId(id)};
    }
    return success();
  }

  LogicalResult undefinedRead(const ChunkOp &op, RankId rank, ChunkBuffer buffer, uint32_t index) {
    return diags.error(program.info().locate(op.loc),
                       formatv("uninitialised read: nothing was written to r{0}:{1}[{2}] yet",
                               rank.index(), program.bufferName(buffer), index));
  }

  LogicalResult checkOutputs() {
    std::optional<SymbolicMemory::WrongOutput> wrong = memory.findWrongOutput();
    if (!wrong)
      return success();
    ValueId value = wrong->cell.value;
    Location written = lastWriter(wrong->cell);
    DiagnosticEngine::InFlight error = diags.error(written, wrong->text);
    if (memory.values.isSum(value)) {
      Location computed = locate(memory.values.origin(value));
      if (computed != written)
        error.note(computed, "the last operand was added here");
    }
    return error;
  }

  Location locate(uint32_t id) const { return program.info().locate(program.ops()[id].loc); }

  /// A cell that no operation wrote is blamed on the last line of the program.
  Location lastWriter(const SymbolicMemory::Cell &cell) const {
    if (cell.writer)
      return locate((*cell.writer).index());
    return program.ops().empty() ? Location() : locate(program.ops().size() - 1);
  }

  const ChunkProgram &program;
  SymbolicMemory memory;
  DiagnosticEngine &diags;
};
} // namespace

LogicalResult cclc::checkProgram(const ChunkProgram &program, DiagnosticEngine &diags) {
  if (failed(checkGates(program, diags)))
    return failure();
  for (Placement placement : program.info().placements.list())
    if (failed(ChunkRun(program, placement, diags).run()))
      return failure();
  return success();
}
