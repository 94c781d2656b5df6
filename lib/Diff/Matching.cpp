//===- Matching.cpp - Threadblocks paired by colour refinement ------------===//
//
// Colour refinement (the 1-dimensional method of Weisfeiler and Leman, 1968) on the graph of
// threadblocks, connections and waits, of both plans at once. A colour is a 64-bit hash: initially
// of rank, peers and steps, then of the neighbouring colours, for at most 16 rounds or until no
// further colour is split. The rounds are visited from the finest to the coarsest, and threadblocks
// whose colour occurs once in each plan are paired, which limits the effect of a local change. Ties
// are broken by individualisation: one pair is fixed and its consequences are followed along
// connections and waits. Threadblocks that changed are paired by heuristics (same partner, most
// common steps, same peers).
//
// A round is linear in steps and waits; sorting colours adds O(n log n).
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/Matching.h"

#include "Hash.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::diff;

std::vector<uint64_t> diff::stepKeys(const ExecPlan &plan, ArrayRef<uint32_t> phaseOf) {
  ArrayRef<Step> steps = plan.steps();
  std::vector<uint64_t> keys(steps.size());
  auto place = [](uint64_t key, Operand operand) {
    return mixed(key, uint64_t(operand.buffer()) << 32 | operand.index());
  };
  bool waitingNops = false;
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step &step = steps[s];
    const OpTraits &op = traits(step.op);
    uint64_t key = mixed(uint64_t(step.op), phaseOf.empty() ? 0 : phaseOf[step.phase]);
    if (op.readsSrc)
      key = place(key, step.src);
    if (op.writesDst)
      key = place(key, step.dst);
    keys[s] = step.op == OpKind::Nop ? key : mixed(key, step.count);
    waitingNops |= step.op == OpKind::Nop && step.waits();
  }
  if (!waitingNops)
    return keys;
  std::vector<uint64_t> all = keys;
  for (const Threadblock &tb : plan.threadblocks())
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
      if (std::optional<Wait> wait = steps[s].wait(); wait && steps[s].op == OpKind::Nop) {
        const Threadblock &other = plan.threadblocks(tb.rank)[wait->tb.index()];
        all[s] = mixed(keys[s], keys[other.firstStep + wait->step.index()]);
      }
  return all;
}

namespace {
using Colours = std::vector<uint64_t>;

/// A colour by rank and peers.
uint64_t peerColour(const ExecPlan &plan, const Threadblock &tb) {
  auto peers = [](uint64_t colour, const Peers &peers) {
    colour = mixed(colour, peers.only() ? (*peers.only()).index() + 1 : peers.size());
    for (RankId peer : peers.group())
      colour = mixed(colour, peer.index());
    return colour;
  };
  return peers(peers(tb.rank.index(), plan.sendPeers(tb)), plan.recvPeers(tb));
}

/// Colours by rank, peers and sequence of steps.
Colours ownColours(const IndexedPlan &p) {
  Colours colours;
  for (const Threadblock &tb : p.plan.threadblocks()) {
    uint64_t colour = peerColour(p.plan, tb);
    for (uint64_t key : p.keysOf(colours.size()))
      colour = mixed(colour, key);
    colours.push_back(colour);
  }
  return colours;
}

/// Colours that are independent of the order of the steps and of the peers.
Colours looseColours(const IndexedPlan &p) {
  Colours colours;
  for (const Threadblock &tb : p.plan.threadblocks()) {
    uint64_t sum = 0;
    for (uint64_t key : p.keysOf(colours.size()))
      sum += mixed(1, key);
    colours.push_back(mixed(tb.rank.index(), sum));
  }
  return colours;
}

/// \p colours refined by those of the neighbours of each threadblock.
Colours refined(const IndexedPlan &p, const Colours &colours) {
  Colours next(colours.size());
  for (uint32_t t = 0; t < colours.size(); ++t) {
    uint64_t colour = colours[t];
    for (ConnectionId send : p.connections.sendsOf(t))
      colour = mixed(colour, colours[p.connections.connections()[send.index()].receiverTb]);
    for (ConnectionId recv : p.connections.recvsOf(t))
      colour = mixed(colour, colours[p.connections.connections()[recv.index()].senderTb]);
    next[t] += mixed(2, colour);
    const Threadblock &tb = p.plan.threadblocks()[t];
    for (uint32_t s = 0; s < tb.numSteps; ++s)
      if (std::optional<Wait> wait = p.plan.steps()[tb.firstStep + s].wait()) {
        uint32_t other = p.waitedThreadblock(t, *wait);
        uint64_t edge = mixed(s, wait->step.index());
        next[t] += mixed(mixed(3, edge), colours[other]);
        next[other] += mixed(mixed(4, edge), colours[t]);
      }
  }
  return next;
}

size_t countColours(Colours colours) {
  std::sort(colours.begin(), colours.end());
  return std::unique(colours.begin(), colours.end()) - colours.begin();
}

class Matcher {
public:
  Matcher(const IndexedPlan &before, const IndexedPlan &after) : before(before), after(after) {
    result.newOf.resize(before.plan.threadblocks().size());
    result.oldOf.resize(after.plan.threadblocks().size());
    channels.resize(before.plan.channels());
  }

