//===- PlanCoverTest.cpp - The fewest sets that cover all cells -----------===//

#include "PlanCover.h"

#include <catch2/catch.hpp>

#include <bit>
#include <random>

using namespace cclc;

namespace {
/// The number of sets that the smallest cover has, by trying all.
size_t fewestByTrying(size_t cells, const std::vector<std::vector<size_t>> &sets) {
  size_t fewest = sets.size();
  for (uint32_t chosen = 0; chosen < 1u << sets.size(); ++chosen) {
    uint32_t covered = 0;
    for (size_t set = 0; set < sets.size(); ++set)
      if (chosen >> set & 1)
        for (size_t cell : sets[set])
          covered |= 1u << cell;
    if (covered == (1u << cells) - 1)
      fewest = std::min<size_t>(fewest, std::popcount(chosen));
  }
  return fewest;
}
} // namespace

TEST_CASE("the sets are the fewest that contain each cell") {
  std::mt19937 random(7);
  for (int repetition = 0; repetition < 300; ++repetition) {
    const size_t cells = random() % 9, count = 1 + random() % 8;
    std::vector<std::vector<size_t>> sets(count);
    for (size_t cell = 0; cell < cells; ++cell) {
      sets[random() % count].push_back(cell);
      for (std::vector<size_t> &set : sets)
        if (random() % 3 == 0 && (set.empty() || set.back() != cell))
          set.push_back(cell);
    }
    const std::vector<size_t> found = fewestSets(cells, sets);
    CHECK(found.size() == fewestByTrying(cells, sets));
    CHECK(std::is_sorted(found.begin(), found.end()));
    std::vector<bool> covered(cells);
    for (size_t set : found)
      for (size_t cell : sets[set])
        covered[cell] = true;
    CHECK(std::count(covered.begin(), covered.end(), true) == ptrdiff_t(cells));
  }
}

TEST_CASE("a greedy choice that is too large is replaced") {
  // The largest set is not among the two that suffice.
  CHECK(fewestSets(6, std::vector<std::vector<size_t>>{{0, 1, 3, 4}, {0, 1, 2}, {3, 4, 5}}) ==
        std::vector<size_t>{1, 2});
  CHECK(fewestSets(0, std::vector<std::vector<size_t>>{{}, {}}).empty());
}
