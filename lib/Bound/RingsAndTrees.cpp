#include "cclc/Bound/RingsAndTrees.h"

using namespace cclc;

std::optional<SimTime> cclc::ringTime(const Collective &collective, const LinkBound &bound,
                                      const LinkBound &allReduce, Bytes buffer) {
  // The ring of a broadcast or a reduce is open: it only leaves the sets on one side of the root.
  uint64_t n = collective.ranks();
  Wide size = buffer.count();
  std::optional<SimTime> time;
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    time = allReduce.cut.time(size * 2 * (n - 1) / n);
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
    time = allReduce.cut.time(size * (n - 1) / n);
    break;
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    time = bound.cutTime(buffer);
    break;
  default:
    break;
  }
  return time == SimTime::max() ? std::nullopt : time;
}

std::optional<SimTime> cclc::treeTime(const Collective &collective, const LinkBound &bound,
                                      Bytes buffer) {
  std::optional<SimTime> time;
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    time = bound.twoPhaseTime(buffer);
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    if (bound.isTight)
      time = bound.cutTime(buffer);
    break;
  default:
    break;
  }
  return time && *time >= SimTime::max() ? std::nullopt : time;
}