  Matching match() {
    rounds.push_back({ownColours(before), ownColours(after)});
    own = rounds.front();
    refine();
    for (size_t round = rounds.size(); round-- > 0;) {
      matchUnique(rounds[round]);
      if (round + 1 == rounds.size())
        matchTies(rounds[round], /*equalNumbers=*/true);
    }
    matchTies(own, /*equalNumbers=*/false);
    matchTies({looseColours(before), looseColours(after)}, /*equalNumbers=*/false);
    followConnections();
    matchSimilar();
    matchPeers();
    voteForChannels();
    return std::move(result);
  }

private:
  struct Both {
    Colours before, after;
  };
  static constexpr size_t maxRounds = 16;

  void refine() {
    size_t all = before.plan.threadblocks().size() + after.plan.threadblocks().size();
    size_t known = countColours(own.before) + countColours(own.after);
    while (known < all && rounds.size() < maxRounds) {
      Both next{refined(before, rounds.back().before), refined(after, rounds.back().after)};
      size_t now = countColours(next.before) + countColours(next.after);
      if (now == known)
        return;
      known = now;
      rounds.push_back(std::move(next));
    }
  }

  void pair(uint32_t a, uint32_t b) {
    result.newOf[a] = b;
    result.oldOf[b] = a;
    if (before.usesConnections(a)) {
      uint32_t from = before.plan.threadblocks()[a].channel.index();
      if (!channels[from])
        channels[from] = after.plan.threadblocks()[b].channel.index();
    }
    toFollow.push_back(a);
  }
  bool isFree(uint32_t a, uint32_t b) const { return !result.newOf[a] && !result.oldOf[b]; }

  void pairIfAlike(uint32_t a, uint32_t b) {
    if (isFree(a, b) && own.before[a] == own.after[b])
      pair(a, b);
  }

  /// Matches the attributes that depend on matched pairs: the other ends of connections and waits.
  void follow() {
    while (!toFollow.empty()) {
      uint32_t a = toFollow.back(), b = *result.newOf[a];
      toFollow.pop_back();
      auto ends = [](const IndexedPlan &p, ConnectionId c) {
        return p.connections.connections()[c.index()];
      };
      for (auto [old, now] : llvm::zip(before.connections.sendsOf(a), after.connections.sendsOf(b)))
        pairIfAlike(ends(before, old).receiverTb, ends(after, now).receiverTb);
      for (auto [old, now] : llvm::zip(before.connections.recvsOf(a), after.connections.recvsOf(b)))
        pairIfAlike(ends(before, old).senderTb, ends(after, now).senderTb);
      ArrayRef<Step> steps = before.plan.steps(before.plan.threadblocks()[a]);
      ArrayRef<Step> others = after.plan.steps(after.plan.threadblocks()[b]);
      for (size_t s = 0; s < std::min(steps.size(), others.size()); ++s)
        if (steps[s].waits() && others[s].waits())
          pairIfAlike(before.waitedThreadblock(a, *steps[s].wait()),
                      after.waitedThreadblock(b, *others[s].wait()));
    }
  }

