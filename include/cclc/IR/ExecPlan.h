//===- ExecPlan.h - The execution plan --------------------------*- C++ -*-===//
//
// The third level, which is verified, emitted and simulated: ranks, their threadblocks and their
// steps. A threadblock is one sequential instruction stream, on one channel. A connection (sender,
// receiver, channel) is a FIFO, owned by exactly one threadblock on each side. A step may wait for
// one step of another threadblock of its rank; additional waits are `nop` steps before it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_EXECPLAN_H
#define CCL_IR_EXECPLAN_H

#include "cclc/IR/CellSpace.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/IR/Step.h"
#include "cclc/IR/Threadblock.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

class ExecPlan {
public:
  const ProgramInfo &info() const { return theInfo; }
  void setName(std::string name) { theInfo.name = std::move(name); }
  void setMaxBytes(uint64_t bytes) { theInfo.maxBytes = bytes; }
  /// Sets the endpoint of every rank, for files that have none.
  void setEndpoints(std::vector<uint32_t> endpoints) {
    theInfo.placementOnTarget = std::move(endpoints);
  }
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

  Peers sendPeers(const Threadblock &tb) const { return {tb.sendPeer, group(tb.sendGroup)}; }
  Peers recvPeers(const Threadblock &tb) const { return {tb.recvPeer, group(tb.recvGroup)}; }
  /// Whether a threadblock has several peers in a direction.
  bool usesSwitches() const { return !theGroupPeers.empty(); }

  /// All steps, threadblock after threadblock.
  ArrayRef<Step> steps() const { return theSteps; }
  ArrayRef<Step> steps(const Threadblock &tb) const {
    return steps().slice(tb.firstStep, tb.numSteps);
  }
  /// The steps of all threadblocks of \p rank.
  ArrayRef<Step> steps(RankId rank) const;

  ArrayRef<uint32_t> scratchChunks() const { return theScratchChunks; }
  CellSpace cells(Placement placement) const {
    return CellSpace(theInfo.collective, placement, theScratchChunks);
  }
  /// The largest count of a step, at least 1.
  uint32_t maxCount() const { return theMaxCount; }
  /// Whether a step waits for another threadblock.
  bool hasWaits() const { return anyWaits; }

private:
  friend class ExecPlanBuilder;
  explicit ExecPlan(ProgramInfo info) : theInfo(std::move(info)) {}
  ArrayRef<RankId> group(Threadblock::Group group) const {
    return ArrayRef(theGroupPeers).slice(group.begin, group.count);
  }

  ProgramInfo theInfo;
  uint32_t numChannels = 0;
  uint32_t theMaxCount = 1;
  bool anyWaits = false;
  std::vector<Threadblock> theThreadblocks;
  std::vector<uint32_t> rankStart;
  std::vector<Step> theSteps;
  std::vector<uint32_t> theScratchChunks;
  std::vector<RankId> theGroupPeers;
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
  const ProgramInfo &info() const { return plan.theInfo; }
  void setSlots(std::optional<Slots> slots) { plan.theInfo.slots = slots; }
  void reserveSteps(size_t n) { plan.theSteps.reserve(n); }
  void setScratch(RankId rank, uint32_t chunks);
  /// Begins a threadblock of the current rank or of a later one.
  void beginThreadblock(RankId rank, OptionalId<RankId> sendPeer, OptionalId<RankId> recvPeer,
                        ChannelId channel);
  /// The same with any number of peers.
  void beginThreadblock(RankId rank, const Peers &sendPeers, const Peers &recvPeers,
                        ChannelId channel);
  Step &addStep(const Step &step) {
    ++plan.theThreadblocks.back().numSteps;
    return plan.theSteps.emplace_back(step);
  }

  /// Runs the structural verifier (Verifier.h).
  FailureOr<ExecPlan> finish(DiagnosticEngine &diags, const PlanPositions *positions = nullptr) &&;

private:
  Threadblock::Group addGroup(ArrayRef<RankId> peers);

  ExecPlan plan;
};

} // namespace cclc

#endif // CCL_IR_EXECPLAN_H
