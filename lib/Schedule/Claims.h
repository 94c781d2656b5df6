//===- Claims.h - Ownership of the sides of connections ---------*- C++ -*-===//
//
// The state of the channel assignment: the open connections of each channel, the claims that own
// their sides, and the instances that each channel is reserved for. A claim is a threadblock before
// connections have numbers. Changes since the last commit can be undone.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_CLAIMS_H
#define CCL_LIB_SCHEDULE_CLAIMS_H

#include "Assignment.h"
#include "Transfers.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace cclc::schedule {

enum class Side : uint8_t { Send, Recv };

/// The peers of a threadblock as pairs of ranks, with the transfer that required each.
struct Claim {
  RankId rank;
  std::optional<uint32_t> fixedId;
  OptionalIndex channel, sendPair, recvPair, sendBy, recvBy;

  OptionalIndex pair(Side side) const { return side == Side::Send ? sendPair : recvPair; }
  OptionalIndex by(Side side) const { return side == Side::Send ? sendBy : recvBy; }
};

class Claims {
public:
  Claims(const Transfers &transfers, const ChannelLimits &limits)
      : transfers(transfers), limits(limits) {}

  uint32_t numChannels() const { return channels.size(); }
  uint32_t size() const { return claims.size(); }
  const Claim &operator[](uint32_t claim) const { return claims[claim]; }

  uint32_t add(RankId rank, std::optional<uint32_t> fixedId);
  /// The claim with the id \p id that the user chose.
  uint32_t fixed(RankId rank, uint32_t id);
  /// The claim on \p side of the connection of \p pair on \p channel, or none.
  OptionalIndex owner(uint32_t number, uint32_t pair, Side side) {
    const Channel &on = channel(number);
    return side == Side::Send ? on.sender[pair] : on.receiver[pair];
  }

  /// Makes \p claim the sender (receiver) of transfer \p v on \p channel, if possible.
  bool take(uint32_t claim, uint32_t channel, uint32_t v, Side side);
  /// Adds transfer \p v to its connection on \p channel, if the limits allow.
  bool carry(uint32_t v, uint32_t channel);
  /// Whether the present claims permit one threadblock for both sides of a fused instruction.
  bool mayTie(uint32_t recvPair, uint32_t sendPair, uint32_t number) const {
    if (number >= channels.size() || channels[number].sender.empty())
      return true;
    const Channel &on = channels[number];
    OptionalIndex in = on.receiver[recvPair], out = on.sender[sendPair];
    if (in && out)
      return in == out;
    return (!in || !claims[*in].sendPair) && (!out || !claims[*out].recvPair);
  }
  /// Assigns one threadblock to both sides of a fused instruction, which receives transfer \p v and
  /// sends \p next.
  bool tie(uint32_t v, uint32_t next, uint32_t channel);
  /// The steps that receive on the connection of \p v; counted only under a limit.
  uint32_t load(uint32_t v, uint32_t channel);

  void commit() { undo.clear(); }
  size_t mark() const { return undo.size(); }
  void rollBack(size_t mark = 0);

  /// Reserves a channel for the first instances that use it, unless the user chose otherwise.
  void reserve(uint32_t channel, uint32_t instance);
  /// Calls fn(channel) for the channels that \p instance may use, until it returns true: its own,
  /// those that are free and may be opened, a new one.
  template <class Fn> void forChannels(uint32_t instance, Fn fn) const {
    bool any = false;
    for (uint32_t number = 0, size = numChannels(); number <= size; ++number) {
      bool isNew = number == size;
      if (isNew ? any && size >= limits.channels : !mayUse(number, instance))
        continue;
      any = true;
      if (fn(number))
        return;
    }
  }
  bool isFor(uint32_t channel, uint32_t instance) const {
    OptionalIndex group = channels[channel].instances;
    return !group || group == groupOf(instance);
  }
  uint32_t groupOf(uint32_t instance) const { return instance / limits.instancesTogether; }

private:
  bool mayUse(uint32_t number, uint32_t instance) const {
    return isFor(number, instance) && (channels[number].instances || number < limits.channels);
  }

  /// One channel: the claim on each side of every pair of ranks, the pairs with a connection, and
  /// the number of connections that leave and enter each rank.
  struct Channel {
    std::vector<OptionalIndex> sender, receiver;
    std::vector<uint32_t> isOpen, leaving, entering;
    std::vector<uint32_t> carried; ///< by pair: steps that receive its transfers
    OptionalIndex instances;       ///< the group of instances that it is reserved for
  };
  /// Either an assignment of an index or an increment of a count.
  struct Undo {
    OptionalIndex *place;
    OptionalIndex old;
    uint32_t *count;
    uint32_t by;
  };

  Channel &channel(uint32_t number) {
    if (number >= channels.size() || channels[number].sender.empty())
      open(number);
    return channels[number];
  }
  void open(uint32_t number);
  void assign(OptionalIndex &place, uint32_t value);
  void increment(uint32_t &count, uint32_t by = 1);

  const Transfers &transfers;
  const ChannelLimits &limits;
  std::vector<Channel> channels;
  std::deque<Claim> claims; ///< a deque, because the undo log points into it
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> fixedClaims; ///< by rank and number
  std::vector<Undo> undo;
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_CLAIMS_H