  /// Calls fn(old, new) with the unmatched threadblocks of every colour that occurs in both plans.
  template <class Fn> void forEachColour(const Both &colours, Fn fn) {
    using Row = std::pair<uint64_t, uint32_t>;
    auto sorted = [](const Colours &all, const std::vector<std::optional<uint32_t>> &taken) {
      std::vector<Row> rows;
      for (uint32_t t = 0; t < all.size(); ++t)
        if (!taken[t])
          rows.emplace_back(all[t], t);
      std::sort(rows.begin(), rows.end());
      return rows;
    };
    std::vector<Row> olds = sorted(colours.before, result.newOf),
                     news = sorted(colours.after, result.oldOf);
    std::vector<uint32_t> from, to;
    for (size_t i = 0, j = 0; i < olds.size() && j < news.size();) {
      uint64_t colour = std::max(olds[i].first, news[j].first);
      from.clear();
      to.clear();
      for (; i < olds.size() && olds[i].first <= colour; ++i)
        if (olds[i].first == colour)
          from.push_back(olds[i].second);
      for (; j < news.size() && news[j].first <= colour; ++j)
        if (news[j].first == colour)
          to.push_back(news[j].second);
      if (!from.empty() && !to.empty())
        fn(from, to);
    }
  }

  void matchUnique(const Both &colours) {
    forEachColour(colours, [&](ArrayRef<uint32_t> from, ArrayRef<uint32_t> to) {
      if (from.size() == 1 && to.size() == 1 && isFree(from[0], to[0]))
        pair(from[0], to[0]);
    });
    follow();
  }

  bool keepsChannel(uint32_t a, uint32_t b) const {
    const auto &channel = channels[before.plan.threadblocks()[a].channel.index()];
    return !channel || *channel == after.plan.threadblocks()[b].channel.index();
  }

  /// Breaks ties among threadblocks of equal colour, preferring equal numbers and channels that are
  /// already matched.
  void matchTies(const Both &colours, bool equalNumbers) {
    forEachColour(colours, [&](ArrayRef<uint32_t> from, ArrayRef<uint32_t> to) {
      if (equalNumbers && from.size() != to.size())
        return;
      size_t next = 0;
      for (uint32_t a : from) {
        if (result.newOf[a])
          continue;
        while (next < to.size() && result.oldOf[to[next]])
          ++next;
        if (next == to.size())
          return;
        constexpr size_t tries = 16;
        uint32_t b = to[next];
        for (uint32_t other : to.slice(next).take_front(tries))
          if (isFree(a, other) && keepsChannel(a, other)) {
            b = other;
            break;
          }
        RankId rank = before.plan.threadblocks()[a].rank;
        uint32_t same = after.plan.firstThreadblock(rank) + before.plan.localId(a).index();
        if (before.plan.localId(a).index() < after.plan.numThreadblocks(rank) && isFree(a, same) &&
            colours.before[a] == colours.after[same] && keepsChannel(a, same))
          b = same;
        pair(a, b);
        follow();
      }
    });
  }

  /// Matches the partners of matched threadblocks, whatever their steps.
  void followConnections() {
    auto sameRank = [&](uint32_t a, uint32_t b) {
      return before.plan.threadblocks()[a].rank == after.plan.threadblocks()[b].rank;
    };
    for (const Connection &old : before.connections.connections()) {
      auto sender = result.newOf[old.senderTb], receiver = result.newOf[old.receiverTb];
      if (sender && !receiver) {
        for (ConnectionId send : after.connections.sendsOf(*sender)) {
          uint32_t other = after.connections.connections()[send.index()].receiverTb;
          if (isFree(old.receiverTb, other) && sameRank(old.receiverTb, other))
            pair(old.receiverTb, other);
        }
      } else if (receiver && !sender) {
        for (ConnectionId recv : after.connections.recvsOf(*receiver)) {
          uint32_t other = after.connections.connections()[recv.index()].senderTb;
          if (isFree(old.senderTb, other) && sameRank(old.senderTb, other))
            pair(old.senderTb, other);
        }
      }
    }
    toFollow.clear();
  }

