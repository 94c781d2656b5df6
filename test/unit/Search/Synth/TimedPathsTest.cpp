//===- TimedPathsTest.cpp - Paths of chunks that grow in time -------------===//
//
// The paths are walked, and their times compared with what the routes of the machine and the costs
// of messages permit.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TimedPaths.h"
#include "Plans.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
std::vector<EndpointId> someEndpoints(uint32_t count, uint32_t stride) {
  std::vector<EndpointId> endpoints;
  for (uint32_t i = 0; i < count; ++i)
    endpoints.push_back(EndpointId(i * stride));
  return endpoints;
}

std::vector<ChunkDemand> toRoot(uint32_t ranks) {
  std::vector<ChunkDemand> demands;
  for (uint32_t r = 1; r < ranks; ++r)
    demands.push_back({RankId(r), RankId(0)});
  return demands;
}
std::vector<ChunkDemand> fromRoot(uint32_t ranks) {
  std::vector<ChunkDemand> demands = toRoot(ranks);
  for (ChunkDemand &demand : demands)
    std::swap(demand.from, demand.to);
  return demands;
}
std::vector<ChunkDemand> betweenAll(uint32_t ranks) {
  std::vector<ChunkDemand> demands;
  for (uint32_t a = 0; a < ranks; ++a)
    for (uint32_t b = 0; b < ranks; ++b)
      if (a != b)
        demands.push_back({RankId(a), RankId(b)});
  return demands;
}

/// Every path leads from its sender to its destination, and passes no rank twice.
void checkPaths(const TimedPaths &result, ArrayRef<ChunkDemand> demands) {
  REQUIRE(result.paths.size() == demands.size());
  for (size_t i = 0; i < demands.size(); ++i) {
    const ChunkPath &path = result.paths[i];
    REQUIRE(path.size() >= 2);
    CHECK(path.front() == demands[i].from);
    CHECK(path.back() == demands[i].to);
    CHECK(std::set<RankId>(path.begin(), path.end()).size() == path.size());
  }
  std::vector<uint32_t> order = result.order;
  std::sort(order.begin(), order.end());
  REQUIRE(order.size() == demands.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    CHECK(order[i] == i);
}
} // namespace

TEST_CASE("paths of one byte take the longest latency", "[synth]") {
  // Links of 1 us, with the distance of the farthest rank in links.
  for (auto [target, ranks, links] :
       {std::tuple("ring", 8u, 4), {"mesh2d", 16u, 6}, {"torus2d", 16u, 4}})
    for (bool inReverse : {false, true}) {
      INFO(target);
      Machine m = machine(target, {}, ranks);
      TransferGraph graph(m, someEndpoints(ranks, 1));
      for (const std::vector<ChunkDemand> &demands :
           {toRoot(ranks), fromRoot(ranks), betweenAll(ranks)}) {
        std::optional<TimedPaths> result = growPaths(graph, demands, {}, Bytes(1), inReverse);
        REQUIRE(result);
        checkPaths(*result, demands);
        SimTime least = SimTime::nanoseconds(1000 * links);
        CHECK(result->time >= least);
        CHECK(result->time < least + SimTime::nanoseconds(2));
      }
    }
}

TEST_CASE("expensive messages lead to direct transfers, one after the other", "[synth]") {
  Machine m = machine("mesh2d", {}, 16);
  TransferGraph graph(m, someEndpoints(16, 1));
  MessageCosts costs;
  costs.fixed = SimTime::nanoseconds(20'000);
  costs.gap = SimTime::nanoseconds(3000);
  for (bool inReverse : {false, true}) {
    std::vector<ChunkDemand> demands = inReverse ? fromRoot(16) : toRoot(16);
    std::optional<TimedPaths> result = growPaths(graph, demands, costs, Bytes(1), inReverse);
    REQUIRE(result);
    checkPaths(*result, demands);
    for (const ChunkPath &path : result->paths)
      CHECK(path.size() == 2);
    // The neighbour's message arrives after 21 us, the other 14 with at least 3 us between them.
    CHECK(result->time >= SimTime::nanoseconds(21'000 + 14 * 3000));
    CHECK(result->time < SimTime::nanoseconds(21'000 + 14 * 3000 + 10));
  }
}

TEST_CASE("a link carries one chunk of a path after the other", "[synth]") {
  // The root of a ring receives 7 chunks of 1 ms over two links.
  Machine m = machine("ring", {}, 8);
  TransferGraph graph(m, someEndpoints(8, 1));
  std::vector<ChunkDemand> demands = toRoot(8);
  std::optional<TimedPaths> result = growPaths(graph, demands, {}, Bytes(100'000'000), false);
  REQUIRE(result);
  checkPaths(*result, demands);
  CHECK(result->time >= SimTime::nanoseconds(3'500'000));
  CHECK(result->time < SimTime::nanoseconds(8'000'000));
}

TEST_CASE("chunks move by way of other ranks if queues limit the peers", "[synth]") {
  Machine m = machine("ahbm");
  TransferGraph graph(m, someEndpoints(32, 8));
  MessageCosts costs = MessageCosts::of(m, Protocol::Simple);
  std::vector<ChunkDemand> demands = betweenAll(32);
  std::optional<TimedPaths> result = growPaths(graph, demands, costs, Bytes(32), false);
  REQUIRE(result);
  checkPaths(*result, demands);
  std::map<std::pair<uint32_t, bool>, std::set<uint32_t>> peers; // by rank and SIP
  for (const ChunkPath &path : result->paths)
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      uint32_t a = path[i].index(), b = path[i + 1].index();
      peers[{a, a / 16 == b / 16}].insert(b);
      peers[{b, a / 16 == b / 16}].insert(a);
    }
  for (const auto &[rank, all] : peers)
    CHECK(all.size() <= 4);
}
