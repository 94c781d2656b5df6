//===- Channels.cpp - A channel for every transfer ------------------------===//
//
// A threadblock has one send peer, one receive peer and one channel, and a
// connection has one threadblock on each side. A fused instruction that receives
// from q and sends to p therefore ties the connection from q to the connection
// to p, on one channel: at each rank and channel the tied peers form a partial
// matching. Chains of fused instructions take the first channel on which all their
// ties fit, or one on which they meet no other chain. A chain that fits nowhere,
// because it visits a rank twice with different neighbours or because all channels
// are taken, is cut, and its parts go to channels of their own.
//
// What the user fixed comes first and is not negotiable: transfers that share a
// threadblock number share its channel.
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/FormatVariadic.h"

#include <deque>
#include <map>

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

namespace {

constexpr uint32_t none = ~uint32_t(0);

/// Rows of ids by a dense key, each row ascending.
class Groups {
public:
  template <class Key> Groups(uint32_t numItems, uint32_t numKeys, Key key) : start(numKeys + 1) {
    auto forItems = [&](auto fn) {
      for (uint32_t item = 0; item < numItems; ++item)
        if (uint32_t k = key(item); k != none)
          fn(item, k);
    };
    forItems([&](uint32_t, uint32_t k) { ++start[k + 1]; });
    for (uint32_t k = 0; k < numKeys; ++k)
      start[k + 1] += start[k];
    items.resize(start[numKeys]);
    std::vector<uint32_t> at(start.begin(), start.end() - 1);
    forItems([&](uint32_t item, uint32_t k) { items[at[k]++] = item; });
  }
  uint32_t size() const { return start.size() - 1; }
  ArrayRef<uint32_t> operator[](uint32_t key) const {
    return ArrayRef(items).slice(start[key], start[key + 1] - start[key]);
  }

private:
  std::vector<uint32_t> start, items;
};

class ChannelAssigner {
public:
  ChannelAssigner(const InstrProgram &program, ChannelLimits limits, Sharing sharing,
                  DiagnosticEngine &diags)
      : program(program), limits(limits), sharing(sharing), diags(diags),
        pairOf(program.size(), none), channelOf(program.size(), none) {
    if (sharing == Sharing::WhileIdle)
      depth = program.depths();
    result.connectionOf.resize(program.size());
    result.splitSend.resize(program.size());
  }

  FailureOr<Assignment> run() {
    numberPairs();
    if (failed(placeFixed()))
      return failure();
    placeChains();
    makeConnections();
    return std::move(result);
  }

private:
  // --- The program, seen as transfers ------------------------------------------

  const Instr &instr(uint32_t id) const { return program.instrs()[id]; }
  uint32_t senderOf(uint32_t transfer) const { return (*instr(transfer).from).index(); }
  const Directive &directive(uint32_t transfer) const {
    return program.info().directives[instr(transfer).directive];
  }
  std::optional<uint32_t> fixedSendTb(uint32_t transfer) const {
    return program.info().directives[instr(senderOf(transfer)).sendDirective].sendTb;
  }
  std::optional<uint32_t> fixedRecvTb(uint32_t transfer) const {
    return directive(transfer).recvTb;
  }
  bool isFused(uint32_t id) const {
    return traits(instr(id).op).isFused() && !result.splitSend[id];
  }

  /// Ordered rank pairs, numbered as they first occur.
  void numberPairs() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    for (uint32_t v = 0; v < program.size(); ++v) {
      if (!instr(v).from)
        continue;
      RankId src = instr(senderOf(v)).rank, dst = instr(v).rank;
      auto [it, inserted] =
          index.try_emplace(uint64_t(src.index()) << 32 | dst.index(), pairs.size());
      if (inserted)
        pairs.emplace_back(src, dst);
      pairOf[v] = it->second;
    }
  }

  // --- Who owns which side of a connection, with undo -----------------------------

  /// The worker on one side of every pair, on one channel; which of the pairs have a
  /// connection on it, and how many leave and enter each rank.
  struct Owners {
    std::vector<uint32_t> sender, receiver;
    std::vector<uint32_t> isOpen, leaving, entering;
  };
  /// A worker before connections have numbers: its peers as pairs, with the
  /// transfer that asked for each.
  struct Claim {
    RankId rank;
    std::optional<uint32_t> fixedId;
    uint32_t channel = none;
    uint32_t sendPair = none, recvPair = none;
    uint32_t sendBy = none, recvBy = none;
  };
  struct Undo {
    uint32_t *place;
    uint32_t old;
  };

