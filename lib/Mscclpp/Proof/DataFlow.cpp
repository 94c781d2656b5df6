//===- DataFlow.cpp - Reachability backwards through lanes and moments ----===//
//
// A search over the graph of lanes and moments from a write back to the reads before it. Nodes are
// marked with the number of the search, so marks need not be cleared, and the last search is
// continued for the same source. The steps of all searches are counted and limited, because a
// search is linear in the graph and a plan may need many.
//
// Edges lead to earlier nodes, so that no node before the one that is sought is expanded, and the
// launches that have ended before a node follow from its edges when it is added. Few nodes are the
// first to learn of an end; the others share a row.
//
//===----------------------------------------------------------------------===//

#include "DataFlow.h"

#include <algorithm>

namespace cclc::mscclpp {

void DataFlow::clear() {
  lanes.clear();
  targets.clear();
  moments.assign(1, {});
  nodes.assign(1, 1);
  ended.assign(ranks, 0);
  hasWaits = false;
  laneReached.clear();
  packetsRead.clear();
  momentReached.assign(1, 0);
  current = 0;
  found.reset();
}

DataFlow::Edges DataFlow::append(ArrayRef<uint32_t> packets, ArrayRef<uint32_t> values) {
  Edges edges{uint32_t(targets.size()), uint32_t(packets.size()), uint32_t(values.size())};
  targets.insert(targets.end(), packets.begin(), packets.end());
  targets.insert(targets.end(), values.begin(), values.end());
  return edges;
}
ArrayRef<uint32_t> DataFlow::packetsOf(const Edges &edges) const {
  return ArrayRef(targets).slice(edges.first, edges.packets);
}
ArrayRef<uint32_t> DataFlow::valuesOf(const Edges &edges) const {
  return ArrayRef(targets).slice(edges.first + edges.packets, edges.values);
}

DataFlow::Ended DataFlow::copyOf(Ended row) {
  ended.resize(ended.size() + ranks);
  std::copy_n(rowOf(row), ranks, ended.end() - ranks);
  return ended.size() / ranks - 1;
}

/// The maximum of both by rank.
DataFlow::Ended DataFlow::join(Ended one, Ended other) {
  if (one == other)
    return one;
  bool isOne = true, isOther = true;
  for (uint32_t r = 0; r < ranks; ++r) {
    isOne &= rowOf(one)[r] >= rowOf(other)[r];
    isOther &= rowOf(other)[r] >= rowOf(one)[r];
  }
  if (isOne || isOther)
    return isOne ? one : other;
  const Ended both = copyOf(one);
  for (uint32_t r = 0; r < ranks; ++r)
    ended[size_t(both) * ranks + r] = std::max(rowOf(one)[r], rowOf(other)[r]);
  return both;
}

DataFlow::Lane DataFlow::addLane(Moment when, ArrayRef<Lane> packets, ArrayRef<Lane> values) {
  Ended before = moments[when].ended;
  for (ArrayRef<Lane> from : {packets, values})
    for (Lane lane : from)
      before = join(before, lanes[lane].ended);
  lanes.push_back({when, append(packets, values), uint32_t(nodes.size()), before});
  nodes.push_back(uint32_t(lanes.size() - 1) * 2);
  laneReached.push_back(0);
  packetsRead.push_back(0);
  return lanes.size() - 1;
}

void DataFlow::wait(Lane lane, RankId rank) {
  const uint32_t before = launchesEnded(lane, start, rank);
  for (Lane from : packetsOf(lanes[lane].edges))
    if (!lanes[from].reader)
      lanes[from].reader = Reader{rank, before + 1};
}

DataFlow::Moment DataFlow::addMoment(ArrayRef<Moment> before, ArrayRef<Lane> waited,
                                     std::optional<RankId> ending) {
  Ended row = moments[start].ended;
  for (Moment moment : before)
    row = join(row, moments[moment].ended);
  for (Lane lane : waited)
    for (Lane from : packetsOf(lanes[lane].edges))
      row = join(row, lanes[from].ended);
  if (ending) {
    row = copyOf(row);
    ++ended[size_t(row) * ranks + ending->index()];
  }
  moments.push_back({append(waited, before), uint32_t(nodes.size()), ending.has_value(), row});
  nodes.push_back(uint32_t(moments.size() - 1) * 2 + 1);
  hasWaits |= !waited.empty();
  momentReached.push_back(0);
  return moments.size() - 1;
}

uint32_t DataFlow::launchesEnded(std::optional<Lane> lane, Moment when, RankId rank) const {
  const uint32_t after = rowOf(moments[when].ended)[rank.index()];
  return lane ? std::max(after, rowOf(lanes[*lane].ended)[rank.index()]) : after;
}

bool DataFlow::hasReaderEnded(Lane earlier, std::optional<Lane> lane, Moment when) const {
  const std::optional<Reader> &reader = lanes[earlier].reader;
  return reader && launchesEnded(lane, when, reader->rank) >= reader->launches;
}

void DataFlow::open(uint32_t number) {
  openNodes.push_back(number);
  std::push_heap(openNodes.begin(), openNodes.end());
}

void DataFlow::reach(Lane lane) {
  if (laneReached[lane] == current)
    return;
  laneReached[lane] = current;
  open(lanes[lane].number);
}

void DataFlow::reachMoment(Moment moment) {
  // Moments lead to lanes only by packets.
  if (!hasWaits || momentReached[moment] == current || (found->sameLaunch && moments[moment].ends))
    return;
  momentReached[moment] = current;
  open(moments[moment].number);
}

void DataFlow::search(std::optional<Lane> lane, Moment when, bool sameLaunch) {
  const Source source{lane, when, sameLaunch};
  if (found == source || isExhausted())
    return;
  found = source;
  ++current;
  openNodes.clear();
  // The lane itself is not complete, but its reads are.
  if (lane)
    open(lanes[*lane].number);
  reachMoment(when);
}

/// Reaches the nodes before the node with \p number.
void DataFlow::expand(uint32_t number) {
  const uint32_t index = nodes[number] / 2;
  const bool isMoment = nodes[number] % 2;
  const Edges &edges = isMoment ? moments[index].edges : lanes[index].edges;
  steps += edges.packets + edges.values + 1;
  if (!isMoment) {
    for (Lane from : packetsOf(edges))
      reach(from);
    for (Lane from : valuesOf(edges))
      reach(from);
    return reachMoment(lanes[index].when);
  }
  for (Moment before : valuesOf(edges))
    reachMoment(before);
  for (Lane waiting : packetsOf(edges)) {
    packetsRead[waiting] = current;
    steps += lanes[waiting].edges.packets;
    for (Lane from : packetsOf(lanes[waiting].edges))
      reach(from);
  }
}

/// Expands the last nodes first, until \p isFound or only nodes before \p lane are left.
template <class Fn> bool DataFlow::searchUntil(Lane lane, Fn isFound) {
  while (!isFound() && !openNodes.empty() && openNodes.front() > lanes[lane].number) {
    const uint32_t number = openNodes.front();
    std::pop_heap(openNodes.begin(), openNodes.end());
    openNodes.pop_back();
    expand(number);
  }
  return isFound();
}

bool DataFlow::hasRead(Lane lane) {
  return searchUntil(lane, [&] { return laneReached[lane] == current; });
}

bool DataFlow::hasReadPackets(Lane lane) {
  return searchUntil(lane,
                     [&] { return laneReached[lane] == current || packetsRead[lane] == current; });
}

} // namespace cclc::mscclpp
