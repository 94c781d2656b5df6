//===- FixedChannels.cpp - Channels and threadblocks fixed by the user ----===//
//
// They are placed before all others and never changed. A threadblock with a fixed id has one
// channel, so a group of transfers that share such threadblocks (union-find) goes to the channel
// that one of them is fixed to, else to the first on which the whole group fits.
//
//===----------------------------------------------------------------------===//

#include "FixedChannels.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

namespace {
class FixedPlacer {
public:
  FixedPlacer(const Transfers &transfers, Claims &claims, std::vector<OptionalIndex> &channelOf,
              DiagnosticEngine &diags)
      : transfers(transfers), claims(claims), channelOf(channelOf), diags(diags) {}

  LogicalResult run(bool keepChannels) {
    bool any = false;
    for (uint32_t v = 0; v < transfers.numInstrs(); ++v)
      if (transfers.isTransfer(v)) {
        const Directive &directive = transfers.directive(v);
        if (directive.channel && keepChannels) {
          channelOf[v] = *directive.channel;
          claims.reserve(*directive.channel, directive.instance);
        }
        any |= transfers.hasFixedTb(v);
      }
    return any ? placeGroups() : success();
  }

private:
  LogicalResult placeGroups() {
    uint32_t size = transfers.numInstrs();
    llvm::IntEqClasses classes(size);
    llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> firstOf;
    for (uint32_t v = 0; v < size; ++v) {
      if (!transfers.isTransfer(v))
        continue;
      auto joinAt = [&](RankId rank, std::optional<uint32_t> id) {
        if (id)
          classes.join(v, firstOf.try_emplace({rank.index(), *id}, v).first->second);
      };
      joinAt(senderRank(v), transfers.fixedSendTb(v));
      joinAt(receiverRank(v), transfers.fixedRecvTb(v));
    }
    classes.compress();
    Grouped groups(classes.getNumClasses(), [&](auto add) {
      for (uint32_t v = 0; v < size; ++v)
        if (transfers.isTransfer(v) && transfers.hasFixedTb(v))
          add(classes[v], v);
    });
    for (uint32_t g = 0; g < groups.size(); ++g)
      if (!groups[g].empty() && failed(placeGroup(groups[g])))
        return failure();
    return success();
  }

  LogicalResult placeGroup(ArrayRef<uint32_t> group) {
    uint32_t instance = transfers.directive(group.front()).instance;
    std::optional<uint32_t> fixed;
    for (uint32_t v : group)
      if (!fixed && channelOf[v])
        fixed = *channelOf[v];
    // Without a fixed channel, use the first channel on which the whole group fits. If it does not
    // fit on an unused channel, it fits on none.
    uint32_t last = fixed ? *fixed : claims.numChannels();
    for (uint32_t channel = fixed.value_or(0); channel <= last; ++channel) {
      if (channel < last && !claims.isFor(channel, instance))
        continue;
      std::optional<uint32_t> misfit = claim(group, channel);
      if (!misfit) {
        claims.commit();
        claims.reserve(channel, instance);
        for (uint32_t v : group)
          channelOf[v] = channel;
        return success();
      }
      if (channel == last) {
        explainMisfit(*misfit, channel);
        return failure();
      }
      claims.rollBack();
    }
    llvm_unreachable("the last channel either fits or fails");
  }

  /// The first transfer whose threadblocks cannot be assigned on \p channel.
  std::optional<uint32_t> claim(ArrayRef<uint32_t> group, uint32_t channel) {
    for (uint32_t v : group) {
      if (channelOf[v].value_or(channel) != channel)
        return v;
      std::optional<uint32_t> sendTb = transfers.fixedSendTb(v), recvTb = transfers.fixedRecvTb(v);
      if (sendTb && !claims.take(claims.fixed(senderRank(v), *sendTb), channel, v, Side::Send))
        return v;
      if (recvTb && !claims.take(claims.fixed(receiverRank(v), *recvTb), channel, v, Side::Recv))
        return v;
    }
    return std::nullopt;
  }

  void explainMisfit(uint32_t v, uint32_t channel) {
    if (channelOf[v].value_or(channel) != channel) {
      diags.error(transfers.locate(v),
                  formatv("the operation is fixed to channel {0}, but its threadblock is on "
                          "channel {1}",
                          *channelOf[v], channel));
      return;
    }
    std::optional<uint32_t> sendTb = transfers.fixedSendTb(v), recvTb = transfers.fixedRecvTb(v);
    if (sendTb && explain(v, channel, claims.fixed(senderRank(v), *sendTb), Side::Send))
      return;
    if (recvTb && explain(v, channel, claims.fixed(receiverRank(v), *recvTb), Side::Recv))
      return;
    diags.error(transfers.locate(v), "the threadblocks of this operation contradict each other");
  }

  /// Reports why threadblock \p number cannot own its \p side of transfer \p v, if it cannot.
  bool explain(uint32_t v, uint32_t channel, uint32_t number, Side side) {
    const Claim &c = claims[number];
    bool sending = side == Side::Send;
    std::string tb = formatv("threadblock tb{0} on r{1}", *c.fixedId, c.rank.index());
    const char *verb = sending ? "send to" : "receive from";
    auto peerOf = [&](uint32_t pair) {
      auto [src, dst] = transfers.pair(pair);
      return (sending ? dst : src).index();
    };
    uint32_t peer = peerOf(transfers.pairOf(v));
    if (OptionalIndex other = c.pair(side); other && other != transfers.pairOf(v)) {
      diags
          .error(transfers.locate(v),
                 formatv("{0} already {1} r{2}, cannot also {3} r{4}", tb,
                         sending ? "sends to" : "receives from", peerOf(*other), verb, peer))
          .note(transfers.locate(*c.by(side)), "it does so here");
      return true;
    }
    OptionalIndex owner = claims.owner(channel, transfers.pairOf(v), side);
    if (owner.value_or(number) == number)
      return false;
    const Claim &other = claims[*owner];
    diags
        .error(transfers.locate(v), formatv("{0} cannot {1} r{2} on channel {3}: threadblock tb{4} "
                                            "owns that side of the connection",
                                            tb, verb, peer, channel, *other.fixedId))
        .note(transfers.locate(*other.by(side)), "it does so here");
    return true;
  }

  RankId senderRank(uint32_t v) const { return transfers.instr(transfers.senderOf(v)).rank; }
  RankId receiverRank(uint32_t v) const { return transfers.instr(v).rank; }

  const Transfers &transfers;
  Claims &claims;
  std::vector<OptionalIndex> &channelOf;
  DiagnosticEngine &diags;
};
} // namespace

LogicalResult schedule::placeFixed(const Transfers &transfers, bool keepChannels, Claims &claims,
                                   std::vector<OptionalIndex> &channelOf, DiagnosticEngine &diags) {
  return FixedPlacer(transfers, claims, channelOf, diags).run(keepChannels);
}
