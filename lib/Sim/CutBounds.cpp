//===- CutBounds.cpp - Bytes across cuts over their capacity --------------===//
//
// The capacity of a cut is a maximum flow between its two sides (Target/CutCapacity.h). Where links
// are symmetric, one flow serves both directions. The bytes that must cross are derived from the
// post-condition of the collective, in one pass over its expectations for each partition.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/CutBounds.h"

#include "cclc/Target/CutCapacity.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
/// A partition of the endpoints with ranks into groups.
struct Partition {
  std::vector<std::string> names; ///< by group
  std::vector<uint32_t> groupOf;  ///< by rank
  /// Whether each group is one endpoint.
  bool isSingle() const { return names.size() == groupOf.size(); }
};

/// Above this number of endpoints, the cut around a single endpoint consists of its own links,
/// because computing the minimum cut around each would take longer than the simulation.
constexpr uint32_t fewEndpoints = 64;

/// Whether a cut has the same capacity in both directions.
bool isSymmetric(const Machine &machine) {
  return llvm::all_of(machine.links(), [&](const Link &link) {
    if (!link.reverse)
      return false;
    const Link &back = machine.link(*link.reverse);
    return back.present == link.present && back.bandwidth == link.bandwidth;
  });
}

/// The partitions by each level of the hierarchy, and into two halves.
std::vector<Partition> partitionsOf(const BoundPlan &plan) {
  std::vector<Partition> partitions;
  const Machine &machine = plan.machine;
  auto add = [&](auto groupOfEndpoint, auto nameOfGroup) {
    Partition partition;
    std::map<uint32_t, uint32_t> numbers;
    for (EndpointId endpoint : plan.endpointOf) {
      auto [entry, isNew] = numbers.try_emplace(groupOfEndpoint(endpoint), numbers.size());
      if (isNew)
        partition.names.push_back(nameOfGroup(endpoint));
      partition.groupOf.push_back(entry->second);
    }
    // A single group has no cut, and equal partitions are evaluated once.
    bool isKnown = !partitions.empty() && partitions.back().names.size() == partition.names.size();
    if (partition.names.size() > 1 && !isKnown)
      partitions.push_back(std::move(partition));
  };
  ArrayRef<GridLevel> levels = machine.geometry().levels;
  uint64_t below = machine.numEndpoints();
  for (size_t depth = 0; depth + 1 < levels.size(); ++depth) {
    below /= levels[depth].size();
    add([&](EndpointId endpoint) { return endpoint.index() / below; },
        [&](EndpointId endpoint) {
          std::string name;
          uint64_t rest = endpoint.index(), size = machine.numEndpoints();
          for (size_t d = 0; d <= depth; ++d) {
            size /= levels[d].size();
            std::string one = formatv("{0} {1}", levels[d].name, rest / size);
            name = name.empty() ? one : one + " of " + name;
            rest %= size;
          }
          return name;
        });
  }
  add([](EndpointId endpoint) { return endpoint.index(); },
      [&](EndpointId endpoint) {
        return machine.nodes()[machine.endpointNode(endpoint).index()].name;
      });
  uint32_t ranks = plan.plan.ranks();
  if (ranks > 2) {
    Partition halves{{formatv("ranks 0 to {0}", ranks / 2 - 1),
                      formatv("ranks {0} to {1}", ranks / 2, ranks - 1)},
                     {}};
    for (uint32_t r = 0; r < ranks; ++r)
      halves.groupOf.push_back(r >= ranks / 2);
    partitions.push_back(std::move(halves));
  }
  return partitions;
}

/// The numbers of chunks that must leave and enter each group in any algorithm.
struct Crossings {
  std::vector<uint64_t> out, in; ///< by group
};

/// A chunk counts once for a group, even if several ranks beyond the cut need it; the contributions
/// to a sum from this side of the cut count as one chunk.
Crossings necessary(const Collective &collective, const Partition &partition) {
  uint32_t groups = partition.names.size();
  Crossings result{std::vector<uint64_t>(groups), std::vector<uint64_t>(groups)};
  if (!collective.hasPostCondition())
    return result;
  uint32_t inputs = collective.inputChunks();
  std::vector<bool> leaves(uint64_t(collective.ranks()) * inputs);
  std::vector<OptionalIndex> enters(leaves.size()), sumEnters(inputs), firstGroup(inputs);
  std::vector<bool> inSeveral(inputs);
  // Sums of a custom collective may be derived from each other, so they count as one chunk in
  // total.
  std::vector<bool> listEnters(groups), listLeaves(groups);
  std::vector<uint32_t> byGroup(collective.ranks());
  for (uint32_t r = 0; r < byGroup.size(); ++r)
    byGroup[r] = r;
  std::sort(byGroup.begin(), byGroup.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(partition.groupOf[a], a) < std::pair(partition.groupOf[b], b);
  });
  for (uint32_t r : byGroup) {
    uint32_t group = partition.groupOf[r];
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      Expectation expected = collective.expected(RankId(r), c);
      switch (expected.kind) {
      case Expectation::Kind::Anything:
        break;
      case Expectation::Kind::Chunk: {
        uint32_t owner = partition.groupOf[expected.rank.index()];
        uint64_t chunk = uint64_t(expected.rank.index()) * inputs + expected.index;
        if (owner == group)
          break;
        result.out[owner] += !leaves[chunk];
        leaves[chunk] = true;
        result.in[group] += enters[chunk] != group;
        enters[chunk] = group;
        break;
      }
      case Expectation::Kind::SumAll:
        result.in[group] += sumEnters[expected.index] != group;
        sumEnters[expected.index] = group;
        if (!firstGroup[expected.index])
          firstGroup[expected.index] = group;
        inSeveral[expected.index] =
            inSeveral[expected.index] || firstGroup[expected.index] != group;
        break;
      case Expectation::Kind::SumList:
        for (const Contribution &one : expected.list)
          if (uint32_t owner = partition.groupOf[one.rank.index()]; owner != group)
            listLeaves[owner] = listEnters[group] = true;
      }
    }
  }
  for (uint32_t c = 0; c < inputs; ++c)
    if (firstGroup[c])
      for (uint32_t group = 0; group < groups; ++group)
        result.out[group] += inSeveral[c] || firstGroup[c] != group;
  for (uint32_t group = 0; group < groups; ++group) {
    result.out[group] = std::max<uint64_t>(result.out[group], listLeaves[group]);
    result.in[group] = std::max<uint64_t>(result.in[group], listEnters[group]);
  }
  return result;
}

