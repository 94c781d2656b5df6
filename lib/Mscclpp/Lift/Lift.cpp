//===- Lift.cpp - Operations of MSCCL++ as copies and reductions ----------===//
//
// Each operation becomes copies and reductions of whole places. A sum is formed where the operation
// stores it, if that does not overwrite an operand before it is added; otherwise in a scratch
// buffer, of which every threadblock has a part. The compiler removes copies that are of no use,
// and receives packets where they are read.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Lift/Lift.h"

#include "LiftedOps.h"

#include "cclc/Mscclpp/Lift/Nodes.h"
#include "cclc/Mscclpp/Proof/Completion.h"
#include "cclc/Mscclpp/Proof/Unroll.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cclc::mscclpp {

namespace {
using Spans = SmallVector<Chunks, 10>;

/// Scratch, packets and sums are apart.
enum class ScratchUse : uint16_t { Plain, Packets, Sums };

class Lifter {
public:
  Lifter(const Plan &plan, const Groups &groups)
      : plan(plan), groups(groups), builder(programInfoOf(plan.header())),
        places(CellSpace(plan.header().collective,
                         plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace,
                         std::vector<uint32_t>(plan.ranks().size()))) {
    for (const char *name : {"scratch", "packets", "sums"})
      builder.scratchBuffer(name);
    uint32_t ranks = plan.ranks().size();
    if (uint32_t perNode = ranksPerNode(plan).value_or(ranks); perNode < ranks)
      builder.info().geometry = {
          {{"node", GridKind::Flat, ranks / perNode, 1}, {"gpu", GridKind::Flat, perNode, 1}}};
    sumsOfRank.resize(plan.ranks().size());
    sums.resize(plan.threadblocks().size());
  }

