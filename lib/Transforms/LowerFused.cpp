//===- LowerFused.cpp - Splitting fused receives --------------------------===//
//
//   rcs  -> d        r -> d;     s d
//   rrc  d -> d      r -> s[t];  re d += s[t]
//   rrc  a -> d      r -> s[t];  cpy d <- a;     re d += s[t]
//   rrs  a           r -> s[t];  cpy s[u] <- a;  re s[u] += s[t];  s s[u]
//                    r -> s[t];  re a += s[t];  s a     where a is dead (DeadOperands.h)
//   rrcs             as rrc, then s d
//
// The parts follow each other in the threadblock of the fused step. The first part, the receive,
// has the wait of the step, and the last part publishes, so steps that were ordered before or after
// the fused step are ordered before or after all parts. A copy must not precede the receive,
// because it could overwrite data that other steps still read. A plain receive needs no free slot
// and so can execute no later than the fused one, so no deadlock is added. The order of operands is
// kept, so results are bit-equal. s[t] and s[u] are private to the threadblock, whose steps use
// them sequentially. A reduction in a switch, which adds the local operand as well, remains whole.
//
//===----------------------------------------------------------------------===//

#include "DeadOperands.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

namespace {
class FusedLowering {
public:
  FusedLowering(const ExecPlan &plan, PassContext &context)
      : plan(plan), context(context), spaces(spacesOf(plan)), deadOperands(plan, spaces) {}

  FailureOr<ExecPlan> run() {
    layOut();
    ExecPlanBuilder builder(plan.info());
    builder.reserveSteps(plan.steps().size() + added);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      builder.setScratch(RankId(r), scratch[r]);
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        addParts(builder, tb, s, rooms[t]);
    }
    context.count("lower-fused", "steps", lowered);
    return std::move(builder).finish(context.diags);
  }

private:
  /// The relation of source and destination of a reducing receive.
  enum class Places { Same, Apart, Mixed };
  /// The scratch cells of a threadblock, for its message and its sum.
  struct Room {
    uint32_t message, sum;
  };

  static std::vector<CellSpace> spacesOf(const ExecPlan &plan) {
    std::vector<CellSpace> spaces;
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
    return spaces;
  }

  /// The local operand of a reduction in a switch is added there.
  static bool splits(const Threadblock &tb, const Step &step) {
    return traits(step.op).isFusedReceive() && !tb.reducesInSwitch();
  }

  /// The same cells under every placement, disjoint under every placement, or neither.
  Places places(RankId rank, const Step &step) const {
    if (step.src == step.dst)
      return Places::Same;
    bool same = true, apart = true;
    for (const CellSpace &cells : spaces) {
      // Partial overlap is malformed, so comparing the first cells is sufficient.
      bool one = cells.cell(rank, step.src) == cells.cell(rank, step.dst);
      same &= one;
      apart &= !one;
    }
    return same ? Places::Same : apart ? Places::Apart : Places::Mixed;
  }

  /// The location of the sum: the destination, a dead operand, or scratch if the sum is not stored
  /// and its operand is live.
  enum class Sum { Destination, Source, Scratch };
  Sum sumOf(RankId rank, uint32_t s) const {
    const Step &step = plan.steps()[s];
    if (step.dst.isNone())
      return deadOperands[s] ? Sum::Source : Sum::Scratch;
    return places(rank, step) == Places::Mixed ? Sum::Scratch : Sum::Destination;
  }

  /// Calls \p add(op, source, destination, location) for the parts of step \p s.
  template <class Add> void forParts(const Threadblock &tb, uint32_t s, Room room, Add add) const {
    const Step &step = plan.steps()[s];
    const OpTraits &op = traits(step.op);
    if (!op.readsSrc) {
      add(OpKind::Recv, Operand(), step.dst, step.loc);
      add(OpKind::Send, step.dst, Operand(), step.sendLoc);
      return;
    }
    Sum where = sumOf(tb.rank, s);
    Operand message(Buffer::Scratch, room.message);
    Operand sum = where == Sum::Scratch  ? Operand(Buffer::Scratch, room.sum)
                  : where == Sum::Source ? step.src
                                         : step.dst;
    add(OpKind::Recv, Operand(), message, step.loc);
    if (where == Sum::Scratch ||
        (where == Sum::Destination && places(tb.rank, step) == Places::Apart))
      add(OpKind::Copy, step.src, sum, step.loc);
    add(OpKind::Reduce, message, sum, step.loc);
    if (where == Sum::Scratch && op.writesDst)
      add(OpKind::Copy, sum, step.dst, step.loc);
    if (op.sends)
      add(OpKind::Send, sum, Operand(), step.sendLoc);
  }

  /// Allocates scratch after that of the plan, and computes the indices of the last parts.
  void layOut() {
    scratch = plan.scratchChunks().vec();
    lastPart.reserve(plan.steps().size());
    for (const Threadblock &tb : plan.threadblocks()) {
      uint32_t message = 0, sum = 0, next = 0;
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        const Step &step = plan.steps()[s];
        uint32_t before = next;
        if (!splits(tb, step))
          ++next;
        else
          forParts(tb, s, {0, 0}, [&](OpKind, Operand, Operand, LocId) { ++next; });
        lastPart.push_back(next - 1);
        added += next - before - 1;
        if (splits(tb, step) && traits(step.op).readsSrc) {
          message = std::max(message, step.count);
          sum = std::max(sum, sumOf(tb.rank, s) == Sum::Scratch ? step.count : 0);
        }
        lowered += splits(tb, step);
      }
      uint32_t &used = scratch[tb.rank.index()];
      rooms.push_back({used, used + message});
      used += message + sum;
    }
  }

  void addParts(ExecPlanBuilder &builder, const Threadblock &tb, uint32_t s, Room room) {
    const Step &step = plan.steps()[s];
    std::optional<Wait> wait = step.wait();
    if (wait)
      wait->step = StepIndex(
          lastPart[plan.threadblocks(tb.rank)[wait->tb.index()].firstStep + wait->step.index()]);
    if (!splits(tb, step)) {
      builder.addStep(step).setWait(wait);
      return;
    }
    Step *last = nullptr;
    forParts(tb, s, room, [&](OpKind op, Operand src, Operand dst, LocId loc) {
      Step part(op, src, dst, step.count, loc, loc);
      part.phase = step.phase;
      if (!last)
        part.setWait(wait);
      last = &builder.addStep(part);
    });
    last->publishes = step.publishes;
  }

  const ExecPlan &plan;
  PassContext &context;
  std::vector<CellSpace> spaces; ///< of every placement
  DeadOperands deadOperands;
  std::vector<uint32_t> scratch; ///< by rank
  std::vector<Room> rooms;       ///< by threadblock
  /// By step: the index of its last part in its threadblock.
  std::vector<uint32_t> lastPart;
  uint64_t lowered = 0, added = 0;
};
} // namespace

FailureOr<ExecPlan> cclc::lowerFused(ExecPlan &&plan, PassContext &context) {
  return FusedLowering(plan, context).run();
}