  /// Matches threadblocks of a rank by the number of common steps.
  void matchSimilar() {
    llvm::DenseMap<uint64_t, uint32_t> holder; // old threadblock by rank and step
    auto inRank = [](RankId rank, uint64_t key) { return mixed(rank.index(), key) >> 1; };
    for (uint32_t a = 0; a < result.newOf.size(); ++a)
      if (!result.newOf[a])
        for (uint64_t key : before.keysOf(a))
          holder.try_emplace(inRank(before.plan.threadblocks()[a].rank, key), a);
    struct Candidate {
      uint32_t votes, a, b;
    };
    std::vector<Candidate> candidates;
    for (uint32_t b = 0; b < result.oldOf.size(); ++b) {
      if (result.oldOf[b])
        continue;
      std::map<uint32_t, uint32_t> votes;
      for (uint64_t key : after.keysOf(b))
        if (auto it = holder.find(inRank(after.plan.threadblocks()[b].rank, key));
            it != holder.end())
          ++votes[it->second];
      for (auto [a, count] : votes)
        candidates.push_back({count, a, b});
    }
    llvm::sort(candidates, [](const Candidate &x, const Candidate &y) {
      return std::tie(y.votes, x.b, x.a) < std::tie(x.votes, y.b, y.a);
    });
    for (const Candidate &candidate : candidates)
      if (isFree(candidate.a, candidate.b))
        pair(candidate.a, candidate.b);
  }

  /// Matches the remaining threadblocks of a rank by their peers.
  void matchPeers() {
    auto colours = [](const IndexedPlan &p) {
      Colours all;
      for (const Threadblock &tb : p.plan.threadblocks())
        all.push_back(peerColour(p.plan, tb));
      return all;
    };
    matchTies({colours(before), colours(after)}, /*equalNumbers=*/false);
  }

  void voteForChannels() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> votes;
    for (uint32_t a = 0; a < result.newOf.size(); ++a)
      if (auto b = result.newOf[a]; b && before.usesConnections(a) && after.usesConnections(*b))
        ++votes[{before.plan.threadblocks()[a].channel.index(),
                 after.plan.threadblocks()[*b].channel.index()}];
    std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> byVotes;
    for (const auto &[channel, count] : votes)
      byVotes.push_back({count, channel});
    // Sort by the number of votes; ties prefer channels that keep their number.
    llvm::sort(byVotes, [](const auto &x, const auto &y) {
      bool keepsX = x.second.first == x.second.second, keepsY = y.second.first == y.second.second;
      return std::tie(y.first, keepsY, x.second) < std::tie(x.first, keepsX, y.second);
    });
    std::vector<bool> taken(after.plan.channels());
    result.newChannel.assign(before.plan.channels(), std::nullopt);
    for (const auto &[count, channel] : byVotes)
      if (!result.newChannel[channel.first] && !taken[channel.second]) {
        result.newChannel[channel.first] = channel.second;
        taken[channel.second] = true;
      }
  }

  const IndexedPlan &before, &after;
  Matching result;
  std::vector<Both> rounds;
  Both own;                                      ///< rounds[0]
  std::vector<std::optional<uint32_t>> channels; ///< used while ties are broken
  std::vector<uint32_t> toFollow;                ///< old threadblocks whose matches are to be
                                                 ///< followed
};
} // namespace

Matching diff::matchThreadblocks(const IndexedPlan &before, const IndexedPlan &after) {
  return Matcher(before, after).match();
}
