//===- Channels.cpp - Assigning channels to transfers ---------------------===//
//
// A threadblock has one send peer, one receive peer and one channel, and a connection has one
// threadblock on each side. A fused instruction that receives from q and sends to p therefore ties
// the connection from q to the connection to p, on one channel: at each rank and channel the tied
// peers form a partial matching. Chains of fused instructions take the first channel on which all
// their ties fit, or one without another chain at the same time. A chain that fits on no channel,
// because it visits a rank twice with different neighbours or because all channels are taken, is
// cut, and its parts go to separate channels. Chains are placed greedily, in the order of their
// first transfers. If the steps of a threadblock are limited, so are the transfers of a connection,
// and later transfers use another channel, in other threadblocks. Every chain remains on one
// channel, and steps are ordered afterwards, so this introduces no deadlock.
//
// The user's choices are placed first (FixedChannels.h).
//
//===----------------------------------------------------------------------===//

#include "ChainShapes.h"
#include "FixedChannels.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::schedule;

namespace {
/// A chain, or in lockstep the chains that are equal on all ranks, which have one channel.
using Chains = ArrayRef<ArrayRef<uint32_t>>;

class ChannelAssigner {
public:
  ChannelAssigner(const ProgramGraph &graph, const ChannelLimits &limits, Sharing sharing)
      : transfers(graph.transfers), claims(transfers, limits), shapes(transfers), sharing(sharing),
        limits(limits), channelOf(transfers.numInstrs()), sendFor(transfers.numPairs()),
        recvFor(transfers.numPairs()) {
    result.connectionOf.resize(transfers.numInstrs());
    result.splitSend.resize(transfers.numInstrs());
    if (sharing == Sharing::WhileIdle)
      numberMeetings(graph);
  }

  FailureOr<Assignment> run(DiagnosticEngine &diags) {
    if (failed(placeFixed(transfers, limits.keepFixed, claims, channelOf, diags)))
      return failure();
    placeChains();
    makeConnections();
    return std::move(result);
  }

private:
  // --- Chains of fused instructions ----------------------------------------------

  uint32_t nextOf(uint32_t v) const { return (*transfers.instr(v).to).index(); }

  /// Whether the two sides of instruction \p u have one threadblock.
  bool isFusedAt(uint32_t u) const {
    return traits(transfers.instr(u).op).isFused() && !result.splitSend[u];
  }

  /// Splits the instructions that cannot be in a chain.
  void findSplits() {
    for (uint32_t u = 0; u < transfers.numInstrs(); ++u) {
      if (!traits(transfers.instr(u).op).isFused())
        continue;
      uint32_t next = nextOf(u);
      // The user chose two channels in one chain, or two threadblocks in one instruction.
      bool channelsDiffer = channelOf[u] && channelOf[next] && channelOf[u] != channelOf[next];
      std::optional<uint32_t> in = transfers.fixedRecvTb(u), out = transfers.fixedSendTb(next);
      result.splitSend[u] = !limits.tied || channelsDiffer || (in && out && *in != *out);
    }
  }

  void placeChains() {
    findSplits();
    // A chain is numbered by its first transfer, so that they are in program order.
    std::vector<uint32_t> inChains, begin = {0};
    inChains.reserve(transfers.numInstrs());
    for (uint32_t v = 0; v < transfers.numInstrs(); ++v) {
      if (!transfers.isTransfer(v) || isFusedAt(transfers.senderOf(v)))
        continue;
      uint32_t last = v;
      for (inChains.push_back(v); isFusedAt(last); inChains.push_back(last))
        last = nextOf(last);
      begin.push_back(inChains.size());
    }
    std::vector<ArrayRef<uint32_t>> rows;
    for (size_t c = 0; c + 1 < begin.size(); ++c)
      rows.push_back(ArrayRef(inChains).slice(begin[c], begin[c + 1] - begin[c]));
    uint32_t mates = limits.inLockstep && areInLockstep(rows) ? transfers.ranks() : 1;
    for (size_t first = 0; first < rows.size(); first += mates)
      placeChain(MutableArrayRef(rows).slice(first, mates));
  }

  /// Whether each run of as many chains as there are ranks begins on all ranks.
  bool areInLockstep(Chains rows) const {
    uint32_t ranks = transfers.ranks();
    std::vector<bool> begins(rows.size());
    for (size_t c = 0; c < rows.size(); ++c) {
      size_t run = c - c % ranks, place = run + transfers.instr(rows[c].front()).rank.index();
      if (place >= rows.size() || begins[place] || rows[c].size() != rows[run].size())
        return false;
      begins[place] = true;
    }
    return true;
  }

