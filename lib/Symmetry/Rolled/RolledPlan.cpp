//===- RolledPlan.cpp - From plans to rolled plans and back ---------------===//
//
// A plan is rolled by comparing the threadblocks of all ranks with those of rank 0, and unrolled by
// renumbering those of rank 0 for each rank. On folded ranks, peers are the folded ranks at the
// same distances, and indices stay relative.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/Rolled/RolledPlan.h"

#include "MatchThreadblocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>
#include <set>

using namespace cclc;
using llvm::formatv;

using Element = RotationGroup::Element;

std::vector<Element> RolledPlan::distances() const {
  std::set<Element> all;
  for (const Threadblock &tb : threadblocks)
    for (const std::optional<Element> &distance : {tb.send, tb.recv})
      if (distance)
        all.insert(*distance);
  return {all.begin(), all.end()};
}

FoldedRanks cclc::foldedRanks(const RolledPlan &plan) {
  return FoldedRanks::smallest(plan.group, plan.distances());
}

/// Whether two steps of different ranks are equal, except for their locations. \p first maps the
/// threadblocks of the rank of \p b to those of the rank of \p a.
static bool sameStep(const Step &a, const Step &b, ArrayRef<uint32_t> first) {
  bool sameWait = a.waits() == b.waits();
  if (sameWait && a.waits())
    sameWait =
        a.wait()->step == b.wait()->step && a.wait()->tb.index() == first[b.wait()->tb.index()];
  return sameWait && a.op == b.op && a.src == b.src && a.dst == b.dst && a.count == b.count &&
         a.phase == b.phase && a.publishes == b.publishes;
}

namespace {
/// The distances of peers, by folded rank 0 and peer.
class PeerDistances {
public:
  PeerDistances(const SymmetricProgram &program, const FoldedRanks &ranks) : ranks(ranks) {
    for (const ChunkOp &op : program.ops) {
      Element there = program.distance(op);
      byRank.try_emplace(ranks.at(RankId(0), there), there);
      Element back = program.group.difference(program.group.identity(), there);
      byRank.try_emplace(ranks.at(RankId(0), back), back);
    }
  }
  std::optional<Element> of(RankId rank, OptionalId<RankId> peer) const {
    if (!peer)
      return std::nullopt;
    return byRank.at(ranks.between(rank, *peer));
  }

private:
  const FoldedRanks &ranks;
  std::map<RankId, Element> byRank;
};
} // namespace

/// Whether \p rank has the threadblocks of \p plan.
static bool hasThreadblocks(const ExecPlan &folded, RankId rank, const RolledPlan &plan,
                            const ThreadblockMatcher &matcher, const PeerDistances &peers) {
  ArrayRef<Threadblock> theirs = folded.threadblocks(rank);
  auto first = matcher.match(theirs, [&](OptionalId<RankId> peer) { return peers.of(rank, peer); });
  if (!first || folded.scratchChunks()[rank.index()] != plan.scratchChunks)
    return false;
  for (size_t t = 0; t < theirs.size(); ++t) {
    ArrayRef<Step> ours = plan.stepsOf(plan.threadblocks[(*first)[t]]);
    ArrayRef<Step> steps = folded.steps(theirs[t]);
    if (!std::equal(ours.begin(), ours.end(), steps.begin(), steps.end(),
                    [&](const Step &a, const Step &b) { return sameStep(a, b, *first); }))
      return false;
  }
  return true;
}

bool cclc::keepsOrder(const RolledPlan &plan) {
  return llvm::all_of(plan.steps, [&](const Step &step) {
    return llvm::all_of(ArrayRef{step.src, step.dst}, [&](Operand operand) {
      return operand.isNone() ||
             plan.group.keepsOrder(operand.buffer(), operand.index(), step.count);
    });
  });
}

FailureOr<RolledPlan> cclc::roll(const SymmetricProgram &program, const FoldedRanks &ranks,
                                 const ExecPlan &folded, DiagnosticEngine &diags) {
  ProgramInfo info = folded.info();
  info.collective = program.info.collective;
  info.geometry = program.info.geometry;
  info.placementOnTarget = program.info.placementOnTarget;
  RolledPlan plan{std::move(info), program.group, folded.scratchChunks()[0], {}, {}};
  PeerDistances peers(program, ranks);
  for (const Threadblock &tb : folded.threadblocks(RankId(0))) {
    plan.threadblocks.push_back({peers.of(RankId(0), tb.sendPeer), peers.of(RankId(0), tb.recvPeer),
                                 tb.channel, uint32_t(plan.steps.size()), tb.numSteps});
    for (const Step &step : folded.steps(tb)) {
      plan.steps.push_back(step);
      for (Operand operand : {step.src, step.dst})
        if (!operand.isNone() &&
            !plan.group.keepsRange(operand.buffer(), operand.index(), step.count))
          return diags.error(plan.info.locate(step.loc),
                             "the plan is not rolled: a step has chunks that are not renumbered "
                             "together");
    }
  }
  const ThreadblockMatcher matcher(plan.threadblocks);
  for (uint32_t r = 1; r < folded.ranks(); ++r)
    if (!hasThreadblocks(folded, RankId(r), plan, matcher, peers))
      return diags.error({}, "the plan is not rolled: its schedule differs between ranks");
  return plan;
}

