//===- InstrProgram.h - The Instruction DAG ---------------------*- C++ -*-===//
//
// The second level: instructions of ranks over local operands. A remote copy is
// an `s` and an `r`, a remote reduce an `s` and an `rrc`; `to` and `from` join
// the two (a communication edge). Processing edges are the dependences through
// cells inside a rank, computed when the program is finished.
//
// Positions. The unfused instructions stand in one line: by depth in the Chunk
// DAG, then longest remaining path, then trace order. Executed in this order
// one after the other, each receive right after its send, they give the
// program's meaning, so this order is a witness that a schedule exists. Fusion
// keeps the positions: `pos` is where a node's local access takes place,
// `sendPos` where its sending half stood. Instructions are numbered by
// ascending `pos`, which is a topological order of the DAG.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_INSTRPROGRAM_H
#define CCL_IR_INSTRPROGRAM_H

#include "cclc/IR/Dependences.h"
#include "cclc/IR/Ops.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// One instruction: 52 bytes, stored by the million.
struct Instr {
  RankId rank;
  /// Local operands, as Ops.def says which are used. An rrs keeps in dst the
  /// place that it no longer writes.
  Operand src, dst;
  uint32_t count;
  /// The instruction that receives what this one sends, and the one that sends
  /// what this one receives.
  OptionalId<InstrId> to, from;
  LocId loc;
  /// Of the sending half; equal to loc unless fused.
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
  /// Chunks of scratch of each rank.
  ArrayRef<uint32_t> scratchChunks() const { return theScratchChunks; }

  /// Processing edges inside ranks. An rrs counts as writing its dst here, so
  /// that taking the fusion apart again never needs an edge that is missing.
  const DependenceGraph &dependences() const { return deps; }
  /// Whether the instruction writes a final value that the collective is about.
  bool isLiveOut(InstrId id) const { return liveOut[id.index()]; }
  /// The first later instruction that overwrites something which this one read or
  /// wrote.
  OptionalId<InstrId> firstOverwrite(InstrId id) const { return overwrites[id.index()]; }

  /// Of every instruction, the length of the longest path in the DAG that leads to it,
  /// and of the longest that leads on from it, in instructions: over processing and
  /// communication edges.
  std::vector<uint32_t> depths() const;
  std::vector<uint32_t> remainingPaths() const;

  std::vector<CellSpace> cellSpaces() const;

  /// Positions are below this bound.
  uint32_t endPos() const { return thePosEnd; }

  /// Says where on the target each rank runs, and that the ranks are no grid there.
  void placeRanks(std::vector<uint32_t> endpoints) {
    theInfo.geometry = {{{"rank", GridKind::Flat, theInfo.ranks(), 1}}};
    theInfo.placementOnTarget = std::move(endpoints);
  }

  /// Takes the program apart, to build the next one from it.
  struct Parts {
    ProgramInfo info;
    std::vector<Instr> instrs;
    std::vector<uint32_t> scratchChunks;
  };
  Parts takeApart() &&;

private:
  friend class InstrProgramBuilder;
  template <class Fn> void forPreds(uint32_t id, Fn fn) const;
  explicit InstrProgram(ProgramInfo info) : theInfo(std::move(info)) {}

  ProgramInfo theInfo;
  std::vector<Instr> theInstrs;
  std::vector<uint32_t> theScratchChunks;
  DependenceGraph deps;
  std::vector<bool> liveOut;
  std::vector<OptionalId<InstrId>> overwrites;
  uint32_t thePosEnd = 0;
};

/// The only way to make an InstrProgram.
class InstrProgramBuilder {
public:
  InstrProgramBuilder(ProgramInfo info, std::vector<Instr> instrs,
                      std::vector<uint32_t> scratchChunks);

  /// Checks structure (operands and bounds, matched pairs on different ranks
  /// with equal counts, ascending positions, values that are still there when the
  /// sending half stands) and computes the dependences.
  FailureOr<InstrProgram> finish(DiagnosticEngine &diags) &&;

private:
  LogicalResult verify(DiagnosticEngine &diags) const;
  LogicalResult computeDependences(DiagnosticEngine &diags);

  InstrProgram program;
};

} // namespace cclc

#endif // CCL_IR_INSTRPROGRAM_H