  /// Places chains, which are paths in ascending order, in the minimum number of parts: each part
  /// goes to the channel on which the longest prefix of the rest fits. The greedy choice is
  /// optimal, because a suffix of a part fits on every channel on which the part fits.
  void placeChain(MutableArrayRef<ArrayRef<uint32_t>> chains) {
    while (!chains.front().empty()) {
      uint32_t length = placePart(chains);
      for (ArrayRef<uint32_t> &chain : chains)
        chain = chain.drop_front(length);
    }
  }

  /// Places a prefix of \p chains; returns its length.
  uint32_t placePart(Chains chains) {
    ArrayRef<uint32_t> chain = chains.front(); // as are all others
    uint32_t instance = transfers.directive(chain.front()).instance;
    std::optional<uint32_t> fixed = fixedChannel(chain);
    bool isRepeated = chain.size() > 1 && !fixed && !limits.perConnection;
    ChainShape *shape = isRepeated ? &shapes.of(chain, claims.groupOf(instance)) : nullptr;
    uint32_t consistent = shape ? shape->consistent : 0;
    if (consistent == 0)
      consistent = consistentPrefix(chains);
    if (shape)
      shape->consistent = consistent;
    ArrayRef<uint32_t> part = chain.take_front(consistent);
    if (part.size() == 1)
      shape = nullptr;
    uint32_t most = shape && shape->channel ? shape->placed : part.size();
    uint32_t length = most, channel = 0;
    if (shape && shape->channel && sharing == Sharing::Always)
      channel = *shape->channel;
    else if (chains.size() == 1 && part.size() == 1 && !limits.perChannel && !limits.perConnection)
      channel = carryAlone(part, fixed);
    else
      std::tie(channel, length) = tieLongest(chains, most, fixed, shape);
    claims.reserve(channel, instance);
    for (ArrayRef<uint32_t> each : chains) {
      if (length < each.size())
        result.splitSend[each[length - 1]] = true;
      ArrayRef<uint32_t> placed = each.take_front(length);
      for (uint32_t v : placed)
        if (!channelOf[v])
          channelOf[v] = channel;
      if (sharing == Sharing::WhileIdle)
        addMeetings(placed, channel);
    }
    return length;
  }

  /// Adds a transfer without a tie, which fits on every channel, to the first one with the fewest
  /// meetings.
  uint32_t carryAlone(ArrayRef<uint32_t> part, std::optional<uint32_t> fixed) {
    uint32_t best = fixed.value_or(0), fewest = ~uint32_t(0);
    auto tryChannel = [&](uint32_t channel) {
      if (uint32_t meetings = countMeetings(part, channel, fewest); meetings < fewest) {
        fewest = meetings;
        best = channel;
      }
      return fewest == 0;
    };
    if (!fixed)
      claims.forChannels(transfers.directive(part.front()).instance, tryChannel);
    claims.carry(part.front(), best);
    claims.commit();
    return best;
  }

  /// The length of the longest prefix that fits on an empty channel: it has one receive peer for
  /// each send peer of a rank, and one send peer for each receive peer.
  uint32_t consistentPrefix(Chains chains) {
    uint32_t length = 1;
    auto isConsistent = [&](ArrayRef<uint32_t> chain) {
      uint32_t in = transfers.pairOf(chain[length - 1]), out = transfers.pairOf(chain[length]);
      if (sendFor[in].value_or(out) != out || recvFor[out].value_or(in) != in)
        return false;
      sendFor[in] = out;
      recvFor[out] = in;
      return true;
    };
    while (length < chains.front().size() && llvm::all_of(chains, isConsistent))
      ++length;
    for (ArrayRef<uint32_t> chain : chains)
      for (uint32_t v : chain.take_front(length + 1))
        sendFor[transfers.pairOf(v)] = recvFor[transfers.pairOf(v)] = {};
    return length;
  }