  void assign(uint32_t &place, uint32_t value) {
    if (place == value)
      return;
    undo.push_back({&place, place});
    place = value;
  }

  void rollBack() {
    for (; !undo.empty(); undo.pop_back())
      *undo.back().place = undo.back().old;
  }

  Owners &owners(uint32_t channel) {
    if (channel >= channels.size()) {
      channels.resize(channel + 1);
      instanceOf.resize(channel + 1, none);
    }
    if (channels[channel].sender.empty()) {
      channels[channel].sender.assign(pairs.size(), none);
      channels[channel].receiver.assign(pairs.size(), none);
      channels[channel].isOpen.assign(pairs.size(), 0);
      channels[channel].leaving.assign(program.info().ranks(), 0);
      channels[channel].entering.assign(program.info().ranks(), 0);
    }
    return channels[channel];
  }

  uint32_t newClaim(RankId rank, std::optional<uint32_t> fixedId) {
    claims.push_back({rank, fixedId, none, none, none, none, none});
    return claims.size() - 1;
  }

  uint32_t fixedClaim(RankId rank, uint32_t id) {
    auto [it, inserted] = fixedClaims.try_emplace({rank, id}, 0);
    if (inserted)
      it->second = newClaim(rank, id);
    return it->second;
  }

  /// Makes \p claim the sender (receiver) of transfer \p v on \p channel.
  bool claimSend(uint32_t claim, uint32_t channel, uint32_t v) {
    uint32_t &owner = owners(channel).sender[pairOf[v]];
    Claim &c = claims[claim];
    if ((owner != none && owner != claim) || (c.sendPair != none && c.sendPair != pairOf[v]) ||
        (c.channel != none && c.channel != channel))
      return false;
    assign(owner, claim);
    assign(c.channel, channel);
    if (c.sendPair == none)
      assign(c.sendBy, v);
    assign(c.sendPair, pairOf[v]);
    return true;
  }
  bool claimRecv(uint32_t claim, uint32_t channel, uint32_t v) {
    uint32_t &owner = owners(channel).receiver[pairOf[v]];
    Claim &c = claims[claim];
    if ((owner != none && owner != claim) || (c.recvPair != none && c.recvPair != pairOf[v]) ||
        (c.channel != none && c.channel != channel))
      return false;
    assign(owner, claim);
    assign(c.channel, channel);
    if (c.recvPair == none)
      assign(c.recvBy, v);
    assign(c.recvPair, pairOf[v]);
    return true;
  }

  // --- What the user fixed ---------------------------------------------------------

  bool hasFixedTb(uint32_t v) const { return fixedSendTb(v) || fixedRecvTb(v); }

  /// Transfers joined through threadblock numbers get one channel; the numbered
  /// threadblocks get their peers.
  LogicalResult placeFixed() {
    bool any = false;
    for (uint32_t v = 0; v < program.size(); ++v)
      if (instr(v).from) {
        if (std::optional<uint32_t> channel = directive(v).channel) {
          channelOf[v] = *channel;
          reserve(*channel, directive(v).instance);
        }
        any |= hasFixedTb(v);
      }
    if (!any)
      return success();

    llvm::IntEqClasses classes(program.size());
    std::map<std::pair<RankId, uint32_t>, uint32_t> firstOf;
    for (uint32_t v = 0; v < program.size(); ++v) {
      if (!instr(v).from)
        continue;
      auto joinAt = [&](RankId rank, std::optional<uint32_t> id) {
        if (id)
          classes.join(v, firstOf.try_emplace({rank, *id}, v).first->second);
      };
      joinAt(instr(senderOf(v)).rank, fixedSendTb(v));
      joinAt(instr(v).rank, fixedRecvTb(v));
    }
    classes.compress();
    Groups groups(program.size(), classes.getNumClasses(),
                  [&](uint32_t v) { return instr(v).from && hasFixedTb(v) ? classes[v] : none; });
    for (uint32_t g = 0; g < groups.size(); ++g)
      if (!groups[g].empty() && failed(placeFixedGroup(groups[g])))
        return failure();
    return success();
  }

