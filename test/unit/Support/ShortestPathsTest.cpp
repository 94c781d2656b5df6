//===- ShortestPathsTest.cpp - Distances of random graphs -----------------===//

#include "cclc/Support/ShortestPaths.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace cclc;

namespace {
struct Arc {
  uint32_t from, to;
};
constexpr uint32_t nodes = 12;
constexpr uint64_t none = ~uint64_t(0);

/// By relaxation of all arcs, once for each node (Bellman and Ford).
std::vector<uint64_t> relaxed(uint32_t source, ArrayRef<Arc> arcs, ArrayRef<uint64_t> lengths) {
  std::vector<uint64_t> distances(nodes, none);
  distances[source] = 0;
  for (uint32_t round = 0; round < nodes; ++round)
    for (size_t a = 0; a < arcs.size(); ++a)
      if (uint64_t at = distances[arcs[a].from]; at != none)
        distances[arcs[a].to] = std::min(distances[arcs[a].to], at + lengths[a]);
  return distances;
}
} // namespace

TEST_CASE("Shortest paths of random graphs are those of repeated relaxation") {
  std::mt19937 random(3);
  for (uint32_t count : {0, 8, 20, 60}) {
    std::vector<Arc> arcs;
    std::vector<uint64_t> lengths;
    for (uint32_t a = 0; a < count; ++a) {
      arcs.push_back({uint32_t(random() % nodes), uint32_t(random() % nodes)});
      lengths.push_back(random() % 10);
    }
    ShortestPaths<uint64_t> paths(nodes, arcs);
    for (uint32_t source = 0; source < nodes; ++source) {
      // A search that ends early leaves nothing behind.
      paths.from(source, lengths, [&](uint32_t node) { return node != source; });
      CHECK(paths.byDistance().size() <= 2);
      paths.from(source, lengths);
      std::vector<uint64_t> expected = relaxed(source, arcs, lengths);
      for (uint32_t node = 0; node < nodes; ++node) {
        REQUIRE(paths.reaches(node) == (expected[node] != none));
        if (!paths.reaches(node))
          continue;
        CHECK(paths.distance(node) == expected[node]);
        CHECK(paths.entry(node).has_value() == (node != source));
        if (OptionalIndex arc = paths.entry(node))
          CHECK(expected[arcs[*arc].from] + lengths[*arc] == expected[node]);
      }
      CHECK(std::is_sorted(paths.byDistance().begin(), paths.byDistance().end(),
                           [&](uint32_t a, uint32_t b) { return expected[a] < expected[b]; }));
    }
  }
}
