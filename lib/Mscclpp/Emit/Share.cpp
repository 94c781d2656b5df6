//===- Share.cpp - Threadblocks become groups -----------------------------===//
//
// Operations that threads perform are shared. The first member of a group performs the others: it
// signals, waits and hands transfers to the proxy. A barrier of the group is before what publishes
// or reads the work of all, and between a wait and the next shared operation. A nop beside a
// barrier is left out.
//
// Operations on the same chunks have equal parts: the executor divides ranges of equal size alike.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Emit/Share.h"

#include "cclc/Mscclpp/PlanBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace cclc::mscclpp {

namespace {
class Sharer {
public:
  Sharer(const Plan &plan, uint32_t members, GroupNop barriers)
      : plan(plan), members(members), barriers(barriers),
        space(plan.header().collective,
              plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace,
              std::vector<uint32_t>(plan.ranks().size())) {}

  FailureOr<Plan> run(DiagnosticEngine &diags) {
    PlanBuilder builder(plan.header());
    for (const Rank &rank : plan.ranks())
      builder.addRank(shared(rank));
    return std::move(builder).finish(diags);
  }

private:
  using Op = ThreadblockDraft::Op;

  RankDraft shared(const Rank &rank) {
    RankDraft draft = draftOf(plan, rank);
    nextBarrier = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      for (const Operation &op : plan.ops(tb))
        if (op.op == OpKind::Barrier)
          nextBarrier = std::max(nextBarrier, plan.ids(op).front() + 1);
    for (const Threadblock &tb : plan.threadblocks(rank))
      addGroup(tb, draft.threadblocks);
    return draft;
  }

  void addGroup(const Threadblock &tb, std::vector<ThreadblockDraft> &threadblocks) {
    group.assign(members, draftOf(plan, tb));
    barrier.reset();
    nopsAreBarriers = barriers == GroupNop::Everywhere || !hasEqualParts(tb);
    isDirty = mustMeet = endsInNop = false;
    for (const Operation &op : plan.ops(tb))
      add(op);
    std::move(group.begin(), group.end(), std::back_inserter(threadblocks));
  }

  /// Chunks of the memory of a rank, in units of which a packet has two.
  struct Extent {
    RankId rank;
    bool isScratch, arePackets, isWritten;
    uint64_t begin, end;
  };

  Extent extentOf(const Threadblock &tb, const Operation &op, const Place &place, Access access,
                  bool isWritten) const {
    RankId rank = plan.owner(tb, op, place);
    uint64_t begin = place.buffer == Buffer::Scratch
                         ? place.index
                         : space.cell(rank, Operand(place.buffer, place.index));
    uint64_t size = isPackets(access) ? 2 : 1;
    return {rank,         place.buffer == Buffer::Scratch, isPackets(access), isWritten,
            begin * size, (begin + place.count) * size};
  }

  /// Whether all shared operations that access the same memory, one to write, access equal ranges.
  /// Accesses through switches are compared with those of the rank itself.
  bool hasEqualParts(const Threadblock &tb) const {
    std::vector<Extent> extents;
    for (const Operation &op : plan.ops(tb)) {
      if (!traits(op.op).movesData() || op.isByProxy())
        continue;
      for (size_t i = 0; i < op.src.count; ++i)
        extents.push_back(extentOf(tb, op, plan.sources(op)[i], op.source(i), false));
      for (size_t i = 0; i < op.dst.count; ++i)
        extents.push_back(extentOf(tb, op, plan.destinations(op)[i], op.destination(i), true));
    }
    for (const Extent &a : extents)
      for (const Extent &b : extents)
        if (a.isWritten && a.rank == b.rank && a.isScratch == b.isScratch && a.begin < b.end &&
            b.begin < a.end &&
            (a.begin != b.begin || a.end != b.end || a.arePackets != b.arePackets))
          return false;
    return true;
  }

  void add(const Operation &op) {
    Op made{op.op, op.loc};
    made.channel = op.channel;
    made.participants = op.participants;
    llvm::append_range(made.ids, plan.ids(op));
    llvm::append_range(made.src, plan.sources(op));
    llvm::append_range(made.dst, plan.destinations(op));
    if (op.op == OpKind::Nop)
      return addNop(made);
    if (op.op == OpKind::Barrier) {
      made.participants *= members;
      addToAll(made);
      isDirty = mustMeet = false;
      return;
    }
    if (traits(op.op).movesData() && !op.isByProxy()) {
      if (mustMeet)
        meet();
      made.share.parts = members;
      addToAll(made);
      isDirty = true;
      return;
    }
    // Packets that a proxy forwards have flags.
    bool readsGroup = !takes(op.op) && op.op != OpKind::Flush && op.op != OpKind::ReadPutPackets;
    if (readsGroup && isDirty)
      meet();
    group.front().ops.push_back(std::move(made));
    endsInNop = false;
    mustMeet |= takes(op.op) || op.op == OpKind::PutSignalFlush;
  }

  void addNop(const Op &nop) {
    if (isDirty && nopsAreBarriers)
      return meet();
    addToAll(nop);
    endsInNop = true;
  }

  void addToAll(const Op &op) {
    for (uint32_t m = 0; m < members; ++m) {
      group[m].ops.push_back(op);
      if (op.share.parts > 1)
        group[m].ops.back().share.part = m;
    }
    endsInNop = false;
  }

  /// A barrier of all members.
  void meet() {
    for (ThreadblockDraft &member : group)
      if (endsInNop)
        member.ops.pop_back();
    if (!barrier)
      barrier = nextBarrier++;
    Op op{OpKind::Barrier};
    op.ids = {*barrier};
    op.participants = members;
    addToAll(op);
    isDirty = mustMeet = false;
  }

  const Plan &plan;
  uint32_t members;
  GroupNop barriers;
  CellSpace space;          ///< of input and output
  uint32_t nextBarrier = 0; ///< of the rank
  // The current group.
  std::vector<ThreadblockDraft> group;
  std::optional<uint32_t> barrier;
  bool nopsAreBarriers = false;
  bool isDirty = false;   ///< whether it shared operations since its last barrier
  bool mustMeet = false;  ///< whether its first member has waited for all since then
  bool endsInNop = false; ///< the last operation of all members
};
} // namespace

FailureOr<Plan> shareThreadblocks(const Plan &plan, uint32_t members, GroupNop barriers,
                                  DiagnosticEngine &diags) {
  return Sharer(plan, members, barriers).run(diags);
}

} // namespace cclc::mscclpp
