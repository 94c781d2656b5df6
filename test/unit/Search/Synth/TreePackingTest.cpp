//===- TreePackingTest.cpp - Spanning trees that share links evenly -------===//
//
// Every packing is checked by walking its trees and adding up the links of the machine's routes.
// The least loads are the exact values of ForestColl (arXiv 2402.06787) and of small numbers of
// trees.
//
//===----------------------------------------------------------------------===//

#include "../../../support/Lines.h"

#include "Plans.h"
#include "Search/Synth/Endpoints.h"
#include "cclc/Search/Synth/TreePacking.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
std::vector<TreeDemand> demands(uint32_t ranks, uint32_t trees, Flow flow) {
  std::vector<TreeDemand> all;
  for (uint32_t r = 0; r < ranks; ++r)
    all.insert(all.end(), trees, {RankId(r), flow});
  return all;
}

/// The largest time per byte of a tree on a link, by the routes of the machine. Checks that every
/// tree reaches all ranks, parents first, within the depth.
double loadOf(const Machine &m, ArrayRef<Tree> trees, uint32_t ranks, uint32_t depth) {
  std::map<uint32_t, double> loads;
  double highest = 0;
  for (const Tree &tree : trees) {
    std::map<uint32_t, uint32_t> depths{{tree.root.index(), 0}};
    for (const Branch &branch : tree.branches) {
      REQUIRE(depths.contains(branch.parent.index()));
      REQUIRE(!depths.contains(branch.child.index()));
      depths[branch.child.index()] = depths[branch.parent.index()] + 1;
      CHECK(depths[branch.child.index()] <= depth);
      RankId from = tree.flow == Flow::FromRoot ? branch.parent : branch.child;
      RankId to = tree.flow == Flow::FromRoot ? branch.child : branch.parent;
      Path route;
      m.route(EndpointId(from.index()), EndpointId(to.index()), route);
      for (LinkId link : route)
        if (Bandwidth rate = m.link(link).bandwidth; !rate.isUnlimited())
          highest = std::max(highest, loads[link.index()] += 1.0 / double(rate.bytesPerSecond()));
    }
    CHECK(depths.size() == ranks);
  }
  return highest;
}

/// Packs \p trees trees per rank and returns the load over \p least, which is given for one tree
/// per rank.
double lossOf(const Machine &m, uint32_t ranks, uint32_t trees, double least,
              Flow flow = Flow::FromRoot) {
  TransferGraph graph(m, firstEndpoints(ranks));
  PackingOptions options{least * trees, *graph.diameter() + 2};
  std::optional<Packing> packing = packTrees(graph, demands(ranks, trees, flow), options);
  REQUIRE(packing);
  CHECK(packing->trees.size() == size_t(ranks) * trees);
  double load = loadOf(m, packing->trees, ranks, options.depth);
  CHECK(load == Approx(packing->load));
  return load / options.leastLoad;
}
} // namespace

TEST_CASE("few trees load the links of a grid as evenly as possible") {
  Machine mesh = machine("mesh2d", {}, 16), torus = machine("torus2d", {}, 16);
  double perByte = 1.0 / double(mesh.links().front().bandwidth.bytesPerSecond());
  CHECK(lossOf(mesh, 16, 1, 7.5 * perByte) == Approx(8 / 7.5));
  CHECK(lossOf(mesh, 16, 2, 7.5 * perByte) == Approx(1));
  CHECK(lossOf(mesh, 16, 2, 7.5 * perByte, Flow::ToRoot) == Approx(1));
  CHECK(lossOf(torus, 16, 1, 3.75 * perByte) == Approx(4 / 3.75));
  CHECK(lossOf(torus, 16, 4, 3.75 * perByte) == Approx(1));
}

TEST_CASE("few trees load links of different rates evenly") {
  Machine m = machine("dgx1");
  double perByte = 7.0 / 6 / 25e9;
  CHECK(lossOf(m, 8, 1, perByte) == Approx(9.0 / 7));
  CHECK(lossOf(m, 8, 2, perByte) == Approx(15.0 / 14));
  CHECK(lossOf(m, 8, 3, perByte) == Approx(8.0 / 7));
  CHECK(lossOf(m, 8, 6, perByte) == Approx(1));
}

