//===- FindPaths.cpp - The number of chunks per pair, and their order -----===//
//
// More chunks divide the load more evenly, but each adds steps. So few chunks are tried first, and
// more replace them only if the busiest link has less to do. In a gather the shortest paths come
// first: the links of the root are busy while longer paths begin. Otherwise the longest ones come
// first, because most remains to be done for them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/PathAlgorithm.h"

#include "LinkPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;

namespace {
/// A load that is lower by less than this part does not justify more chunks.
constexpr double worthwhile = 0.01;
/// The largest number of paths, unless the number of chunks is given.
constexpr size_t mostPaths = 16'384;

std::vector<ChunkDemand> demandsOf(const PathRequest &request, uint32_t ranks, uint32_t chunks) {
  std::vector<ChunkDemand> demands;
  auto add = [&](RankId from, RankId to) {
    if (from != to)
      demands.insert(demands.end(), chunks, {from, to});
  };
  for (uint32_t i = 0; i < ranks; ++i)
    if (request.collective == CollectiveKind::AllToAll)
      // By distance in the order of the ranks, so that the first paths load all ranks evenly.
      for (uint32_t r = 0; r < ranks; ++r)
        add(RankId(r), RankId((r + i) % ranks));
    else if (request.collective == CollectiveKind::Gather)
      add(RankId(i), request.root);
    else
      add(request.root, RankId(i));
  return demands;
}

PathAlgorithm algorithmOf(const TransferGraph &graph, const PathRequest &request,
                          PathPacking packing, uint32_t chunks) {
  PathAlgorithm algorithm{request.collective, graph.ranks(), request.root, chunks, {}, 0, 0};
  algorithm.secondsPerByte = packing.load / (double(graph.ranks()) * chunks);
  // By number of transfers, then by latency.
  using Key = std::tuple<int64_t, int64_t, size_t>;
  int64_t sign = request.collective == CollectiveKind::Gather ? 1 : -1;
  std::vector<Key> order;
  for (size_t i = 0; i < packing.paths.size(); ++i) {
    const ChunkPath &path = packing.paths[i];
    SimTime latency;
    for (size_t hop = 0; hop + 1 < path.size(); ++hop)
      latency += graph.latency(path[hop], path[hop + 1]);
    algorithm.depth = std::max<uint32_t>(algorithm.depth, path.size() - 1);
    order.emplace_back(sign * int64_t(path.size()), sign * latency.picoseconds(), i);
  }
  std::sort(order.begin(), order.end());
  for (const Key &key : order) {
    size_t i = std::get<2>(key);
    algorithm.paths.push_back({uint32_t(i % chunks), std::move(packing.paths[i])});
  }
  return algorithm;
}
} // namespace

bool synth::hasPaths(CollectiveKind collective) {
  return collective == CollectiveKind::Gather || collective == CollectiveKind::Scatter ||
         collective == CollectiveKind::AllToAll;
}

std::optional<PathAlgorithm> synth::findPaths(const TransferGraph &graph,
                                              const PathRequest &request) {
  std::optional<PathAlgorithm> best;
  auto tryChunks = [&](uint32_t chunks) {
    PathOptions options{request.leastSecondsPerByte * graph.ranks() * chunks, request.transfers};
    std::vector<ChunkDemand> demands = demandsOf(request, graph.ranks(), chunks);
    std::optional<PathPacking> packing = packPaths(graph, demands, options);
    if (!packing)
      return;
    PathAlgorithm found = algorithmOf(graph, request, std::move(*packing), chunks);
    if (!best || found.secondsPerByte < best->secondsPerByte * (1 - worthwhile))
      best = std::move(found);
  };
  if (!hasPaths(request.collective))
    return best;
  if (request.chunks) {
    tryChunks(*request.chunks);
    return best;
  }
  for (uint32_t chunks : {1u, 2u, 3u, 4u, 6u, 8u}) {
    bool isNear = best && best->secondsPerByte <= request.leastSecondsPerByte * (1 + worthwhile);
    if (isNear || (best && best->paths.size() / best->chunksPerPair * chunks > mostPaths))
      break;
    tryChunks(chunks);
  }
  return best;
}

std::optional<PathAlgorithm> synth::findTimedPaths(const TransferGraph &graph,
                                                   const PathRequest &request,
                                                   const MessageCosts &costs, Bytes buffer) {
  const uint32_t ranks = graph.ranks(), chunks = request.chunks.value_or(1);
  Bytes chunk(std::max<uint64_t>(buffer.count() / ranks / chunks, 1));
  const bool scatters = request.collective == CollectiveKind::Scatter;
  std::vector<ChunkDemand> demands = demandsOf(request, ranks, chunks);
  std::optional<TimedPaths> grown = hasPaths(request.collective)
                                        ? growPaths(graph, demands, costs, chunk, scatters)
                                        : std::nullopt;
  if (!grown)
    return std::nullopt;
  PathAlgorithm algorithm{request.collective, ranks, request.root, chunks, {}, 0, 0, grown->time};
  if (scatters)
    std::reverse(grown->order.begin(), grown->order.end());
  LinkPrices loads(graph, /*expected=*/1);
  for (uint32_t i : grown->order) {
    ChunkPath &path = grown->paths[i];
    for (size_t hop = 0; hop + 1 < path.size(); ++hop)
      loads.add(path[hop], path[hop + 1]);
    algorithm.depth = std::max<uint32_t>(algorithm.depth, path.size() - 1);
    algorithm.paths.push_back({i % chunks, std::move(path)});
  }
  algorithm.secondsPerByte = loads.highest() / (double(ranks) * chunks);
  return algorithm;
}
