//===- ShapeClassesTest.cpp - Renumberings against all permutations -------===//

#include "cclc/Bound/ShapeClasses.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace cclc;

namespace {
LabelledGraph renumbered(const LabelledGraph &graph, ArrayRef<uint32_t> image) {
  LabelledGraph result = graph;
  for (uint32_t node = 0; node < graph.labels.size(); ++node)
    result.labels[image[node]] = graph.labels[node];
  for (LabelledGraph::Arc &arc : result.arcs)
    arc = {image[arc.from], image[arc.to], arc.label};
  std::reverse(result.arcs.begin(), result.arcs.end());
  return result;
}

std::vector<uint32_t> identity(uint32_t nodes) {
  std::vector<uint32_t> image(nodes);
  std::iota(image.begin(), image.end(), 0);
  return image;
}

/// Tries all permutations.
bool areEqual(const LabelledGraph &a, LabelledGraph b) {
  std::sort(b.arcs.begin(), b.arcs.end());
  std::vector<uint32_t> image = identity(a.labels.size());
  do {
    LabelledGraph other = renumbered(a, image);
    std::sort(other.arcs.begin(), other.arcs.end());
    if (other.labels == b.labels && other.arcs == b.arcs)
      return true;
  } while (std::next_permutation(image.begin(), image.end()));
  return false;
}

LabelledGraph randomGraph(std::mt19937_64 &random, uint32_t nodes, uint32_t labels,
                          uint32_t percent) {
  LabelledGraph graph;
  for (uint32_t node = 0; node < nodes; ++node)
    graph.labels.push_back(random() % labels);
  for (uint32_t from = 0; from < nodes; ++from)
    for (uint32_t to = 0; to < nodes; ++to)
      if (from != to && random() % 100 < percent)
        graph.arcs.push_back({from, to, uint32_t(random() % labels)});
  return graph;
}

LabelledGraph cycles(ArrayRef<uint32_t> lengths) {
  LabelledGraph graph;
  for (uint32_t length : lengths) {
    uint32_t first = graph.labels.size();
    for (uint32_t i = 0; i < length; ++i) {
      graph.labels.push_back(0);
      graph.arcs.push_back({first + i, first + (i + 1) % length, 0});
      graph.arcs.push_back({first + (i + 1) % length, first + i, 0});
    }
  }
  return graph;
}
} // namespace

TEST_CASE("a renumbering is found exactly if a permutation is one", "[bound][symmetry]") {
  uint32_t equal = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    uint32_t nodes = 2 + random() % 4, labels = 1 + random() % 2;
    LabelledGraph a = randomGraph(random, nodes, labels, 20 + random() % 60);
    LabelledGraph b = randomGraph(random, nodes, labels, 20 + random() % 60);
    bool expected = areEqual(a, b);
    equal += expected;
    CHECK(hasRenumbering(a, b) == expected);
  }
  CHECK(equal > 10);
}

TEST_CASE("renumbered graphs are equal", "[bound][symmetry]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    uint32_t nodes = 2 + random() % 30;
    LabelledGraph graph = randomGraph(random, nodes, 1 + random() % 3, 5 + random() % 90);
    std::vector<uint32_t> image = identity(nodes);
    std::shuffle(image.begin(), image.end(), random);
    LabelledGraph other = renumbered(graph, image);
    CHECK(hasRenumbering(graph, other));
    if (graph.arcs.empty())
      continue;
    other.arcs.back().label += 1;
    CHECK(!hasRenumbering(graph, other));
  }
}

TEST_CASE("graphs whose nodes all look alike", "[bound][symmetry]") {
  CHECK(!hasRenumbering(cycles({6}), cycles({3, 3})));
  CHECK(hasRenumbering(cycles({3, 5, 3}), cycles({5, 3, 3})));
  CHECK(hasRenumbering(cycles({400}), cycles({400})));
  CHECK(!hasRenumbering(cycles({5, 7}), cycles({4, 8})));
}