/// Builds a plan of the threadblocks of rank 0 on \p ranks ranks: \p peer is the rank at a distance
/// from another one, and \p index the index of a relative one at a rank.
template <class Peer, class Index>
static FailureOr<ExecPlan> instantiate(const RolledPlan &plan, ProgramInfo info, uint32_t ranks,
                                       Peer peer, Index index, ThreadblockSort sort,
                                       DiagnosticEngine &diags) {
  ExecPlanBuilder builder(std::move(info));
  builder.reserveSteps(plan.steps.size() * ranks);
  std::vector<RankThreadblock> threadblocks;
  std::vector<uint32_t> order(plan.threadblocks.size());
  std::vector<ThreadblockId> numbers(order.size(), ThreadblockId(0));
  std::iota(order.begin(), order.end(), 0);
  for (uint32_t r = 0; r < ranks; ++r) {
    builder.setScratch(RankId(r), plan.scratchChunks);
    auto peerAt = [&](const std::optional<Element> &distance) {
      return distance ? OptionalId<RankId>(peer(r, *distance)) : OptionalId<RankId>();
    };
    threadblocks.clear();
    for (const RolledPlan::Threadblock &tb : plan.threadblocks)
      threadblocks.push_back({peerAt(tb.send), peerAt(tb.recv), tb.channel});
    if (sort)
      sort(RankId(r), threadblocks, order);
    for (uint32_t number = 0; number < order.size(); ++number)
      numbers[order[number]] = ThreadblockId(number);
    auto indexAt = index(r);
    auto place = [&](Operand operand, uint32_t count) {
      return operand.isNone()
                 ? operand
                 : Operand(operand.buffer(), indexAt(operand.buffer(), operand.index(), count));
    };
    for (uint32_t t : order) {
      builder.beginThreadblock(RankId(r), threadblocks[t].send, threadblocks[t].recv,
                               threadblocks[t].channel);
      for (Step step : plan.stepsOf(plan.threadblocks[t])) {
        step.src = place(step.src, step.count);
        step.dst = place(step.dst, step.count);
        if (std::optional<Wait> wait = step.wait())
          step.setWait(Wait{numbers[wait->tb.index()], wait->step});
        builder.addStep(step);
      }
    }
  }
  return std::move(builder).finish(diags);
}

/// The indices of files and of folded plans.
static auto relativeIndices() {
  return [](uint32_t) { return [](Buffer, uint32_t index, uint32_t) { return index; }; };
}

FailureOr<ExecPlan> cclc::fold(const RolledPlan &plan, const FoldedRanks &ranks,
                               DiagnosticEngine &diags) {
  ProgramInfo info = plan.info;
  info.collective = ranks.fold(plan.info.collective);
  info.geometry = {};
  info.placementOnTarget.clear();
  info.neighbours.clear();
  return instantiate(
      plan, std::move(info), ranks.ranks(),
      [&](uint32_t r, const Element &distance) { return ranks.at(RankId(r), distance); },
      relativeIndices(), nullptr, diags);
}

FailureOr<ExecPlan> cclc::listed(const RolledPlan &plan, DiagnosticEngine &diags) {
  ProgramInfo info = plan.info;
  info.rotations = plan.group.factors();
  return instantiate(
      plan, std::move(info), 1,
      [&](uint32_t, const Element &distance) { return RankId(plan.group.rotateRank(0, distance)); },
      relativeIndices(), nullptr, diags);
}

FailureOr<RolledPlan> cclc::rolledPlan(const ExecPlan &listed, const Location &file,
                                       DiagnosticEngine &diags) {
  ProgramInfo info = listed.info();
  RotationGroup group(std::move(info.rotations));
  info.rotations.clear();
  std::string fault = group.findFault(info.collective);
  if (fault.empty())
    fault = findAsymmetry(info.collective, group);
  if (!fault.empty())
    return diags.error(file, "the rolled plan is not symmetric: " + fault);
  RolledPlan plan{std::move(info), std::move(group), listed.scratchChunks()[0], {}, {}};
  plan.steps = listed.steps().vec();
  auto distance = [&](OptionalId<RankId> peer) {
    return peer ? std::optional(plan.group.elementOf((*peer).index())) : std::nullopt;
  };
  for (const Threadblock &tb : listed.threadblocks())
    plan.threadblocks.push_back(
        {distance(tb.sendPeer), distance(tb.recvPeer), tb.channel, tb.firstStep, tb.numSteps});
  if (!keepsOrder(plan))
    return diags.error(file, "the rolled plan is not symmetric: a step has chunks that are not "
                             "renumbered together");
  DiagnosticEngine found;
  if (failed(fold(plan, foldedRanks(plan), found))) {
    for (const Diagnostic &fault : found.all())
      diags.error(file, fault.text)
          .note(file, "a rolled plan is checked on the smallest group of ranks with the same "
                      "neighbourhood of a rank, whose numbers this names");
    return failure();
  }
  return plan;
}

FailureOr<ExecPlan> cclc::unroll(const RolledPlan &plan, DiagnosticEngine &diags,
                                 ThreadblockSort sort) {
  if (plan.totalSteps() > maxUnrolledSteps)
    return diags.error({},
                       formatv("the rolled plan has {0} steps on its {1} ranks, and at most {2} "
                               "are unrolled",
                               plan.totalSteps(), plan.info.ranks(), maxUnrolledSteps));
  return instantiate(
      plan, plan.info, plan.info.ranks(),
      [&](uint32_t r, const Element &distance) {
        return RankId(plan.group.rotateRank(r, distance));
      },
      [&](uint32_t r) {
        return [&plan, element = plan.group.elementOf(r)](Buffer buffer, uint32_t index,
                                                          uint32_t count) {
          return plan.group.rotateIndex(buffer, index, element, count);
        };
      },
      sort, diags);
}