  FailureOr<ChunkProgram> run(ArrayRef<Completed> order, DiagnosticEngine &diags) {
    for (Completed at : order)
      lift(at);
    ops = simplify(std::move(ops), places);
    for (const LiftedOp &op : ops)
      if (!op.op.isLocal() && !op.inSwitch)
        moversOf(op).push_back(op.threadblock);
    for (auto &[sides, all] : movers) {
      llvm::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
    for (LiftedOp &op : ops) {
      op.op.directive = directiveOf(op);
      for (const Chunks &used : {sourceOf(op.op), destinationOf(op.op)})
        if (used.buffer.isScratch())
          builder.growScratch(used.buffer.scratchIndex(), used.rank, used.index + used.count);
      builder.add(op.op);
    }
    return std::move(builder).finish(diags);
  }

private:
  Chunks chunks(RankId rank, Buffer buffer, const Place &place, Access access) {
    if (buffer != Buffer::Scratch)
      return {rank, buffer == Buffer::Input ? ChunkBuffer::input() : ChunkBuffer::output(),
              place.index, place.count};
    return scratch(isPackets(access) ? ScratchUse::Packets : ScratchUse::Plain, rank, place.index,
                   place.count);
  }

  static Chunks scratch(ScratchUse use, RankId rank, uint32_t index, uint32_t count) {
    return {rank, ChunkBuffer::scratch(uint16_t(use)), index, count};
  }

  /// Appends the chunks of a place; those of a switch in the order of its members, but of the rank
  /// itself first.
  void resolve(const Operation &op, const Place &place, Access access, Spans &spans) {
    if (!place.group) {
      spans.push_back(chunks(plan.owner(*tb, op, place), place.buffer, place, access));
      return;
    }
    size_t first = spans.size();
    for (const Groups::Member &member : groups.members(*tb, place)) {
      spans.push_back(chunks(member.rank, member.buffer, place, access));
      if (member.rank == tb->rank)
        std::rotate(spans.begin() + first, spans.end() - 1, spans.end());
    }
  }

  void lift(Completed at) {
    threadblock = at.threadblock;
    tb = &plan.threadblocks()[threadblock];
    const Operation &op = plan.ops()[at.op];
    const OpTraits &does = traits(op.op);
    if (!does.movesData())
      return;
    loc = op.loc;
    Spans sources, destinations;
    for (size_t i = 0; i < op.src.count; ++i)
      resolve(op, plan.sources(op)[i], op.source(i), sources);
    for (size_t i = 0; i < op.dst.count; ++i)
      resolve(op, plan.destinations(op)[i], op.destination(i), destinations);
    if (does.paired) {
      for (auto [from, to] : llvm::zip(sources, destinations))
        copy(from, to);
      return;
    }
    // The executor adds packets first and the local operand last.
    if (isPackets(does.src[1]))
      std::rotate(sources.begin(), sources.begin() + 1, sources.end());
    Chunks value = sources.front();
    if (sources.size() > 1)
      value = add(sources, destinations.front(), isOnSwitch(does.src[0]));
    SwitchScope scope(*this, does.usesSwitch());
    for (const Chunks &to : destinations)
      copy(value, to);
  }

  /// Adds \p terms from left to right, if possible in \p to, and returns the place of the sum.
  Chunks add(ArrayRef<Chunks> terms, const Chunks &to, bool bySwitch) {
    bool storable = to.rank == tb->rank;
    size_t same = terms.size();
    for (size_t i = 0; i < terms.size(); ++i) {
      if (!places.overlap(terms[i], to))
        continue;
      storable &= same == terms.size() && places.same(terms[i], to);
      same = i;
    }
    bool isFirst = same == 0, isLast = same + 1 == terms.size();
    if (storable && isLast && terms.size() == 2)
      return reduce(to, terms.drop_back(), bySwitch);
    if (storable && isLast)
      return reduce(to, {reduce(copyToSums(terms.front()), terms.drop_front().drop_back(), false)},
                    false);
    if (storable && (isFirst || same == terms.size())) {
      copy(terms.front(), to);
      return reduce(to, terms.drop_front(), bySwitch);
    }
    return reduce(copyToSums(terms.front()), terms.drop_front(), bySwitch);
  }

  /// Copies a term to the part of the sums of this threadblock, which grows if it is too small.
  Chunks copyToSums(const Chunks &term) {
    Range &part = sums[threadblock];
    if (part.count < term.count) {
      uint32_t &size = sumsOfRank[tb->rank.index()];
      part = {size, term.count};
      size += term.count;
    }
    Chunks sum = scratch(ScratchUse::Sums, tb->rank, part.first, term.count);
    copy(term, sum);
    return sum;
  }

  Chunks reduce(const Chunks &into, ArrayRef<Chunks> terms, bool bySwitch) {
    SwitchScope scope(*this, bySwitch);
    for (const Chunks &term : terms)
      move(ChunkOpKind::Reduce, term, into);
    return into;
  }

  void copy(const Chunks &from, const Chunks &to) {
    if (!places.same(from, to))
      move(ChunkOpKind::Copy, from, to);
  }

  void move(ChunkOpKind kind, const Chunks &from, const Chunks &to) {
    ChunkOp op{from.rank,   to.rank,   from.index, to.index, from.count, loc,
               from.buffer, to.buffer, 0,          0,        kind};
    ops.push_back({op, threadblock, op.isLocal() ? 0 : inSwitch});
  }

  /// The threadblocks that move data between two ranks, those of each rank separately.
  std::vector<uint32_t> &moversOf(const LiftedOp &op) {
    RankId rank = plan.threadblocks()[op.threadblock].rank;
    return movers[{op.op.srcRank, op.op.dstRank, rank}];
  }

  DirectiveIndex directiveOf(const LiftedOp &op) {
    Directive directive;
    directive.inSwitch = op.inSwitch;
    if (op.inSwitch) { // its connections are those of an instance
      const Threadblock &owner = plan.threadblocks()[op.threadblock];
      directive.instance = op.threadblock - plan.rankOf(owner).threadblocks.first;
    } else if (!op.op.isLocal()) {
      size_t most = 0;
      for (RankId rank : {op.op.srcRank, op.op.dstRank})
        if (auto it = movers.find({op.op.srcRank, op.op.dstRank, rank}); it != movers.end())
          most = std::max(most, it->second.size());
      if (most > 1)
        directive.channel = llvm::lower_bound(moversOf(op), op.threadblock) - moversOf(op).begin();
    }
    auto [it, isNew] = directives.try_emplace(directive, builder.info().directives.size());
    if (isNew)
      builder.info().directives.push_back(directive);
    return it->second;
  }

  /// Marks the transfers of one operation of a switch; those that follow each other have different
  /// numbers.
  class SwitchScope {
  public:
    SwitchScope(Lifter &lifter, bool onSwitch) : lifter(lifter) {
      if (onSwitch)
        lifter.inSwitch = lifter.lastInSwitch = lifter.lastInSwitch == 1 ? 2 : 1;
    }
    ~SwitchScope() { lifter.inSwitch = 0; }

  private:
    Lifter &lifter;
  };

  const Plan &plan;
  const Groups &groups;
  ChunkProgramBuilder builder;
  PlaceCompare places;
  std::vector<Range> sums;          ///< by threadblock
  std::vector<uint32_t> sumsOfRank; ///< their number of chunks
  std::vector<LiftedOp> ops;
  /// Ascending, by both ranks and that of the threadblocks.
  std::map<std::tuple<RankId, RankId, RankId>, std::vector<uint32_t>> movers;
  std::map<Directive, DirectiveIndex> directives = {{Directive{}, 0}};
  uint32_t inSwitch = 0, lastInSwitch = 0;
  // The current operation.
  uint32_t threadblock = 0;
  const Threadblock *tb = nullptr;
  LocId loc = LocTable::unknown();
};
} // namespace

FailureOr<ChunkProgram> lift(const Plan &plan, DiagnosticEngine &diags) {
  if (needsUnrolling(plan)) {
    SmallVector<Division, 8> divisions = divisionsOf(plan);
    if (divisions.empty())
      return diags.error(plan.whole(), "the numbers of parts of operations have too small a common "
                                       "divisor to list the parts");
    FailureOr<Plan> unrolled = unroll(plan, divisions.front(), diags);
    if (failed(unrolled))
      return failure();
    return lift(*unrolled, diags);
  }
  Groups groups(plan);
  if (groups.check(diags) != Verdict::Ok)
    return failure();
  FailureOr<std::vector<Completed>> order = completionOrder(plan, groups, diags);
  if (failed(order))
    return failure();
  return Lifter(plan, groups).run(*order, diags);
}

} // namespace cclc::mscclpp
