//===- Claims.cpp - Tables of a channel, with an undo log -----------------===//
//
// Each channel has arrays by pair of ranks: owner of the sending side, owner of the receiving side,
// steps that receive its transfers. Every change passes through assign() or increment(), which log
// it; rollBack() undoes the changes in reverse order, as the trail of a backtracking search does.
// The cost of a failed attempt to place a chain is therefore linear in its changes.
//
//===----------------------------------------------------------------------===//

#include "Claims.h"

using namespace cclc;
using namespace cclc::schedule;

void Claims::assign(OptionalIndex &place, uint32_t value) {
  if (place == value)
    return;
  undo.push_back({&place, place, nullptr, 0});
  place = value;
}

void Claims::increment(uint32_t &count, uint32_t by) {
  undo.push_back({nullptr, {}, &count, by});
  count += by;
}

void Claims::rollBack(size_t mark) {
  for (; undo.size() > mark; undo.pop_back())
    if (const Undo &last = undo.back(); last.count)
      *last.count -= last.by;
    else
      *last.place = last.old;
}

void Claims::open(uint32_t number) {
  if (number >= channels.size())
    channels.resize(number + 1);
  Channel &on = channels[number];
  on.sender.resize(transfers.numPairs());
  on.receiver.resize(transfers.numPairs());
  on.isOpen.assign(transfers.numPairs(), 0);
  on.leaving.assign(transfers.ranks(), 0);
  on.entering.assign(transfers.ranks(), 0);
  if (limits.perConnection)
    on.carried.assign(transfers.numPairs(), 0);
}

uint32_t Claims::add(RankId rank, std::optional<uint32_t> fixedId) {
  claims.push_back({rank, fixedId, {}, {}, {}, {}, {}});
  return claims.size() - 1;
}

uint32_t Claims::fixed(RankId rank, uint32_t id) {
  auto [it, inserted] = fixedClaims.try_emplace({rank.index(), id}, 0);
  if (inserted)
    it->second = add(rank, id);
  return it->second;
}

bool Claims::take(uint32_t claim, uint32_t number, uint32_t v, Side side) {
  bool sends = side == Side::Send;
  uint32_t pair = transfers.pairOf(v);
  Channel &on = channel(number);
  OptionalIndex &owner = sends ? on.sender[pair] : on.receiver[pair];
  Claim &c = claims[claim];
  OptionalIndex &itsPair = sends ? c.sendPair : c.recvPair;
  if (owner.value_or(claim) != claim || itsPair.value_or(pair) != pair ||
      c.channel.value_or(number) != number)
    return false;
  assign(owner, claim);
  assign(c.channel, number);
  if (!itsPair)
    assign(sends ? c.sendBy : c.recvBy, v);
  assign(itsPair, pair);
  return true;
}

bool Claims::carry(uint32_t v, uint32_t number) {
  Channel &on = channel(number);
  uint32_t pair = transfers.pairOf(v);
  auto [src, dst] = transfers.pair(pair);
  uint32_t steps = receiveStepsOf(transfers.instr(v), limits.splitsFused) + limits.countSends;
  if (limits.perConnection && on.carried[pair] > 0 &&
      on.carried[pair] + steps > *limits.perConnection)
    return false;
  if (!on.isOpen[pair]) {
    uint32_t &leaving = on.leaving[src.index()], &entering = on.entering[dst.index()];
    if (limits.perChannel && (leaving >= *limits.perChannel || entering >= *limits.perChannel))
      return false;
    increment(on.isOpen[pair]);
    increment(leaving);
    increment(entering);
  }
  if (limits.perConnection)
    increment(on.carried[pair], steps);
  return true;
}

bool Claims::tie(uint32_t v, uint32_t next, uint32_t number) {
  OptionalIndex in = owner(number, transfers.pairOf(v), Side::Recv);
  OptionalIndex out = owner(number, transfers.pairOf(next), Side::Send);
  if (in && out)
    return in == out;
  uint32_t claim = in ? *in : out ? *out : add(transfers.instr(v).rank, std::nullopt);
  size_t before = undo.size();
  if (take(claim, number, v, Side::Recv) && take(claim, number, next, Side::Send))
    return true;
  rollBack(before);
  return false;
}

uint32_t Claims::load(uint32_t v, uint32_t number) {
  return limits.perConnection ? channel(number).carried[transfers.pairOf(v)] : 0;
}

void Claims::reserve(uint32_t number, uint32_t instance) {
  Channel &on = channel(number);
  if (!on.instances)
    on.instances = groupOf(instance);
}
