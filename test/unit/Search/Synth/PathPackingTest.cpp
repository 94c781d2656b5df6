//===- PathPackingTest.cpp - Paths that share links evenly ----------------===//
//
// Every path is walked, and the links of the machine's routes are added up. The least loads of
// gathers and scatters are those of the tightest cut, which the test finds by enumeration; those of
// all-to-alls are the published cuts of the grids.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "Search/Synth/Endpoints.h"
#include "cclc/Search/Synth/PathAlgorithm.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
/// The time per byte of the buffer on the busiest link, by the routes of the machine. Checks that
/// there is a path for every chunk.
double loadOf(const Machine &m, const PathAlgorithm &algorithm) {
  std::map<uint32_t, double> loads;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> chunks;
  double highest = 0;
  for (const PathOfChunk &path : algorithm.paths) {
    uint32_t from = path.ranks.front().index(), to = path.ranks.back().index();
    CHECK(chunks.emplace(from, to, path.chunk).second);
    CHECK(path.chunk < algorithm.chunksPerPair);
    CHECK(std::set<RankId>(path.ranks.begin(), path.ranks.end()).size() == path.ranks.size());
    if (algorithm.collective == CollectiveKind::Gather)
      CHECK(to == algorithm.root.index());
    if (algorithm.collective == CollectiveKind::Scatter)
      CHECK(from == algorithm.root.index());
    CHECK(path.ranks.size() <= algorithm.depth + 1);
    for (size_t i = 0; i + 1 < path.ranks.size(); ++i) {
      Path route;
      m.route(EndpointId(path.ranks[i].index()), EndpointId(path.ranks[i + 1].index()), route);
      for (LinkId link : route)
        if (Bandwidth rate = m.link(link).bandwidth; !rate.isUnlimited())
          highest = std::max(highest, loads[link.index()] += 1.0 / double(rate.bytesPerSecond()));
    }
  }
  uint32_t pairs = algorithm.collective == CollectiveKind::AllToAll
                       ? algorithm.ranks * (algorithm.ranks - 1)
                       : algorithm.ranks - 1;
  CHECK(chunks.size() == size_t(pairs) * algorithm.chunksPerPair);
  return highest / (double(algorithm.ranks) * algorithm.chunksPerPair);
}

double found(const Machine &m, uint32_t ranks, const PathRequest &request) {
  std::optional<PathAlgorithm> algorithm =
      findPaths(TransferGraph(m, firstEndpoints(ranks)), request);
  REQUIRE(algorithm);
  double load = loadOf(m, *algorithm);
  CHECK(load == Approx(algorithm->secondsPerByte));
  return load;
}

/// The largest time per byte of the buffer over all cuts, on a machine whose nodes are its ranks.
double cutBound(const Machine &m, uint32_t ranks, CollectiveKind kind, uint32_t root) {
  double largest = 0;
  REQUIRE(m.nodes().size() == ranks);
  for (uint32_t set = 1; set < 1u << ranks; ++set) {
    if (set >> root & 1)
      continue;
    double capacity = 0;
    for (const Link &link : m.links()) {
      bool from = set >> link.from.index() & 1, to = set >> link.to.index() & 1;
      if (link.present && (kind == CollectiveKind::Gather ? from && !to : to && !from))
        capacity += double(link.bandwidth.bytesPerSecond());
    }
    largest = std::max(largest, __builtin_popcount(set) / (ranks * capacity));
  }
  return largest;
}
} // namespace

TEST_CASE("gathers and scatters load links as little as the tightest cut allows") {
  struct Case {
    const char *target;
    std::vector<std::string> overrides;
    uint32_t ranks, root;
  };
  const Case cases[] = {
      {"ring", {}, 8, 3},
      {"ring", {"links.n2->n3=off"}, 8, 3},
      {"mesh2d", {"width=3", "height=3"}, 9, 4},
      {"mesh2d", {"width=3", "height=3", "links.n1->n0=off"}, 9, 0},
      {"torus2d", {"width=3", "height=3"}, 9, 0},
      {"fully-connected", {"links.n0->n1=off", "links.n2->n1.bandwidth=10e9"}, 8, 1},
  };
  for (const Case &each : cases)
    for (CollectiveKind kind : {CollectiveKind::Gather, CollectiveKind::Scatter}) {
      Machine m = machine(each.target, each.overrides, each.ranks);
      INFO(each.target << ", " << collectiveName(kind));
      double bound = cutBound(m, each.ranks, kind, each.root);
      for (Transfers transfers : {Transfers::All, Transfers::Neighbours}) {
        double load =
            found(m, each.ranks, {kind, RankId(each.root), std::nullopt, transfers, bound});
        CHECK(load >= bound * (1 - 1e-9));
        CHECK(load <= bound * 1.05);
      }
    }
}

TEST_CASE("all-to-alls load the links of a grid evenly") {
  auto loss = [](const Machine &m, uint32_t ranks, Transfers transfers, double buffersPerLink) {
    double bound = buffersPerLink / double(m.links().front().bandwidth.bytesPerSecond());
    return found(m, ranks, {CollectiveKind::AllToAll, RankId(0), std::nullopt, transfers, bound}) /
           bound;
  };
  for (Transfers transfers : {Transfers::All, Transfers::Neighbours}) {
    CHECK(loss(machine("ring", {}, 8), 8, transfers, 1) == Approx(1));
    CHECK(loss(machine("torus2d", {}, 16), 16, transfers, 0.5) == Approx(1));
    CHECK(loss(machine("mesh2d", {}, 16), 16, transfers, 1) == Approx(1));
    // Seven links of each direction carry what eight did: 4/7.
    CHECK(loss(machine("torus2d", {"links.n0->n1=off"}, 16), 16, transfers, 4.0 / 7) < 1.06);
  }
}

TEST_CASE("all-to-alls take two paths between opposite ranks of a ring") {
  Machine m = machine("ring", {}, 8);
  PathRequest request{CollectiveKind::AllToAll, RankId(0), 1, Transfers::All, 1e-11};
  CHECK(found(m, 8, request) == Approx(1e-11));
  // With as few transfers as possible, most chunks take one.
  std::optional<PathAlgorithm> algorithm = findPaths(TransferGraph(m, firstEndpoints(8)), request);
  uint32_t relays = 0;
  for (const PathOfChunk &path : algorithm->paths)
    relays += path.ranks.size() > 2;
  CHECK(relays <= 8);
}

TEST_CASE("there are no paths to a rank without links") {
  Machine m = machine("ring", {"links.n0->n1=off", "links.n0->n7=off"}, 8);
  TransferGraph graph(m, firstEndpoints(8));
  CHECK(!findPaths(graph, {CollectiveKind::Gather, RankId(3), 1, Transfers::All, 1e-11}));
  CHECK(findPaths(graph, {CollectiveKind::Gather, RankId(0), 1, Transfers::All, 1e-11}));
  CHECK(!findPaths(graph, {CollectiveKind::AllGather, RankId(0), 1, Transfers::All, 1e-11}));
}
