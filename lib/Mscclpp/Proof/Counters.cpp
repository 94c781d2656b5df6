//===- Counters.cpp - Counters of a plan of MSCCL++ -----------------------===//
//
// Counters are numbered rank by rank: memory channels, port channels, semaphores. The n-th channel
// of a kind from one rank to another is paired with the n-th channel back. One pass over the
// operations collects the threadblocks that give to and take from each counter, and how often; the
// checks of barriers and balance use these sums.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Proof/Counters.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace cclc::mscclpp {

using llvm::formatv;

Counters::Counters(const Plan &plan) : plan(plan) {
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    const Rank &rank = plan.ranks()[r];
    firstOfRank.push_back(counters.size());
    auto add = [&](uint32_t of) -> Counter & {
      Counter &counter = counters.emplace_back();
      counter.rank = RankId(r);
      counter.of = of;
      return counter;
    };
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      for (uint32_t c = 0; c < plan.channels(rank, kind).size(); ++c)
        add(c).channel = kind;
    for (uint32_t s = 0; s < rank.semaphores.count; ++s) {
      Counter &counter = add(s);
      counter.isSemaphore = true;
      counter.initial = plan.semaphores(rank)[s];
    }
  }
  pairChannels(ChannelKind::Memory);
  pairChannels(ChannelKind::Port);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> users;
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    for (const Operation &op : plan.ops(tb)) {
      if (op.op == OpKind::Barrier)
        users[{tb.rank.index(), plan.ids(op).front()}].push_back(t);
      for (uint32_t i = 0; i < op.ids.count && (gives(op.op) || takes(op.op)); ++i) {
        std::optional<uint32_t> c = counter(tb, op, i);
        if (!c)
          continue;
        Counter &counter = counters[*c];
        if (gives(op.op)) {
          ++counter.given;
          if (counter.givers.empty() || counter.givers.back() != t)
            counter.givers.push_back(t);
        } else {
          ++counter.taken;
          if (counter.takers.empty() || counter.takers.back().first != t)
            counter.takers.push_back({t, 0});
          ++counter.takers.back().second;
        }
      }
    }
  }
  for (auto &[key, threadblocks] : users)
    theBarriers.push_back({RankId(key.first), key.second, std::move(threadblocks)});
}

/// Pairs the n-th channel of a rank to a peer with the n-th channel of that peer to the rank.
void Counters::pairChannels(ChannelKind kind) {
  std::map<std::pair<RankId, RankId>, std::vector<uint32_t>> ends;
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    ArrayRef<RankId> peers = plan.channels(plan.ranks()[r], kind);
    for (uint32_t c = 0; c < peers.size(); ++c)
      ends[{RankId(r), peers[c]}].push_back(firstChannel(RankId(r), kind) + c);
  }
  for (const auto &[key, mine] : ends) {
    auto other = ends.find({key.second, key.first});
    for (size_t n = 0; other != ends.end() && n < std::min(mine.size(), other->second.size()); ++n)
      counters[mine[n]].partner = other->second[n];
  }
}

std::optional<uint32_t> Counters::counter(const Threadblock &tb, const Operation &op,
                                          uint32_t index) const {
  uint32_t id = plan.ids(op)[index];
  const Rank &rank = plan.rankOf(tb);
  if (op.idKind() == IdKind::Semaphores)
    return firstChannel(tb.rank, ChannelKind::Port) +
           plan.channels(rank, ChannelKind::Port).size() + id;
  uint32_t end = firstChannel(tb.rank, op.channel) + plan.channels(tb, op.channel)[id];
  return gives(op.op) ? counters[end].partner : end;
}

uint32_t Counters::barrier(const Threadblock &tb, const Operation &op) const {
  auto key = std::pair(tb.rank, plan.ids(op).front());
  auto it = std::lower_bound(
      theBarriers.begin(), theBarriers.end(), key,
      [](const Barrier &barrier, auto key) { return std::pair(barrier.rank, barrier.id) < key; });
  return it - theBarriers.begin();
}

uint32_t Counters::takenBy(uint32_t counter, uint32_t threadblock) const {
  for (auto [t, often] : counters[counter].takers)
    if (t == threadblock)
      return often;
  return 0;
}

