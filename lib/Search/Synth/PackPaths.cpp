//===- PackPaths.cpp - Paths that share links evenly ----------------------===//
//
// Every chunk takes the cheapest path (Dijkstra), where the price of a link rises exponentially
// with its load, and every relay costs a little. All chunks are replaced in turn, and then small
// random sets of them that contain one on the busiest link. Finally, relays that lower no load are
// removed. The random numbers are always the same.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/PathPacking.h"

#include "LinkPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <random>

using namespace cclc;
using namespace cclc::synth;

namespace {
class PathPacker {
public:
  PathPacker(const TransferGraph &graph, ArrayRef<ChunkDemand> demands, const PathOptions &options)
      : graph(graph), demands(demands), options(options), prices(graph, options.leastLoad),
        paths(demands.size()), costs(graph.ranks()), before(graph.ranks()), done(graph.ranks()) {
    double slowest = 0;
    for (double one : graph.secondsPerByte())
      slowest = std::max(slowest, one);
    relayPrice = slowest * perRelay;
  }

  bool findAll();
  void replaceInTurn();
  void replaceSets();
  void removeRelays();
  PathPacking take() { return {std::move(best), bestLoad}; }

private:
  bool find(size_t demand);
  void remove(size_t demand);
  bool crosses(const ChunkPath &path, uint32_t link) const;
  void keepBest();
  bool isDone() const { return work >= options.effort || bestLoad <= options.leastLoad * enough; }
  double priceOf(uint32_t from, uint32_t to);

  /// A load this close to the least is not worth a search.
  static constexpr double enough = 1.0005;
  /// The price of a relay, as a part of that of the slowest link with the expected load.
  static constexpr double perRelay = 0.05;

  const TransferGraph &graph;
  ArrayRef<ChunkDemand> demands;
  PathOptions options;
  LinkPrices prices;
  double relayPrice;
  std::vector<ChunkPath> paths, best;
  double bestLoad = 0;
  uint64_t work = 0;
  std::mt19937 random{1};
  double noise = 0; ///< by how much prices vary at random
  std::vector<double> costs;
  std::vector<uint32_t> before;
  std::vector<bool> done;
};

double PathPacker::priceOf(uint32_t from, uint32_t to) {
  ++work;
  double price = prices.of(RankId(from), RankId(to)) + relayPrice;
  return noise > 0 ? price * (1 + noise * (random() % 64) / 64) : price;
}

bool PathPacker::find(size_t demand) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const uint32_t from = demands[demand].from.index(), to = demands[demand].to.index();
  std::fill(costs.begin(), costs.end(), none);
  std::fill(done.begin(), done.end(), false);
  costs[from] = 0;
  while (!done[to]) {
    uint32_t next = from;
    double least = none;
    for (uint32_t r = 0; r < graph.ranks(); ++r)
      if (!done[r] && costs[r] < least)
        least = costs[next = r];
    if (least == none)
      return false;
    done[next] = true;
    for (uint32_t r = 0; r < graph.ranks() && next != to; ++r) {
      RankId here(next), there(r);
      if (done[r] || !(options.transfers == Transfers::Neighbours ? graph.isDirect(here, there)
                                                                  : graph.isConnected(here, there)))
        continue;
      if (double cost = least + priceOf(next, r); cost < costs[r]) {
        costs[r] = cost;
        before[r] = next;
      }
    }
  }
  ChunkPath &path = paths[demand];
  path.clear();
  for (uint32_t r = to; r != from; r = before[r])
    path.emplace_back(r);
  path.emplace_back(from);
  std::reverse(path.begin(), path.end());
  for (size_t i = 0; i + 1 < path.size(); ++i)
    prices.add(path[i], path[i + 1]);
  return true;
}

void PathPacker::remove(size_t demand) {
  const ChunkPath &path = paths[demand];
  for (size_t i = 0; i + 1 < path.size(); ++i)
    prices.remove(path[i], path[i + 1]);
}

bool PathPacker::crosses(const ChunkPath &path, uint32_t link) const {
  for (size_t i = 0; i + 1 < path.size(); ++i)
    if (llvm::any_of(graph.uses(path[i], path[i + 1]),
                     [&](const LinkUse &use) { return use.link == link; }))
      return true;
  return false;
}

void PathPacker::keepBest() {
  // Sums of the same loads in another order differ in their last digits.
  if (!best.empty() && prices.highest() > bestLoad * (1 - 1e-9))
    return;
  best = paths;
  bestLoad = prices.highest();
}

bool PathPacker::findAll() {
  for (size_t d = 0; d < demands.size(); ++d)
    if (!find(d))
      return false;
  keepBest();
  return true;
}

void PathPacker::replaceInTurn() {
  constexpr unsigned rounds = 12;
  for (unsigned round = 0; round < rounds && !isDone(); ++round) {
    for (size_t d = 0; d < demands.size() && work < options.effort; ++d) {
      remove(d);
      find(d);
    }
    keepBest();
  }
}

void PathPacker::replaceSets() {
  // Slightly worse packings are accepted, to leave local minima.
  constexpr double tolerance = 1.01;
  for (size_t failures = 0; !isDone() && failures < 4 * demands.size() + 200; ++failures) {
    uint32_t busiest = prices.busiest();
    std::vector<uint32_t> crossing;
    for (uint32_t d = 0; d < paths.size(); ++d)
      if (crosses(paths[d], busiest))
        crossing.push_back(d);
    if (crossing.empty())
      return;
    std::vector<uint32_t> chosen = {crossing[random() % crossing.size()]};
    for (uint32_t more = random() % 4; more > 0; --more)
      if (uint32_t other = random() % paths.size(); !llvm::is_contained(chosen, other))
        chosen.push_back(other);
    std::vector<double> loads = prices.all();
    double potential = prices.potential(), highest = bestLoad;
    std::vector<ChunkPath> old;
    for (uint32_t d : chosen) {
      remove(d);
      old.push_back(paths[d]);
    }
    noise = (random() % 4) * 0.2;
    for (uint32_t d : chosen)
      find(d);
    noise = 0;
    if (prices.potential() > potential * tolerance) {
      for (size_t i = 0; i < chosen.size(); ++i)
        paths[chosen[i]] = std::move(old[i]);
      prices.restore(loads);
      continue;
    }
    keepBest();
    if (bestLoad < highest)
      failures = 0;
  }
}

/// Sends chunks directly where that loads no link more than the best packing does.
void PathPacker::removeRelays() {
  if (options.transfers != Transfers::All)
    return;
  prices.restore(std::vector<double>(graph.numResources()));
  for (const ChunkPath &path : best)
    for (size_t i = 0; i + 1 < path.size(); ++i)
      prices.add(path[i], path[i + 1]);
  paths = std::move(best);
  for (size_t d = 0; d < paths.size(); ++d) {
    auto [from, to] = demands[d];
    if (paths[d].size() == 2 || !graph.isConnected(from, to))
      continue;
    std::vector<double> loads = prices.all();
    remove(d);
    prices.add(from, to);
    if (prices.highest() <= bestLoad * (1 + 1e-9))
      paths[d] = {from, to};
    else
      prices.restore(loads);
  }
  best = std::move(paths);
}
} // namespace

std::optional<PathPacking> synth::packPaths(const TransferGraph &graph,
                                            ArrayRef<ChunkDemand> demands,
                                            const PathOptions &options) {
  PathPacker packer(graph, demands, options);
  if (!packer.findAll())
    return std::nullopt;
  packer.replaceInTurn();
  packer.replaceSets();
  packer.removeRelays();
  return packer.take();
}