/// The numbers of chunks that the plan sends out of and into each group.
Crossings planned(const BoundPlan &plan, const Partition &partition) {
  uint32_t groups = partition.names.size();
  Crossings result{std::vector<uint64_t>(groups), std::vector<uint64_t>(groups)};
  for (const Threadblock &tb : plan.plan.threadblocks()) {
    if (!tb.sendPeer)
      continue;
    uint32_t from = partition.groupOf[tb.rank.index()];
    uint32_t to = partition.groupOf[(*tb.sendPeer).index()];
    if (from == to)
      continue;
    for (const Step &step : plan.plan.steps(tb))
      if (traits(step.op).sends) {
        result.out[from] += step.count;
        result.in[to] += step.count;
      }
  }
  return result;
}

/// Rounded down, so that it is a lower bound.
SimTime leastTime(Bytes bytes, std::optional<Bandwidth> capacity) {
  if (!capacity)
    return bytes == Bytes() ? SimTime() : SimTime::max();
  if (capacity->isUnlimited())
    return SimTime();
  return SimTime::clamped(Wide(bytes.count()) * 1'000'000'000'000 / capacity->bytesPerSecond());
}
} // namespace

CutBounds::CutBounds(const BoundPlan &plan, StringRef network)
    : chunksOfBuffer(Sizing::chunksOfBuffer(plan.plan.info().collective)) {
  if (network == "ideal")
    return;
  CutCapacity flows(plan.machine);
  bool symmetric = isSymmetric(plan.machine);
  std::vector<std::optional<bool>> sideOf(plan.machine.numEndpoints());
  for (const Partition &partition : partitionsOf(plan)) {
    Crossings least = necessary(plan.plan.info().collective, partition);
    Crossings most = planned(plan, partition);
    uint32_t groups = partition.names.size();
    bool isLarge = partition.isSingle() && groups > fewEndpoints;
    auto capacityOf = [&](uint32_t group, bool out) -> std::optional<Bandwidth> {
      if (isLarge) // its groups have the numbers of the ranks
        return capacityOfNode(plan.machine, plan.machine.endpointNode(plan.endpointOf[group]), out);
      for (uint32_t r = 0; r < partition.groupOf.size(); ++r)
        sideOf[plan.endpointOf[r].index()] = (partition.groupOf[r] == group) == out;
      return flows.between(sideOf);
    };
    // Two groups form one cut, in two directions.
    for (uint32_t group = 0; group < (groups == 2 ? 1 : groups); ++group) {
      std::optional<std::optional<Bandwidth>> known;
      for (bool out : {true, false}) {
        uint64_t leastChunks = out ? least.out[group] : least.in[group];
        uint64_t plannedChunks = out ? most.out[group] : most.in[group];
        if (leastChunks == 0 && plannedChunks == 0)
          continue;
        if (!known || !symmetric)
          known = capacityOf(group, out);
        cuts.push_back({(out ? "out of " : "into ") + partition.names[group], *known, leastChunks,
                        plannedChunks});
      }
    }
  }
}

std::vector<CutBound> CutBounds::of(const Sizing &sizing) const {
  std::vector<CutBound> bounds;
  Bytes chunk(sizing.chunkElements * sizeOf(sizing.type));
  for (const Cut &cut : cuts) {
    // The padding of chunks to whole elements is not counted as necessary.
    Bytes necessary(uint64_t(Wide(cut.necessary) * sizing.requested.count() /
                             std::max<uint64_t>(chunksOfBuffer, 1)));
    Bytes planned = chunk * cut.planned;
    bounds.push_back({cut.name, cut.capacity, necessary, planned,
                      leastTime(necessary, cut.capacity), leastTime(planned, cut.capacity)});
  }
  std::sort(bounds.begin(), bounds.end(), [](const CutBound &a, const CutBound &b) {
    if (a.least != b.least)
      return a.least > b.least;
    return a.leastPlanned != b.leastPlanned ? a.leastPlanned > b.leastPlanned : a.cut < b.cut;
  });
  return bounds;
}

std::optional<CutBound> CutBounds::tightest(const Sizing &sizing) const {
  std::vector<CutBound> bounds = of(sizing);
  if (bounds.empty() || bounds.front().least == SimTime())
    return std::nullopt;
  return std::move(bounds.front());
}
