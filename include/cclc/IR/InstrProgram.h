//===- InstrProgram.h - The Instruction DAG ---------------------*- C++ -*-===//
//
// The second level: instructions of ranks over local operands. A remote copy is an `s` and an `r`,
// a remote reduce an `s` and an `rrc`, linked by `to` and `from` (a communication edge). Processing
// edges are the dependences through cells inside a rank, computed when the program is finished.
//
// Positions. The unfused instructions are in a total order: by depth in the Chunk DAG, then longest
// remaining path, then trace order. Their sequential execution in this order, each receive right
// after its send, is equivalent to the program, so the order is a witness that a schedule exists.
// Fusion keeps the positions: `pos` is the position of a node's local access, `sendPos` that of its
// former send. Instructions are numbered by ascending `pos`, which is a topological order of the
// DAG.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_INSTRPROGRAM_H
#define CCL_IR_INSTRPROGRAM_H

#include "cclc/IR/Dependences.h"
#include "cclc/IR/Ops.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// One instruction. 52 bytes, since programs have millions of them.
struct Instr {
  RankId rank;
  /// Local operands; Ops.def lists the operands that each operation uses. The dst of an rrs is the
  /// destination that it no longer writes.
  Operand src, dst;
  uint32_t count;
  /// The instruction that receives what this one sends, and the one that sends
  /// what this one receives.
  OptionalId<InstrId> to, from;
  LocId loc;
  /// Location of the sending half; equal to loc unless fused.
  LocId sendLoc;
  uint32_t pos;
  uint32_t sendPos;
  DirectiveIndex directive;
  DirectiveIndex sendDirective;
  uint16_t phase;
  OpKind op;
};

class InstrProgram {
public:
  const ProgramInfo &info() const { return theInfo; }
  ArrayRef<Instr> instrs() const { return theInstrs; }
  const Instr &operator[](InstrId id) const { return theInstrs[id.index()]; }
  size_t size() const { return theInstrs.size(); }
  /// The number of scratch chunks of each rank.
  ArrayRef<uint32_t> scratchChunks() const { return theScratchChunks; }

  /// Processing edges inside ranks. An rrs counts as a writer of its dst, so that all edges exist
  /// that unfusing it would need.
  const DependenceGraph &dependences() const { return deps.graph; }
  /// Whether the instruction writes the final value of a cell that the post-condition constrains.
  bool isLiveOut(InstrId id) const { return deps.liveOut[id.index()]; }
  /// The first later instruction that overwrites a value which this one read or wrote.
  OptionalId<InstrId> firstOverwrite(InstrId id) const {
    OptionalIndex by = deps.overwrites[id.index()];
    return by ? OptionalId<InstrId>(InstrId(*by)) : OptionalId<InstrId>();
  }

  /// The number of instructions on the longest path in the DAG to every instruction, and from every
  /// instruction, over processing and communication edges.
  std::vector<uint32_t> depths() const;
  std::vector<uint32_t> remainingPaths() const;

  std::vector<CellSpace> cellSpaces() const;

  /// Positions are below this bound.
  uint32_t endPos() const { return thePosEnd; }

  /// Sets the endpoint of the target that each rank runs on, and clears the geometry.
  void placeRanks(std::vector<uint32_t> endpoints) {
    theInfo.geometry = {{{"rank", GridKind::Flat, theInfo.ranks(), 1}}};
    theInfo.placementOnTarget = std::move(endpoints);
  }

  /// The tables of the program, moved out to build the next one.
  struct Parts {
    ProgramInfo info;
    std::vector<Instr> instrs;
    std::vector<uint32_t> scratchChunks;
  };
  Parts takeApart() &&;
  /// Moved out before the rest, for passes that change them rather than have them computed again.
  Dependences takeDependences() { return std::move(deps); }

private:
  friend class InstrProgramBuilder;
  template <class Fn> void forPreds(uint32_t id, Fn fn) const;
  explicit InstrProgram(ProgramInfo info) : theInfo(std::move(info)) {}

  ProgramInfo theInfo;
  std::vector<Instr> theInstrs;
  std::vector<uint32_t> theScratchChunks;
  Dependences deps;
  uint32_t thePosEnd = 0;
};

/// The only way to make an InstrProgram.
class InstrProgramBuilder {
public:
  InstrProgramBuilder(ProgramInfo info, std::vector<Instr> instrs,
                      std::vector<uint32_t> scratchChunks);

  /// Checks structure (operands and bounds, matched pairs on different ranks with equal counts,
  /// ascending positions, values that are not overwritten before the sending half) and computes the
  /// dependences.
  FailureOr<InstrProgram> finish(DiagnosticEngine &diags) &&;
  /// The same for a pass that has edited a verified program. The structure is not checked again,
  /// except by assertions.
  FailureOr<InstrProgram> finishEdited(DiagnosticEngine &diags) &&;
  /// The same for a pass that knows the dependences of its result.
  FailureOr<InstrProgram> finishEdited(Dependences dependences, DiagnosticEngine &diags) &&;

private:
  LogicalResult verifyTables(DiagnosticEngine &diags) const;
  LogicalResult verify(DiagnosticEngine &diags) const;
  LogicalResult computeDependences(DiagnosticEngine &diags);
  void findEndPos();

  InstrProgram program;
};

} // namespace cclc

#endif // CCL_IR_INSTRPROGRAM_H