TEST_CASE("trees cross switches and network adapters evenly") {
  CHECK(lossOf(machine("ndv4", {}, 16), 16, 1, 3e-9 / 65) < 1.012);
  CHECK(lossOf(machine("ndv4", {}, 32), 32, 1, 3e-9 / 25) == Approx(1));
}

TEST_CASE("trees avoid a missing link") {
  Machine m = machine("ring", {"links.n0->n1=off"}, 8);
  TransferGraph graph(m, firstEndpoints(8));
  std::optional<Packing> packing = packTrees(graph, demands(8, 1, Flow::FromRoot), {1e-9, 7});
  REQUIRE(packing);
  CHECK(loadOf(m, packing->trees, 8, 7) == Approx(packing->load));
  Machine cut = machine("ring", {"links.n0->n1=off", "links.n0->n7=off"}, 8);
  CHECK(
      !packTrees(TransferGraph(cut, firstEndpoints(8)), demands(8, 1, Flow::FromRoot), {1e-9, 7}));
}

TEST_CASE("streams have loads, and ranks have few peers") {
  // Two SIPs of 2x2 cubes. A receive of 4096 bytes takes 9.15 ns, and as long as the credit.
  Machine m = machine("ahbm", {"cubes.pes=1", "cubes.width=2", "cubes.height=2",
                               "ipcq.queues.cube=2", "ipcq.queues.global=1"});
  TransferGraph graph(m, firstEndpoints(8));
  CHECK_FALSE(graph.hasStreams());
  CHECK(graph.isDirect(RankId(0), RankId(3)));
  graph.addStreams(m);
  REQUIRE(graph.hasStreams());
  graph.limitPeers(m.directionQueues.number);
  for (uint32_t r = 0; r < 8; ++r) {
    uint32_t inside = 0, outside = 0;
    for (uint32_t other = 0; other < 8; ++other)
      if (graph.isDirect(RankId(r), RankId(other)))
        ++(r / 4 == other / 4 ? inside : outside);
    CHECK(inside <= 2);
    CHECK(outside <= 1);
  }
  std::optional<Packing> packing = packTrees(graph, demands(8, 2, Flow::ToRoot), {1e-12, 7});
  REQUIRE(packing);
  std::vector<double> streams(8);
  for (const Tree &tree : packing->trees)
    for (const Branch &branch : tree.branches) {
      CHECK(graph.isDirect(branch.child, branch.parent));
      Path route;
      m.route(EndpointId(branch.child.index()), EndpointId(branch.parent.index()), route);
      double ns = 9.15 + 8 + 1; // with a reduction of 8 ns and its latency
      for (LinkId link : route)
        ns += double(m.latency(m.link(link)).picoseconds()) / 1000;
      streams[branch.parent.index()] += ns * 1e-9 / 4096;
    }
  CHECK(packing->load == Approx(*std::max_element(streams.begin(), streams.end())));
}

TEST_CASE("a rank that sends data again occupies its stream") {
  Machine m = machine("ahbm", {"cubes.pes=1", "cubes.width=3", "cubes.height=1", "sips.count=1"});
  TransferGraph graph(m, firstEndpoints(3));
  graph.addStreams(m);
  graph.limitPeers(m.directionQueues.number);
  // From the middle, to both sides; the others receive 4096 bytes in 35.96 ns.
  std::optional<Packing> packing = packTrees(graph, {{RankId(1), Flow::FromRoot}}, {1e-12, 1});
  REQUIRE(packing);
  CHECK(packing->load == Approx(35.96e-9 / 4096));
  CHECK(graph.resendSeconds() == Approx(16e-9 / 4096));
}

TEST_CASE("the trees of a root add the same contributions in different orders") {
  constexpr uint32_t ranks = 8, trees = 7;
  TransferGraph graph(machine("mi300x", {}, ranks), firstEndpoints(ranks));
  std::vector<Tree> stars;
  for (const TreeDemand &demand : demands(ranks, trees, Flow::ToRoot)) {
    stars.push_back({demand.root, demand.flow, {}});
    for (uint32_t child = 0; child < ranks; ++child)
      if (RankId(child) != demand.root)
        stars.back().branches.push_back({demand.root, RankId(child)});
  }
  orderBranches(graph, stars);
  for (uint32_t root = 0; root < ranks; ++root)
    for (uint32_t place = 0; place < ranks - 1; ++place) {
      std::set<uint32_t> children;
      for (uint32_t tree = 0; tree < trees; ++tree)
        children.insert(stars[root * trees + tree].branches[place].child.index());
      CHECK(children.size() == trees);
    }
}

