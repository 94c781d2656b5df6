//===- RankWork.cpp - The least work of each collective -------------------===//
//
// With R ranks and a buffer of M bytes, R - 1 messages bring an element from one rank to all
// others, or sum the elements of all ranks on one; an all-reduce does both. A scan takes one
// message to each rank but the first, and one reduction for each different sum. What a rank has to
// receive, load or store in any plan follows from the post-condition in place, because there a rank
// does not move its own part.
//
// A switch that multicasts brings an element to all others by one message of its sender, and one
// that adds brings the sum of an element to a rank by one message to it.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/RankWork.h"

#include <set>

using namespace cclc;

/// A custom collective: the chunks of other ranks that a rank needs.
static RankWork workOfCustom(const Collective &collective) {
  RankWork work;
  uint64_t buffer = collective.inputChunks() ? collective.inputChunks() : collective.outputChunks();
  uint64_t most = 0;
  for (uint32_t r = 0; r < collective.ranks() && collective.hasPostCondition(); ++r) {
    std::set<std::pair<uint32_t, uint32_t>> foreign;
    bool hasSums = false;
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      Expectation expected = collective.expected(RankId(r), c);
      if (expected.kind == Expectation::Kind::Chunk && expected.rank.index() != r)
        foreign.emplace(expected.rank.index(), expected.index);
      // Chunks may be derived from sums with others.
      hasSums |= expected.kind == Expectation::Kind::SumList;
    }
    if (!hasSums)
      most = std::max<uint64_t>(most, foreign.size());
  }
  work.received = {most, std::max<uint64_t>(buffer, 1)};
  return work;
}

static RankWork workWithoutSwitches(const Collective &collective) {
  uint64_t n = collective.ranks();
  const Share none = {0, 1}, all = {1, 1}, own = {1, n}, others = {n - 1, n};
  if (n == 1)
    return {};
  switch (collective.kind()) {
  case CollectiveKind::AllGather:
    return {others, own, others, none, own, others};
  case CollectiveKind::ReduceScatter:
    return {own, others, others, others, all, own};
  case CollectiveKind::AllReduce:
    return {all, all, {2 * (n - 1), n}, others, all, all};
  case CollectiveKind::Broadcast:
    return {all, all, others, none, all, all};
  case CollectiveKind::Reduce:
    return {all, all, others, others, all, all};
  case CollectiveKind::Gather:
    return {others, own, {n - 1, n * n}, none, own, others};
  case CollectiveKind::Scatter:
    return {own, others, {n - 1, n * n}, none, others, own};
  case CollectiveKind::AllToAll:
    return {others, others, others, none, others, others};
  case CollectiveKind::SendRecv:
    return {all, all, all, none, all, all};
  case CollectiveKind::AllToNext:
    return {all, all, others, none, all, all};
  case CollectiveKind::Scan:
    return {all, all, others, others, all, all};
  case CollectiveKind::Exscan:
    return {all, all, others, {n - 2, n}, all, all};
  case CollectiveKind::Custom:
    return workOfCustom(collective);
  }
  return {};
}

RankWork cclc::leastWork(const Collective &collective, const std::optional<SwitchModel> &switches) {
  RankWork work = workWithoutSwitches(collective);
  const uint64_t n = collective.ranks();
  if (n == 1 || !switches)
    return work;
  const CollectiveKind kind = collective.kind();
  const bool isAllReduce = kind == CollectiveKind::AllReduce;
  const Share none = {0, 1}, once = isAllReduce ? Share{1, 1} : Share{1, n};
  if (switches->adds && reduces(kind)) {
    work.averageReceived = once;
    work.averageReduced = none;
  }
  if (switches->multicasts && distributes(kind))
    work.averageSent = once;
  return work;
}
