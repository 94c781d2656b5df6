//===- ExecPlan.h - The execution plan --------------------------*- C++ -*-===//
//
// The third level, which is verified, emitted and simulated: ranks, their threadblocks and their
// steps. A threadblock is one sequential instruction stream with at most one send peer and one
// receive peer, on one channel. A connection (sender, receiver, channel) is a FIFO, owned by
// exactly one threadblock on each side. A step may wait for one step of another threadblock of its
// rank; additional waits are `nop` steps before it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_EXECPLAN_H
#define CCL_IR_EXECPLAN_H

#include "cclc/IR/CellSpace.h"
#include "cclc/IR/Ops.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// Step \p step of threadblock \p tb of the same rank. Satisfied as soon as that threadblock has
/// completed this or a later step that publishes.
struct Wait {
  ThreadblockId tb;
  StepIndex step;
  friend bool operator==(const Wait &, const Wait &) = default;
};

/// One step. 40 bytes, since plans have millions of them.
struct Step {
  /// Local operands. An operand that the operation does not use (Ops.def) is none.
  Operand src, dst;
  uint32_t count;
  LocId loc;
  /// Location of the sending half of a fused step; else equal to loc.
  LocId sendLoc;
  uint16_t phase = 0;
  OpKind op;
  /// Announces its completion to other threadblocks (`hasdep`).
  bool publishes = false;

  bool waits() const { return waitTb.has_value(); }
  std::optional<Wait> wait() const {
    return waitTb ? std::optional<Wait>({*waitTb, StepIndex(waitStep)}) : std::nullopt;
  }
  void setWait(std::optional<Wait> wait) {
    waitTb = wait ? OptionalId<ThreadblockId>(wait->tb) : OptionalId<ThreadblockId>();
    waitStep = wait ? wait->step.index() : 0;
  }

  Step(OpKind op, Operand src, Operand dst, uint32_t count, LocId loc, LocId sendLoc)
      : src(src), dst(dst), count(count), loc(loc), sendLoc(sendLoc), op(op) {}

private:
  OptionalId<ThreadblockId> waitTb;
  uint32_t waitStep = 0;
};

struct Threadblock {
  RankId rank;
  OptionalId<RankId> sendPeer, recvPeer;
  ChannelId channel;
  uint32_t firstStep; ///< index into ExecPlan::steps()
  uint32_t numSteps = 0;
};

class ExecPlan {
public:
  const ProgramInfo &info() const { return theInfo; }
  void setMaxBytes(uint64_t bytes) { theInfo.maxBytes = bytes; }
  /// Adds \p count to the number of the endpoint of every rank.
  void shiftEndpoints(uint32_t count);
  std::optional<Slots> slots() const { return theInfo.slots; }
  uint32_t ranks() const { return theInfo.ranks(); }
  uint32_t channels() const { return numChannels; }

  /// All threadblocks, rank after rank, ids of a rank ascending.
  ArrayRef<Threadblock> threadblocks() const { return theThreadblocks; }
  uint32_t firstThreadblock(RankId rank) const { return rankStart[rank.index()]; }
  uint32_t numThreadblocks(RankId rank) const {
    return rankStart[rank.index() + 1] - rankStart[rank.index()];
  }
  ArrayRef<Threadblock> threadblocks(RankId rank) const {
    return threadblocks().slice(firstThreadblock(rank), numThreadblocks(rank));
  }
  ThreadblockId localId(uint32_t threadblock) const {
    return ThreadblockId(threadblock - firstThreadblock(theThreadblocks[threadblock].rank));
  }

  /// All steps, threadblock after threadblock.
  ArrayRef<Step> steps() const { return theSteps; }
  ArrayRef<Step> steps(const Threadblock &tb) const {
    return steps().slice(tb.firstStep, tb.numSteps);
  }

  ArrayRef<uint32_t> scratchChunks() const { return theScratchChunks; }
  CellSpace cells(Placement placement) const {
    return CellSpace(theInfo.collective, placement, theScratchChunks);
  }
  /// The largest count of a step, at least 1.
  uint32_t maxCount() const;

private:
  friend class ExecPlanBuilder;
  explicit ExecPlan(ProgramInfo info) : theInfo(std::move(info)) {}

  ProgramInfo theInfo;
  uint32_t numChannels = 0;
  std::vector<Threadblock> theThreadblocks;
  std::vector<uint32_t> rankStart;
  std::vector<Step> theSteps;
  std::vector<uint32_t> theScratchChunks;
};

/// The positions of threadblocks and steps in the file of an imported plan, for structural errors.
/// Empty for formats without lines, and for compiled plans, whose steps have source locations.
struct PlanPositions {
  std::string file;
  struct Pos {
    uint32_t line = 0, column = 0;
  };
  std::vector<Pos> steps;
  std::vector<Pos> threadblocks;
};

/// The only way to make an ExecPlan: ranks in order, each with its threadblocks
/// in order, each with its steps in order.
class ExecPlanBuilder {
public:
  explicit ExecPlanBuilder(ProgramInfo info);

  ProgramInfo &info() { return plan.theInfo; }
  void setSlots(std::optional<Slots> slots) { plan.theInfo.slots = slots; }
  void reserveSteps(size_t n) { plan.theSteps.reserve(n); }
  void setScratch(RankId rank, uint32_t chunks);
  /// Begins a threadblock of the current rank or of a later one.
  void beginThreadblock(RankId rank, OptionalId<RankId> sendPeer, OptionalId<RankId> recvPeer,
                        ChannelId channel);
  Step &addStep(const Step &step);

  /// Runs the structural verifier (Verifier.h).
  FailureOr<ExecPlan> finish(DiagnosticEngine &diags, const PlanPositions *positions = nullptr) &&;

private:
  ExecPlan plan;
};

} // namespace cclc

#endif // CCL_IR_EXECPLAN_H