TEST_CASE("ordered branches are the same trees, parents first") {
  for (Flow flow : {Flow::FromRoot, Flow::ToRoot})
    for (const char *target : {"mesh2d", "dgx-h100"}) {
      Machine m = machine(target, {}, 16);
      TransferGraph graph(m, firstEndpoints(16));
      std::optional<Packing> packing = packTrees(graph, demands(16, 2, flow), {1e-10, 8, 20'000});
      REQUIRE(packing);
      std::vector<Tree> ordered = packing->trees;
      orderBranches(graph, ordered);
      CHECK(loadOf(m, ordered, 16, 8) == Approx(packing->load));
      for (size_t i = 0; i < ordered.size(); ++i) {
        CHECK(ordered[i].root == packing->trees[i].root);
        CHECK(
            std::set<Branch>(ordered[i].branches.begin(), ordered[i].branches.end()) ==
            std::set<Branch>(packing->trees[i].branches.begin(), packing->trees[i].branches.end()));
      }
    }
}

TEST_CASE("no two transfers of a link overlap in any period of rounds") {
  for (auto [target, ranks, trees] :
       {std::tuple("mesh2d", 9u, 2u), {"torus2d", 12u, 1u}, {"dgx1", 8u, 3u}, {"ring", 5u, 1u}}) {
    INFO(target);
    Machine m = machine(target, {}, ranks);
    TransferGraph graph(m, firstEndpoints(ranks));
    std::vector<Tree> toRoot, fromRoot;
    for (auto [flow, into] : {std::pair(Flow::ToRoot, &toRoot), {Flow::FromRoot, &fromRoot}}) {
      std::optional<Packing> packing =
          packTrees(graph, demands(ranks, trees, flow), {1e-10, 8, 20'000});
      REQUIRE(packing);
      *into = packing->trees;
    }
    const uint32_t period = scheduleRounds(graph, toRoot, fromRoot);

    // The time per byte of all transfers of a link, and the begins of each in a period.
    std::map<uint32_t, double> loads;
    std::map<uint32_t, std::multimap<uint32_t, double>> begins;
    double highest = 0;
    for (const std::vector<Tree> *flow : {&toRoot, &fromRoot})
      for (const Tree &tree : *flow)
        for (const Branch &branch : tree.branches) {
          const bool up = tree.flow == Flow::ToRoot;
          Path route;
          m.route(EndpointId((up ? branch.child : branch.parent).index()),
                  EndpointId((up ? branch.parent : branch.child).index()), route);
          for (LinkId link : route)
            if (Bandwidth rate = m.link(link).bandwidth; !rate.isUnlimited()) {
              const double seconds = 1.0 / double(rate.bytesPerSecond());
              highest = std::max(highest, loads[link.index()] += seconds);
              begins[link.index()].emplace(branch.start % period, seconds);
            }
        }
    // Times are whole ticks, of which the busiest link takes 4096.
    const double tick = highest / 4096;
    CHECK(period >= 4000);
    CHECK(period <= 4096 * 5 / 4);
    for (const auto &[link, times] : begins)
      for (auto it = times.begin(); it != times.end(); ++it) {
        const bool isLast = std::next(it) == times.end();
        const uint32_t next = isLast ? times.begin()->first + period : std::next(it)->first;
        CHECK(next - it->first + 1 >= it->second / tick);
      }

    // Data are there before they are passed on.
    for (size_t i = 0; i < toRoot.size(); ++i) {
      std::map<RankId, uint32_t> arrived;
      for (const Branch &branch : llvm::reverse(toRoot[i].branches)) {
        if (auto found = arrived.find(branch.child); found != arrived.end())
          CHECK(branch.start > found->second);
        arrived[branch.parent] = std::max(arrived[branch.parent], branch.start);
      }
      for (const Branch &branch : fromRoot[i].branches) {
        CHECK(branch.start > arrived.at(branch.parent));
        arrived[branch.child] = branch.start;
      }
    }
  }
}
