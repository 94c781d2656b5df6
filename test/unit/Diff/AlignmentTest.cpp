//===- AlignmentTest.cpp - The assignment of steps to each other ----------===//

#include "Alignment.h"

#include "../../support/RandomProgram.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::diff;

/// The length of the longest common subsequence, computed by its recurrence.
static size_t longestCommon(ArrayRef<uint64_t> a, ArrayRef<uint64_t> b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

static std::vector<uint64_t> someKeys(Random &random, size_t n, uint32_t different) {
  std::vector<uint64_t> keys;
  for (size_t i = 0; i < n; ++i)
    keys.push_back(random.below(different));
  return keys;
}

/// Checks that paired keys are equal, that no position is paired twice and that pairs in order
/// ascend; returns the number of these.
static size_t checkSound(ArrayRef<uint64_t> a, ArrayRef<uint64_t> b, const Alignment &alignment) {
  std::vector<bool> taken(b.size());
  std::optional<uint32_t> last;
  size_t kept = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!alignment.newOf[i]) {
      CHECK(!alignment.inOrder[i]);
      continue;
    }
    uint32_t j = *alignment.newOf[i];
    REQUIRE(j < b.size());
    CHECK(a[i] == b[j]);
    CHECK(!taken[j]);
    taken[j] = true;
    if (!alignment.inOrder[i])
      continue;
    CHECK((!last || *last < j));
    last = j;
    ++kept;
  }
  return kept;
}

TEST_CASE("distinct keys in order are a longest common subsequence") {
  Random random(1);
  for (int n = 0; n < 300; ++n) {
    // Every key once in each sequence: the pairs in order form a longest common subsequence.
    std::vector<uint64_t> a(random.below(12)), b;
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = i;
    b = a;
    for (size_t i = b.size(); i > 1; --i)
      std::swap(b[i - 1], b[random.below(i)]);
    for (uint32_t gone = random.below(3); gone > 0 && !b.empty(); --gone)
      b.erase(b.begin() + random.below(b.size()));
    CHECK(checkSound(a, b, align(a, b)) == longestCommon(a, b));
  }
}

TEST_CASE("a repeated key is paired as often as it occurs in both sequences") {
  Random random(2);
  for (int n = 0; n < 300; ++n) {
    std::vector<uint64_t> a = someKeys(random, random.below(12), 4),
                          b = someKeys(random, random.below(12), 4);
    Alignment alignment = align(a, b);
    checkSound(a, b, alignment);
    for (uint64_t key = 0; key < 4; ++key) {
      size_t paired = 0;
      for (size_t i = 0; i < a.size(); ++i)
        paired += a[i] == key && alignment.newOf[i];
      CHECK(paired == size_t(std::min(std::count(a.begin(), a.end(), key),
                                      std::count(b.begin(), b.end(), key))));
    }
  }
}
