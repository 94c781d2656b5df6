//===- DataFlow.cpp - Reachability backwards through lanes and moments ----===//
//
// A depth-first search over the graph of lanes and moments from a write back to the reads before
// it. Nodes are marked with the number of the search, so marks need not be cleared, and the last
// search is reused for the same source. The steps of all searches are counted and limited, because
// a search is linear in the graph and a plan may need many.
//
//===----------------------------------------------------------------------===//

#include "DataFlow.h"

namespace cclc::mscclpp {

void DataFlow::clear() {
  lanes.clear();
  targets.clear();
  moments.assign(1, {});
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

DataFlow::Lane DataFlow::addLane(Moment when, ArrayRef<Lane> packets, ArrayRef<Lane> values) {
  lanes.push_back({when, append(packets, values)});
  laneReached.push_back(0);
  packetsRead.push_back(0);
  return lanes.size() - 1;
}

DataFlow::Moment DataFlow::addMoment(ArrayRef<Moment> before, ArrayRef<Lane> waited, bool ends) {
  moments.push_back({append(waited, before), ends});
  momentReached.push_back(0);
  return moments.size() - 1;
}

void DataFlow::reach(Lane lane) {
  if (laneReached[lane] == current)
    return;
  laneReached[lane] = current;
  openLanes.push_back(lane);
}

void DataFlow::search(std::optional<Lane> lane, Moment when, bool sameLaunch) {
  Source source{lane, when, sameLaunch};
  if (found == source || isExhausted())
    return;
  found = source;
  ++current;
  std::vector<Moment> openMoments;
  auto reachMoment = [&](Moment moment) {
    if (momentReached[moment] == current || (source.sameLaunch && moments[moment].ends))
      return;
    momentReached[moment] = current;
    openMoments.push_back(moment);
  };
  // The lane itself is not complete, but its reads are.
  if (source.lane)
    openLanes.push_back(*source.lane);
  reachMoment(source.when);
  while (!openLanes.empty() || !openMoments.empty()) {
    if (!openLanes.empty()) {
      const LaneNode &node = lanes[openLanes.back()];
      openLanes.pop_back();
      steps += node.edges.packets + node.edges.values + 1;
      for (Lane from : packetsOf(node.edges))
        reach(from);
      for (Lane from : valuesOf(node.edges))
        reach(from);
      reachMoment(node.when);
      continue;
    }
    const MomentNode &node = moments[openMoments.back()];
    openMoments.pop_back();
    steps += node.edges.packets + node.edges.values + 1;
    for (Moment before : valuesOf(node.edges))
      reachMoment(before);
    for (Lane waiting : packetsOf(node.edges)) {
      packetsRead[waiting] = current;
      steps += lanes[waiting].edges.packets;
      for (Lane from : packetsOf(lanes[waiting].edges))
        reach(from);
    }
  }
}

} // namespace cclc::mscclpp