  LogicalResult placeFixedGroup(ArrayRef<uint32_t> group) {
    uint32_t instance = directive(group.front()).instance;
    std::optional<uint32_t> fixed;
    for (uint32_t v : group)
      if (!fixed && channelOf[v] != none)
        fixed = channelOf[v];
    // Without a channel of their own the first one does on which all of it fits; a channel that
    // nobody else uses is as good as any can be.
    uint32_t last = fixed ? *fixed : channels.size();
    for (uint32_t channel = fixed.value_or(0); channel <= last; ++channel) {
      if (channel < last && !isFor(channel, instance))
        continue;
      std::optional<uint32_t> misfit = claimFixed(group, channel);
      if (!misfit) {
        undo.clear();
        reserve(channel, instance);
        for (uint32_t v : group)
          channelOf[v] = channel;
        return success();
      }
      if (channel == last) {
        explainMisfit(*misfit, channel);
        return failure();
      }
      rollBack();
    }
    llvm_unreachable("the last channel either fits or fails");
  }

  /// The first transfer whose threadblocks cannot be had on \p channel.
  std::optional<uint32_t> claimFixed(ArrayRef<uint32_t> group, uint32_t channel) {
    for (uint32_t v : group) {
      if (channelOf[v] != none && channelOf[v] != channel)
        return v;
      std::optional<uint32_t> sendTb = fixedSendTb(v), recvTb = fixedRecvTb(v);
      if (sendTb && !claimSend(fixedClaim(instr(senderOf(v)).rank, *sendTb), channel, v))
        return v;
      if (recvTb && !claimRecv(fixedClaim(instr(v).rank, *recvTb), channel, v))
        return v;
    }
    return std::nullopt;
  }

  void explainMisfit(uint32_t v, uint32_t channel) {
    Location loc = program.info().locate(instr(v).loc);
    auto explain = [&](uint32_t claim, bool sending) -> bool {
      const Claim &c = claims[claim];
      std::string tb = formatv("threadblock tb{0} on r{1}", *c.fixedId, c.rank.index());
      const char *verb = sending ? "sends to" : "receives from";
      auto peerOf = [&](uint32_t pair) {
        return sending ? pairs[pair].second.index() : pairs[pair].first.index();
      };
      uint32_t pair = sending ? c.sendPair : c.recvPair;
      uint32_t by = sending ? c.sendBy : c.recvBy;
      if (pair != none && pair != pairOf[v]) {
        diags
            .error(loc,
                   formatv("{0} already {1} r{2}, cannot also {3} r{4}", tb, verb, peerOf(pair),
                           sending ? "send to" : "receive from", peerOf(pairOf[v])))
            .note(program.info().locate(instr(by).loc), "it does so here");
        return true;
      }
      uint32_t owner =
          sending ? owners(channel).sender[pairOf[v]] : owners(channel).receiver[pairOf[v]];
      if (owner != none && owner != claim) {
        const Claim &other = claims[owner];
        diags
            .error(loc, formatv("{0} cannot {1} r{2} on channel {3}: threadblock tb{4} owns that "
                                "side of the connection",
                                tb, sending ? "send to" : "receive from", peerOf(pairOf[v]),
                                channel, *other.fixedId))
            .note(program.info().locate(instr(sending ? other.sendBy : other.recvBy).loc),
                  "it does so here");
        return true;
      }
      return false;
    };
    if (channelOf[v] != none && channelOf[v] != channel) {
      diags.error(loc, formatv("the operation is fixed to channel {0}, but its threadblock is on "
                               "channel {1}",
                               channelOf[v], channel));
      return;
    }
    std::optional<uint32_t> sendTb = fixedSendTb(v), recvTb = fixedRecvTb(v);
    if (sendTb && explain(fixedClaim(instr(senderOf(v)).rank, *sendTb), /*sending=*/true))
      return;
    if (recvTb && explain(fixedClaim(instr(v).rank, *recvTb), /*sending=*/false))
      return;
    diags.error(loc, "the threadblocks of this operation contradict each other");
  }

  // --- Chains of fused instructions ----------------------------------------------

