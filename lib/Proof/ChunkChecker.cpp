//===- ChunkChecker.cpp - Symbolic execution of a traced program ----------===//
//
// Executes the operations in trace order on symbolic values (Values.h), once for each
// placement, and compares the output cells with the post-condition. A read of an undefined
// value is reported at the operation that reads, a wrong output at the last operation that
// wrote the cell, with notes at the last reduction of its value, and at the operations that added
// the contribution that makes it wrong and read it from the input.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/ChunkChecker.h"

#include "cclc/Proof/Gates.h"
#include "cclc/Proof/SymbolicMemory.h"
#include "cclc/Support/Cellwise.h"
#include "cclc/Support/Parallel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// One run of the program under one placement.
class ChunkRun {
public:
  ChunkRun(const ChunkProgram &program, Placement placement, Ranges ranges, DiagnosticEngine &diags)
      : program(program), memory(
                              program.info().collective, program.cells(placement),
                              [cellwise = isCellwise(program.cells(placement).size(),
                                                     program.ops())](RankId) { return cellwise; },
                              ranges),
        diags(diags) {}

  /// Initialises the outputs of a run out of place: a traced program that runs in place lacks the
  /// copies of its input to the same cells of the output.
  void copyAliasedInputs() {
    const Collective &collective = program.info().collective;
    const CellSpace aliased = program.cells(Placement::InPlace);
    for (uint32_t r = 0; r < collective.ranks(); ++r) {
      RankId rank(r);
      const uint64_t first = aliased.cell(rank, Operand(Buffer::Input, 0));
      for (uint32_t c = 0; c < collective.outputChunks(); ++c)
        if (uint64_t input = aliased.cell(rank, Operand(Buffer::Output, c)) - first;
            input < collective.inputChunks())
          memory.set(rank, Operand(Buffer::Output, c),
                     memory.at(rank, Operand(Buffer::Input, uint32_t(input))));
    }
  }
  LogicalResult run() {
    for (uint32_t id = 0; id < program.ops().size(); ++id)
      if (failed(execute(id)))
        return failure();
    return checkOutputs();
  }
  bool isMeaningful() const { return memory.hasDistinctIds(); }

private:
  LogicalResult execute(uint32_t id) {
    const ChunkOp &op = program.ops()[id];
    if (op.count == 1)
      return executeOne(op, WriterId(id));
    bool reduces = op.kind == ChunkOpKind::Reduce;
    ValueRuns src = reduces ? memory.read(op.srcRank, program.srcOperand(op), op.count)
                            : memory.readMoved(op.srcRank, program.srcOperand(op), op.count);
    ValueRuns dst;
    if (reduces)
      dst = memory.read(op.dstRank, program.dstOperand(op), op.count);
    uint32_t missingSrc = firstUndefined(src).value_or(op.count);
    uint32_t missingDst = firstUndefined(dst).value_or(op.count);
    if (missingSrc <= missingDst && missingSrc < op.count)
      return undefinedRead(op, op.srcRank, op.src, op.srcIndex + missingSrc);
    if (missingDst < op.count)
      return undefinedRead(op, op.dstRank, op.dst, op.dstIndex + missingDst);
    WriterId writer(id);
    memory.write(op.dstRank, program.dstOperand(op),
                 reduces ? memory.combine(dst, src, writer) : src, writer);
    return success();
  }

  /// The same for operations of one chunk, the most frequent ones, without lists of runs.
  LogicalResult executeOne(const ChunkOp &op, WriterId writer) {
    ValueId value = memory.at(op.srcRank, program.srcOperand(op)).value;
    if (value == ValueTable::undefined())
      return undefinedRead(op, op.srcRank, op.src, op.srcIndex);
    Operand dst = program.dstOperand(op);
    if (op.kind == ChunkOpKind::Reduce) {
      ValueId sum = memory.at(op.dstRank, dst).value;
      if (sum == ValueTable::undefined())
        return undefinedRead(op, op.dstRank, op.dst, op.dstIndex);
      value = memory.values.combine(sum, value, writer);
    }
    memory.set(op.dstRank, dst, {value, writer});
    return success();
  }

