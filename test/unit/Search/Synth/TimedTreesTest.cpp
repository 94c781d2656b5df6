//===- TimedTreesTest.cpp - Spanning trees that grow in time ----------------===//
//
// The trees are walked, and their times compared with what the routes of the machine permit: no
// arrival is earlier than the latency of the longest route.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TimedTrees.h"
#include "Plans.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
struct Grown {
  TransferGraph graph;
  std::optional<TimedTrees> result;
};

Grown grown(const Machine &m, std::vector<EndpointId> endpoints, Flow flow, Bytes chunk,
            const MessageCosts &costs) {
  TransferGraph graph(m, endpoints);
  std::vector<TreeDemand> demands;
  for (uint32_t r = 0; r < endpoints.size(); ++r)
    demands.push_back({RankId(r), flow});
  std::optional<TimedTrees> result = growTrees(graph, demands, costs, chunk);
  return {std::move(graph), std::move(result)};
}

std::vector<EndpointId> everyEndpoint(uint32_t count, uint32_t stride) {
  std::vector<EndpointId> endpoints;
  for (uint32_t i = 0; i < count; ++i)
    endpoints.push_back(EndpointId(i * stride));
  return endpoints;
}

/// Every tree has every rank once, parents first.
void checkSpanning(ArrayRef<Tree> trees, uint32_t ranks) {
  for (const Tree &tree : trees) {
    std::set<uint32_t> reached = {tree.root.index()};
    for (const Branch &branch : tree.branches) {
      CHECK(reached.contains(branch.parent.index()));
      CHECK(reached.insert(branch.child.index()).second);
    }
    CHECK(reached.size() == ranks);
  }
}

SimTime longestRoute(const Machine &m, uint32_t ranks) {
  SimTime longest;
  for (uint32_t a = 0; a < ranks; ++a)
    for (uint32_t b = 0; b < ranks; ++b) {
      Path route;
      if (a != b)
        m.route(EndpointId(a), EndpointId(b), route);
      SimTime sum;
      for (LinkId link : route)
        sum += m.latency(m.link(link));
      longest = std::max(longest, sum);
    }
  return longest;
}
} // namespace

TEST_CASE("trees of one byte take the longest latency", "[synth]") {
  for (auto [target, ranks] : {std::pair("ring", 8u), {"mesh2d", 16u}, {"torus2d", 16u}})
    for (Flow flow : {Flow::FromRoot, Flow::ToRoot}) {
      INFO(target);
      Machine m = machine(target, {}, ranks);
      auto [graph, result] = grown(m, everyEndpoint(ranks, 1), flow, Bytes(1), {});
      REQUIRE(result);
      checkSpanning(result->trees, ranks);
      SimTime least = longestRoute(m, ranks);
      CHECK(result->time >= least);
      CHECK(result->time < least + SimTime::nanoseconds(2));
    }
}

TEST_CASE("a link carries one chunk after the other", "[synth]") {
  // Every rank of a ring receives 7 chunks over two links.
  Machine m = machine("ring", {}, 8);
  Bytes chunk(100'000'000); // 1 ms on a link of 100 GB/s
  auto [graph, result] = grown(m, everyEndpoint(8, 1), Flow::FromRoot, chunk, {});
  REQUIRE(result);
  checkSpanning(result->trees, 8);
  CHECK(result->time >= SimTime::nanoseconds(3'500'000));
}

TEST_CASE("expensive messages lead to direct trees, gaps to deeper ones", "[synth]") {
  Machine m = machine("fully-connected", {}, 8);
  auto depthWith = [&](const MessageCosts &costs) {
    auto [graph, result] = grown(m, everyEndpoint(8, 1), Flow::FromRoot, Bytes(1), costs);
    REQUIRE(result);
    return depthOf(result->trees[0], 8);
  };
  MessageCosts costs;
  costs.fixed = SimTime::nanoseconds(5000);
  CHECK(depthWith(costs) == 1);
  // While the root waits for its next send, other ranks forward.
  TransferGraph graph(m, everyEndpoint(8, 1));
  costs.gap = SimTime::nanoseconds(5000);
  TreeDemand one{RankId(0), Flow::FromRoot};
  std::optional<TimedTrees> result = growTrees(graph, one, costs, Bytes(1));
  REQUIRE(result);
  CHECK(depthOf(result->trees[0], 8) > 1);
}

TEST_CASE("a PE has as many peers as queues", "[synth]") {
  Machine m = machine("ahbm");
  MessageCosts costs = MessageCosts::of(m, Protocol::Simple);
  auto [graph, result] = grown(m, everyEndpoint(32, 8), Flow::FromRoot, Bytes(32), costs);
  REQUIRE(result);
  checkSpanning(result->trees, 32);
  std::map<std::pair<uint32_t, bool>, std::set<uint32_t>> peers; // by rank and SIP
  for (const Tree &tree : result->trees)
    for (const Branch &branch : tree.branches) {
      uint32_t a = branch.parent.index(), b = branch.child.index();
      peers[{a, a / 16 == b / 16}].insert(b);
      peers[{b, a / 16 == b / 16}].insert(a);
    }
  for (const auto &[rank, all] : peers)
    CHECK(all.size() <= 4);
}
