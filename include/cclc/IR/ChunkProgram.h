//===- ChunkProgram.h - The traced program ----------------------*- C++ -*-===//
//
// The first level: the copies and reduces of a program in trace order, over cell ranges. The
// semantics of the program is their sequential execution in this order. The Chunk DAG is the graph
// of the same program: one source per initial chunk, a node for each operation, true edges (read
// after write) and false edges (write after read, write after write); see Dependences.h.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_CHUNKPROGRAM_H
#define CCL_IR_CHUNKPROGRAM_H

#include "cclc/IR/CellSpace.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

enum class ChunkOpKind : uint8_t {
  Copy,   ///< dst = src
  Reduce, ///< dst = dst + src
};

/// A buffer of the chunk level: input, output, or scratch number n.
class ChunkBuffer {
public:
  static constexpr uint32_t maxScratchBuffers = 0xffff - 1;

  static constexpr ChunkBuffer input() { return ChunkBuffer(0); }
  static constexpr ChunkBuffer output() { return ChunkBuffer(1); }
  static constexpr ChunkBuffer scratch(uint16_t n) { return ChunkBuffer(n + 2); }
  static constexpr ChunkBuffer fromRaw(uint16_t raw) { return ChunkBuffer(raw); }
  constexpr uint16_t raw() const { return value; }
  constexpr bool isScratch() const { return value >= 2; }
  constexpr uint16_t scratchIndex() const { return value - 2; }
  /// All scratch buffers of this level become one.
  constexpr Buffer kind() const {
    return isScratch() ? Buffer::Scratch : value == 0 ? Buffer::Input : Buffer::Output;
  }
  friend constexpr bool operator==(ChunkBuffer, ChunkBuffer) = default;

private:
  constexpr explicit ChunkBuffer(uint16_t raw) : value(raw) {}
  uint16_t value;
};

/// One copy or reduce. 36 bytes, since programs have millions of them.
struct ChunkOp {
  RankId srcRank;
  RankId dstRank;
  uint32_t srcIndex;
  uint32_t dstIndex;
  uint32_t count;
  LocId loc;
  ChunkBuffer src;
  ChunkBuffer dst;
  DirectiveIndex directive;
  uint16_t phase;
  ChunkOpKind kind;

  bool isLocal() const { return srcRank == dstRank; }
};

/// A named scratch buffer and its size on every rank.
struct ScratchBuffer {
  std::string name;
  std::vector<uint32_t> chunks; ///< one entry per rank
};

class ChunkProgram {
public:
  const ProgramInfo &info() const { return theInfo; }
  void setOptions(std::vector<std::string> options) { theInfo.options = std::move(options); }
  void setProtocol(Protocol protocol) { theInfo.protocol = protocol; }
  void setSlotBytes(std::optional<uint64_t> bytes) { theInfo.slotBytes = bytes; }
  ArrayRef<ChunkOp> ops() const { return theOps; }
  ArrayRef<ScratchBuffer> scratch() const { return theScratch; }
  /// The number of scratch chunks of each rank, over all named buffers, which are laid end to end.
  ArrayRef<uint32_t> scratchChunks() const { return totalScratch; }

  /// The operand for a chunk-level range. Scratch buffers follow each other in declaration order.
  Operand operand(RankId rank, ChunkBuffer buffer, uint32_t index) const;
  Operand srcOperand(const ChunkOp &op) const { return operand(op.srcRank, op.src, op.srcIndex); }
  Operand dstOperand(const ChunkOp &op) const { return operand(op.dstRank, op.dst, op.dstIndex); }

  CellSpace cells(Placement placement) const {
    return CellSpace(theInfo.collective, placement, totalScratch);
  }
  /// One CellSpace per placement of the program.
  std::vector<CellSpace> cellSpaces() const;

  std::string bufferName(ChunkBuffer buffer) const;

  /// Moves the information out, for the next level.
  ProgramInfo takeInfo() && { return std::move(theInfo); }

private:
  friend class ChunkProgramBuilder;
  explicit ChunkProgram(ProgramInfo info) : theInfo(std::move(info)) {}

  ProgramInfo theInfo;
  std::vector<ChunkOp> theOps;
  std::vector<ScratchBuffer> theScratch;
  std::vector<uint32_t> totalScratch;
  std::vector<std::vector<uint32_t>> scratchStart; ///< [buffer][rank]
};

/// The only way to make a ChunkProgram.
class ChunkProgramBuilder {
public:
  explicit ChunkProgramBuilder(ProgramInfo info) : program(std::move(info)) {}
  /// Reopens a finished program, to change its information. Its operations stay correct.
  explicit ChunkProgramBuilder(ChunkProgram &&finished)
      : program(std::move(finished)), verifiedOps(program.theOps.size()) {
    program.scratchStart.clear();
  }

  ProgramInfo &info() { return program.theInfo; }
  const ProgramInfo &info() const { return program.theInfo; }
  /// The index of the scratch buffer \p name, which is added if it is new.
  uint16_t scratchBuffer(StringRef name);
  /// Grows scratch buffer \p buffer of \p rank to at least \p chunks chunks.
  void growScratch(uint16_t buffer, RankId rank, uint32_t chunks);
  void reserve(size_t ops) { program.theOps.reserve(ops); }
  void add(const ChunkOp &op) { program.theOps.push_back(op); }
  ArrayRef<ChunkOp> ops() const { return program.theOps; }

  /// Checks structure (ranks, bounds, counts, overlapping local copies, writes
  /// to a read-only input) and reports at the operations' locations.
  FailureOr<ChunkProgram> finish(DiagnosticEngine &diags) &&;

private:
  LogicalResult verifyOps(size_t first, DiagnosticEngine &diags) const;

  ChunkProgram program;
  size_t verifiedOps = 0; ///< the first ones, of a reopened program
};

} // namespace cclc

#endif // CCL_IR_CHUNKPROGRAM_H