std::string Counters::name(uint32_t index) const {
  const Counter &counter = counters[index];
  if (counter.isSemaphore)
    return formatv("semaphore {0} of r{1}", counter.of, counter.rank.index());
  RankId peer = plan.channels(plan.ranks()[counter.rank.index()], counter.channel)[counter.of];
  return formatv("{0}channel {1} of r{2} from r{3}",
                 counter.channel == ChannelKind::Port ? "port " : "", counter.of,
                 counter.rank.index(), peer.index());
}

LogicalResult Counters::checkBarriers(DiagnosticEngine &diags) const {
  for (const Barrier &barrier : theBarriers) {
    // One entry for every use: all threadblocks must have equal numbers.
    std::vector<uint32_t> different = barrier.threadblocks;
    different.erase(std::unique(different.begin(), different.end()), different.end());
    for (uint32_t t : different) {
      const Threadblock &tb = plan.threadblocks()[t];
      uint32_t uses = std::count(barrier.threadblocks.begin(), barrier.threadblocks.end(), t);
      for (uint32_t o = tb.ops.first; o < tb.ops.first + tb.ops.count; ++o) {
        const Operation &op = plan.ops()[o];
        if (op.op != OpKind::Barrier || plan.ids(op).front() != barrier.id)
          continue;
        if (op.participants != different.size())
          return diags.error(plan.locate(PlanOpId(o)),
                             formatv("deadlock: {0} waits for {1} threadblocks, and {2} of r{3} "
                                     "use barrier {4}",
                                     plan.opName(PlanThreadblockId(t), PlanOpId(o)),
                                     op.participants, different.size(), barrier.rank.index(),
                                     barrier.id));
        if (uses * different.size() != barrier.threadblocks.size())
          return diags.error(plan.locate(PlanOpId(o)),
                             formatv("deadlock: {0} uses barrier {1} {2} times, other threadblocks "
                                     "of r{3} do not",
                                     plan.threadblockName(PlanThreadblockId(t)), barrier.id, uses,
                                     barrier.rank.index()));
      }
    }
  }
  return success();
}

Counters::Uses Counters::usesOf(uint32_t index) const {
  Uses found;
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    bool hasSignalled = false; // only signals have followed
    for (uint32_t o = tb.ops.first; o < tb.ops.first + tb.ops.count; ++o) {
      const Operation &op = plan.ops()[o];
      bool movesData = traits(op.op).movesData();
      bool uses = false;
      for (uint32_t i = 0; i < op.ids.count && (gives(op.op) || takes(op.op)); ++i)
        uses |= counter(tb, op, i) == index;
      if (uses && takes(op.op))
        found.taker = {t, o};
      if (takes(op.op) || movesData)
        hasSignalled = false;
      if (!uses || !gives(op.op))
        continue;
      if (!found.isRepeated) {
        found.giver = {t, o};
        found.isRepeated = hasSignalled;
      }
      hasSignalled = true;
    }
  }
  return found;
}

LogicalResult Counters::checkBalance(DiagnosticEngine &diags) const {
  for (uint32_t c = 0; c < counters.size(); ++c) {
    const Counter &counter = counters[c];
    if (counter.given == counter.taken)
      continue;
    Uses uses = usesOf(c);
    bool isMissing = counter.given < counter.taken;
    auto locate = [&](const Use &use) { return plan.locate(PlanOpId(use.op)); };
    DiagnosticEngine::InFlight error = diags.error(
        locate(isMissing ? *uses.taker : *uses.giver),
        formatv("race between launches: {0} is given {1} {2} in a launch, of which {3} {4} taken; "
                "the next launch begins with a different count",
                name(c), counter.given, counter.given == 1 ? "signal" : "signals", counter.taken,
                counter.taken == 1 ? "is" : "are"));
    auto note = [&](const std::optional<Use> &use, const char *does) {
      if (use)
        error.note(locate(*use),
                   plan.opName(PlanThreadblockId(use->threadblock), PlanOpId(use->op)) + does);
    };
    if (isMissing)
      note(uses.taker, " is the last operation that takes one");
    note(uses.giver, uses.isRepeated ? " gives one directly after another"
                                     : " is the last operation that gives one");
    if (!isMissing)
      note(uses.taker, " is the last operation that takes one");
    return error;
  }
  return success();
}

} // namespace cclc::mscclpp