  void placeChains() {
    llvm::IntEqClasses classes(program.size());
    for (uint32_t u = 0; u < program.size(); ++u) {
      if (!isFused(u))
        continue;
      uint32_t next = (*instr(u).to).index();
      // Two channels in one chain, or two threadblocks in one instruction.
      bool channelsDiffer =
          channelOf[u] != none && channelOf[next] != none && channelOf[u] != channelOf[next];
      std::optional<uint32_t> in = fixedRecvTb(u), out = fixedSendTb(next);
      if (channelsDiffer || (in && out && *in != *out))
        result.splitSend[u] = true;
      else
        classes.join(u, next);
    }
    classes.compress();
    Groups chains(program.size(), classes.getNumClasses(),
                  [&](uint32_t v) { return instr(v).from ? classes[v] : none; });
    // Numbered by their first transfer, so in the order of the program.
    for (uint32_t c = 0; c < chains.size(); ++c)
      if (!chains[c].empty())
        placeChain(chains[c]);
  }

  /// A chain is a path, in ascending order. It is cut into as few parts as can be: each
  /// part goes to the channel on which most of what is left fits, and ends where it does
  /// not. A part of a part fits wherever the part does, so going as far as possible is
  /// also best for what comes after.
  void placeChain(ArrayRef<uint32_t> chain) {
    while (!chain.empty())
      chain = chain.drop_front(placePart(chain));
  }

  /// Places the first transfers of \p chain; returns how many.
  uint32_t placePart(ArrayRef<uint32_t> chain) {
    uint32_t instance = directive(chain.front()).instance;
    SmallVector<uint32_t, 32> candidates;
    if (std::optional<uint32_t> fixed = fixedChannel(chain))
      candidates = {*fixed};
    else
      listChannels(instance, candidates);
    uint32_t best = none, longest = 0, fewest = none;
    for (uint32_t channel : candidates) {
      uint32_t length = tieChain(chain, channel);
      rollBack();
      if (length < std::max(longest, 1u))
        continue;
      uint32_t meetings = countMeetings(chain.take_front(length), channel);
      if (length == longest && meetings >= fewest)
        continue;
      longest = length;
      fewest = meetings;
      best = channel;
      if (length == chain.size() && meetings == 0)
        break;
    }
    if (best == none) { // no channel has room: then it is not for the scheduler to keep the limit
      best = candidates.front();
      longest = tieChain(chain, best, /*force=*/true);
    } else {
      tieChain(chain, best);
    }
    undo.clear();
    if (longest < chain.size())
      result.splitSend[chain[longest - 1]] = true;
    reserve(best, instance);
    for (uint32_t v : chain.take_front(longest)) {
      if (channelOf[v] == none)
        channelOf[v] = best;
      if (sharing == Sharing::WhileIdle)
        ++busy[{placeOf(v, best), depth[v]}];
    }
    return longest;
  }

  uint64_t placeOf(uint32_t v, uint32_t channel) const {
    return uint64_t(channel) << 32 | pairOf[v];
  }

  /// How often transfers of \p chain would take place on a connection of \p channel while
  /// another one does.
  uint32_t countMeetings(ArrayRef<uint32_t> chain, uint32_t channel) const {
    uint32_t count = 0;
    if (sharing == Sharing::WhileIdle)
      for (uint32_t v : chain)
        count += busy.lookup({placeOf(v, channel), depth[v]});
    return count;
  }

  /// The channel of the first transfer that has one, as long as nothing before it has to
  /// be cut off.
  std::optional<uint32_t> fixedChannel(ArrayRef<uint32_t> chain) const {
    for (uint32_t v : chain)
      if (channelOf[v] != none)
        return channelOf[v];
    return std::nullopt;
  }

  /// The first instance that is on a channel keeps it, unless the user says otherwise.
  void reserve(uint32_t channel, uint32_t instance) {
    owners(channel);
    if (instanceOf[channel] == none)
      instanceOf[channel] = instance;
  }
  bool isFor(uint32_t channel, uint32_t instance) const {
    return instanceOf[channel] == none || instanceOf[channel] == instance;
  }

  /// Channels that \p instance may use: its own, those of nobody that may be opened, a
  /// fresh one.
  void listChannels(uint32_t instance, SmallVectorImpl<uint32_t> &list) {
    for (uint32_t channel = 0; channel < channels.size(); ++channel)
      if (isFor(channel, instance) && (instanceOf[channel] != none || channel < limits.channels))
        list.push_back(channel);
    if (channels.size() < limits.channels || list.empty())
      list.push_back(channels.size());
  }