  /// Ties the longest prefix, of at most \p most transfers, that fits on a channel, of equal ones
  /// that with the fewest meetings. Returns the channel and the length.
  std::pair<uint32_t, uint32_t> tieLongest(Chains chains, uint32_t most,
                                           std::optional<uint32_t> fixed, ChainShape *shape) {
    ArrayRef<uint32_t> chain = chains.front().take_front(most);
    uint32_t instance = transfers.directive(chain.front()).instance;
    // Calls fn for the channels to choose from.
    auto forChannels = [&](auto fn) {
      if (fixed)
        fn(*fixed);
      else
        claims.forChannels(instance, fn);
    };
    OptionalIndex best;
    bool isTied = false;
    uint32_t longest = 0, fewest = 0;
    auto tryChannel = [&](uint32_t channel, uint32_t least) {
      if (shape && !shape->mayFit(channel, shape->placed))
        return false;
      // After a channel for the whole chain, only fewer meetings are better.
      if (longest == chain.size() && countMeetings(chain, channel, fewest) == fewest)
        return false;
      uint32_t length = most;
      if (!shape || !shape->isTied(channel, most)) {
        uint32_t wanted = std::max(least, longest + (fewest == 0));
        length = countFree(chains, wanted, channel);
        bool isFree = length == wanted;
        if (isFree)
          length = tieChain(chains, most, channel);
        if (shape)
          shape->limit(channel, length);
        if (!isFree)
          return false;
      }
      uint32_t meetings =
          length < longest ? 0 : countMeetings(chain.take_front(length), channel, ~uint32_t(0));
      if (length > longest || (best && length == longest && meetings < fewest)) {
        longest = length;
        fewest = meetings;
        best = channel;
        isTied = length == chain.size() && meetings == 0;
        if (isTied)
          return true;
      }
      claims.rollBack();
      return false;
    };
    // Most chains fit as a whole, and whether other claims forbid that is found by reading them.
    forChannels([&](uint32_t channel) { return tryChannel(channel, chain.size()); });
    if (longest < chain.size()) {
      best = {};
      longest = fewest = 0;
      forChannels([&](uint32_t channel) { return tryChannel(channel, 1); });
    }
    if (!best) { // every channel is full: exceed the limit, which the legality check reports
      forChannels([&](uint32_t channel) {
        if (!best || claims.load(chain.front(), channel) < claims.load(chain.front(), *best))
          best = channel;
        return false;
      });
      longest = tieChain(chains, most, *best, /*force=*/true);
    } else {
      if (!isTied)
        tieChain(chains, most, *best);
      if (shape) {
        shape->placed = longest;
        shape->channel = best;
        shape->tie(*best, longest);
      }
    }
    claims.commit();
    return {*best, longest};
  }

  uint64_t placeOf(uint32_t v, uint32_t channel) const {
    return uint64_t(channel) << 32 | transfers.pairOf(v);
  }

  // --- Meetings of transfers between the same ranks at the same depth ---------------

  void numberMeetings(const ProgramGraph &graph) {
    meetingOf.resize(transfers.numInstrs());
    std::vector<OptionalIndex> lastOf(transfers.numPairs()); ///< the last transfer of the pair
    for (uint32_t v : graph.sorted) {
      if (!transfers.isTransfer(v))
        continue;
      OptionalIndex &last = lastOf[transfers.pairOf(v)];
      bool meets = last && graph.depth[*last] == graph.depth[v];
      meetingOf[v] = meets ? *meetingOf[*last] : numMeetings++;
      last = v;
    }
  }

  void addMeetings(ArrayRef<uint32_t> chain, uint32_t channel) {
    if (channel >= met.size())
      met.resize(channel + 1);
    if (met[channel].empty())
      met[channel].resize(numMeetings);
    for (uint32_t v : chain)
      ++met[channel][*meetingOf[v]];
  }

  /// The number of transfers of \p chain that would share a connection of \p channel with another
  /// transfer at the same depth, up to \p limit.
  uint32_t countMeetings(ArrayRef<uint32_t> chain, uint32_t channel, uint32_t limit) const {
    if (channel >= met.size() || met[channel].empty())
      return 0;
    uint32_t count = 0;
    for (uint32_t v : chain) {
      if (count >= limit)
        break;
      count += met[channel][*meetingOf[v]];
    }
    return std::min(count, limit);
  }

  /// The channel of the first transfer that has a fixed one, if the chain need not be cut before
  /// it.
  std::optional<uint32_t> fixedChannel(ArrayRef<uint32_t> chain) const {
    for (uint32_t v : chain)
      if (channelOf[v])
        return *channelOf[v];
    return std::nullopt;
  }