  /// The first undefined chunk, if there is one.
  static OptionalIndex firstUndefined(ArrayRef<ValueRun> runs) {
    uint32_t chunk = 0;
    for (const ValueRun &run : runs) {
      if (run.first == ValueTable::undefined())
        return chunk;
      chunk += run.length;
    }
    return {};
  }

  LogicalResult undefinedRead(const ChunkOp &op, RankId rank, ChunkBuffer buffer, uint32_t index) {
    return diags.error(program.info().locate(op.loc),
                       formatv("uninitialised read: r{0}:{1}[{2}] has not been written",
                               rank.index(), program.bufferName(buffer), index));
  }

  LogicalResult checkOutputs() {
    std::optional<SymbolicMemory::WrongOutput> wrong = memory.findWrongOutput();
    if (!wrong)
      return success();
    ValueId value = wrong->cell.value;
    Location written = lastWriter(wrong->cell);
    DiagnosticEngine::InFlight error = diags.error(written, wrong->text);
    if (memory.placement() == Placement::InPlace && isRightApart())
      error.note(written, "out of place the result is right: declare the program with "
                          "d.buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)");
    if (!memory.values.keepsOrigins())
      return error;
    SmallVector<Location, 4> noted = {written};
    auto note = [&](const Location &at, const std::string &text) {
      if (!llvm::is_contained(noted, at))
        error.note(at, text);
      noted.push_back(at);
    };
    const std::optional<Culprit> &culprit = wrong->culprit;
    if (culprit && culprit->sum)
      note(locate(memory.values.origin(*culprit->sum).index()), culprit->addedHereText());
    if (memory.values.isSum(value))
      note(locate(memory.values.origin(value).index()), "the last operand was added here");
    if (culprit)
      if (OptionalIndex reader = readerOf(*wrong))
        note(locate(*reader), culprit->text() + " was read from the input here");
    return error;
  }

  /// The operation that read the culprit of \p wrong from the input: the operations that wrote the
  /// cells of its path are found from the last to the first.
  OptionalIndex readerOf(const SymbolicMemory::WrongOutput &wrong) const {
    const CellSpace space = program.cells(memory.placement());
    const Culprit &culprit = *wrong.culprit;
    uint64_t cell = space.cell(wrong.rank, Operand(Buffer::Output, wrong.index));
    OptionalIndex reader;
    size_t at = 0;
    for (uint32_t id = program.ops().size(); id-- > 0;) {
      const ChunkOp &op = program.ops()[id];
      uint64_t first = space.cell(op.dstRank, program.dstOperand(op));
      if (cell < first || cell >= first + op.count)
        continue;
      reader = id;
      bool adds = op.kind == ChunkOpKind::Reduce;
      if (adds && !culprit.isRight(memory.values, at++))
        continue; // it was in the cell before
      cell = space.cell(op.srcRank, program.srcOperand(op)) + (cell - first);
    }
    return reader;
  }

  /// Whether the program, which is wrong in place, is right with input and output in separate
  /// cells.
  bool isRightApart() const {
    for (const ChunkOp &op : program.ops())
      if (program.dstOperand(op).buffer() == Buffer::Input)
        return false; // read-only out of place
    DiagnosticEngine unheard;
    ChunkRun apart(program, Placement::OutOfPlace, Ranges::Separate, unheard);
    apart.copyAliasedInputs();
    return succeeded(apart.run());
  }

  Location locate(uint32_t id) const { return program.info().locate(program.ops()[id].loc); }

  /// A cell that was never written is reported at the last line of the program.
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

LogicalResult cclc::checkProgram(const ChunkProgram &program, DiagnosticEngine &diags,
                                 unsigned jobs) {
  if (failed(checkGates(program, diags)))
    return failure();
  const SmallVector<Placement, 2> placements = program.info().placements.list();
  std::vector<char> right(placements.size());
  parallelFor(jobs, placements.size(), [&](size_t p) {
    DiagnosticEngine ignored;
    ChunkRun run(program, placements[p], Ranges::Joined, ignored);
    right[p] = succeeded(run.run()) && run.isMeaningful();
  });
  // Joined ranges have no writers: an error is reported by a second run.
  for (size_t p = 0; p < placements.size(); ++p)
    if (!right[p] && failed(ChunkRun(program, placements[p], Ranges::Separate, diags).run()))
      return failure();
  return success();
}