  /// Ties the two sides of the fused instructions of the chain on \p channel, up to the
  /// first that does not fit, or that finds no room unless it is to \p force its way. Returns
  /// how many transfers that makes.
  uint32_t tieChain(ArrayRef<uint32_t> chain, uint32_t channel, bool force = false) {
    for (uint32_t i = 0; i < chain.size(); ++i) {
      if (!open(chain[i], channel) && !(force && i == 0))
        return i;
      if (i + 1 == chain.size())
        break;
      uint32_t fixed = channelOf[chain[i + 1]];
      if ((fixed != none && fixed != channel) || !tie(chain[i], channel))
        return i + 1;
    }
    return chain.size();
  }

  /// Opens the connection of transfer \p v on \p channel, as far as the limit allows.
  bool open(uint32_t v, uint32_t channel) {
    Owners &on = owners(channel);
    uint32_t pair = pairOf[v];
    auto [src, dst] = pairs[pair];
    if (on.isOpen[pair])
      return true;
    if (limits.perChannel && (on.leaving[src.index()] >= *limits.perChannel ||
                              on.entering[dst.index()] >= *limits.perChannel))
      return false;
    assign(on.isOpen[pair], 1);
    assign(on.leaving[src.index()], on.leaving[src.index()] + 1);
    assign(on.entering[dst.index()], on.entering[dst.index()] + 1);
    return true;
  }

  bool tie(uint32_t u, uint32_t channel) {
    uint32_t next = (*instr(u).to).index();
    uint32_t in = owners(channel).receiver[pairOf[u]];
    uint32_t out = owners(channel).sender[pairOf[next]];
    if (in != none && out != none)
      return in == out;
    uint32_t claim = in != none ? in : out != none ? out : newClaim(instr(u).rank, std::nullopt);
    size_t before = undo.size();
    if (claimRecv(claim, channel, u) && claimSend(claim, channel, next))
      return true;
    for (; undo.size() > before; undo.pop_back())
      *undo.back().place = undo.back().old;
    return false;
  }

  // --- Result ------------------------------------------------------------------------

  void makeConnections() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    std::vector<OptionalId<ThreadblockId>> workerOf(claims.size());
    auto worker = [&](uint32_t claim) -> OptionalId<ThreadblockId> {
      if (claim == none)
        return {};
      if (!workerOf[claim]) {
        workerOf[claim] = ThreadblockId(result.workers.size());
        const Claim &c = claims[claim];
        result.workers.push_back({c.rank, ChannelId(c.channel), {}, {}, c.fixedId});
      }
      return workerOf[claim];
    };
    for (uint32_t v = 0; v < program.size(); ++v) {
      if (!instr(v).from)
        continue;
      uint32_t channel = channelOf[v];
      auto [it, inserted] =
          index.try_emplace(uint64_t(pairOf[v]) << 32 | channel, result.connections.size());
      if (inserted) {
        auto [src, dst] = pairs[pairOf[v]];
        Connection connection{src,
                              dst,
                              ChannelId(channel),
                              0,
                              worker(owners(channel).sender[pairOf[v]]),
                              worker(owners(channel).receiver[pairOf[v]])};
        ConnectionId id(it->second);
        if (connection.sender)
          result.workers[(*connection.sender).index()].send = id;
        if (connection.receiver)
          result.workers[(*connection.receiver).index()].recv = id;
        result.connections.push_back(connection);
      }
      ++result.connections[it->second].transfers;
      result.connectionOf[v] = ConnectionId(it->second);
    }
  }

  const InstrProgram &program;
  ChannelLimits limits;
  Sharing sharing;
  DiagnosticEngine &diags;
  Assignment result;

  std::vector<std::pair<RankId, RankId>> pairs;
  std::vector<uint32_t> pairOf;    ///< by transfer
  std::vector<uint32_t> channelOf; ///< by transfer
  std::vector<Owners> channels;
  std::vector<uint32_t> instanceOf; ///< by channel
  std::deque<Claim> claims;         ///< undo points into them
  std::map<std::pair<RankId, uint32_t>, uint32_t> fixedClaims;
  std::vector<Undo> undo;
  std::vector<uint32_t> depth; ///< of every instruction, for Sharing::WhileIdle
  /// By connection and depth: transfers.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> busy;
};
} // namespace

FailureOr<Assignment> schedule::assignChannels(const InstrProgram &program, ChannelLimits limits,
                                               Sharing sharing, DiagnosticEngine &diags) {
  return ChannelAssigner(program, limits, sharing, diags).run();
}