  /// The number of transfers, up to \p most, that no other claim on \p channel forbids to tie.
  uint32_t countFree(Chains chains, uint32_t most, uint32_t channel) const {
    for (ArrayRef<uint32_t> chain : chains)
      for (uint32_t i = 0; i + 1 < most; ++i)
        if (!claims.mayTie(transfers.pairOf(chain[i]), transfers.pairOf(chain[i + 1]), channel))
          most = i + 1;
    return most;
  }

  /// Ties the two sides of the fused instructions of the chains on \p channel, up to the first that
  /// does not fit or that exceeds a limit, unless \p force is set, or to \p most transfers. Returns
  /// the number of transfers.
  uint32_t tieChain(Chains chains, uint32_t most, uint32_t channel, bool force = false) {
    for (uint32_t i = 0; i < most; ++i) {
      size_t before = claims.mark();
      auto carry = [&](ArrayRef<uint32_t> chain) {
        return claims.carry(chain[i], channel) || (force && i == 0);
      };
      if (!llvm::all_of(chains, carry)) {
        claims.rollBack(before);
        return i;
      }
      if (i + 1 == most)
        break;
      before = claims.mark();
      auto tie = [&](ArrayRef<uint32_t> chain) {
        OptionalIndex fixed = channelOf[chain[i + 1]];
        return fixed.value_or(channel) == channel &&
               claims.tie(chain[i], nextOf(chain[i]), channel);
      };
      if (!llvm::all_of(chains, tie)) {
        claims.rollBack(before);
        return i + 1;
      }
    }
    return most;
  }

  // --- Result ------------------------------------------------------------------------

  void makeConnections() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    std::vector<OptionalIndex> lastOf(transfers.numPairs()); // connection
    std::vector<OptionalId<ThreadblockId>> threadblockOf(claims.size());
    auto threadblock = [&](OptionalIndex claim) -> OptionalId<ThreadblockId> {
      if (!claim)
        return {};
      if (!threadblockOf[*claim]) {
        threadblockOf[*claim] = ThreadblockId(result.threadblocks.size());
        const Claim &c = claims[*claim];
        result.threadblocks.push_back({c.rank, ChannelId(*c.channel), {}, {}, c.fixedId});
      }
      return threadblockOf[*claim];
    };
    for (uint32_t v = 0; v < transfers.numInstrs(); ++v) {
      if (!transfers.isTransfer(v))
        continue;
      uint32_t channel = *channelOf[v], pair = transfers.pairOf(v);
      OptionalIndex &last = lastOf[pair];
      bool isNew = false;
      if (!last || result.connections[*last].channel.index() != channel) {
        auto found = index.try_emplace(placeOf(v, channel), result.connections.size());
        isNew = found.second;
        last = found.first->second;
      }
      ConnectionId id(*last);
      if (isNew) {
        auto [src, dst] = transfers.pair(pair);
        OptionalId<ThreadblockId> sender = threadblock(claims.owner(channel, pair, Side::Send));
        OptionalId<ThreadblockId> receiver = threadblock(claims.owner(channel, pair, Side::Recv));
        if (sender)
          result.threadblocks[(*sender).index()].send = id;
        if (receiver)
          result.threadblocks[(*receiver).index()].recv = id;
        result.connections.push_back({src, dst, ChannelId(channel), 0, 0, sender, receiver});
      }
      ++result.connections[id.index()].transfers;
      result.connections[id.index()].receiveSteps +=
          receiveStepsOf(transfers.instr(v), limits.splitsFused);
      result.connectionOf[v] = id;
    }
  }

  const Transfers &transfers;
  Claims claims;
  ChainShapes shapes;
  Sharing sharing;
  const ChannelLimits &limits;
  Assignment result;

  std::vector<OptionalIndex> channelOf; ///< by transfer
  /// By pair, while a chain is read: the other pair of its fused instruction.
  std::vector<OptionalIndex> sendFor, recvFor;
  std::vector<OptionalIndex> meetingOf; ///< by transfer: the number of its pair and depth
  uint32_t numMeetings = 0;
  /// By channel and number of pair and depth: the transfers; empty for an unused channel.
  std::vector<std::vector<uint32_t>> met;
};
} // namespace

FailureOr<Assignment> schedule::assignChannels(const ProgramGraph &graph,
                                               const ChannelLimits &limits, Sharing sharing,
                                               DiagnosticEngine &diags) {
  return ChannelAssigner(graph, limits, sharing).run(diags);
}
