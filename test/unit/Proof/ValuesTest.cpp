//===- ValuesTest.cpp - Concatenations and ranks of sums ------------------===//
//
// Concatenations denote the values of plain lists, and the ranks of a sum are those of its leaves.
//
//===----------------------------------------------------------------------===//

#include "../../support/RandomProgram.h"
#include "../../support/Text.h"

#include "cclc/Proof/Concatenations.h"
#include "cclc/Proof/SummedRanks.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::test;

TEST_CASE("concatenations denote the values of their lists", "[property]") {
  for (uint64_t seed = 0; seed < scaled(200); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Concatenations joined;
    // Runs and the lists of plain values that they denote.
    std::vector<std::pair<ValueRun, std::vector<uint32_t>>> known;
    for (uint32_t first : {5, 100, 1000}) {
      std::vector<uint32_t> list;
      for (uint32_t i = 0; i < 6; ++i)
        list.push_back(first + i);
      known.push_back({{ValueId(first), 6}, list});
    }
    std::map<std::vector<std::pair<uint32_t, uint32_t>>, ValueId> made;
    for (unsigned i = 0; i < 40; ++i) {
      ValueRuns runs;
      std::vector<std::pair<uint32_t, uint32_t>> key;
      std::vector<uint32_t> list;
      for (uint32_t n = random.between(2, 4); n > 0; --n) {
        const auto &[run, values] = known[random.between(0, known.size() - 1)];
        uint32_t begin = random.between(0, run.length - 1);
        uint32_t length = std::min<uint32_t>(random.between(1, run.length - begin), 20);
        runs.push_back({ValueTable::advanced(run.first, begin), length});
        key.emplace_back(runs.back().first.index(), length);
        list.insert(list.end(), values.begin() + begin, values.begin() + begin + length);
      }
      std::optional<ValueId> whole = joined.join(runs);
      REQUIRE(whole);
      CHECK(joined.contains(*whole));
      auto [it, isNew] = made.try_emplace(key, *whole);
      CHECK(it->second == *whole);
      CHECK(joined.join(runs) == whole);
      known.push_back({{*whole, uint32_t(list.size())}, list});
      std::vector<uint32_t> resolved;
      for (ValueRun part : joined.resolve(known.back().first)) {
        CHECK_FALSE(joined.contains(part.first));
        for (uint32_t c = 0; c < part.length; ++c)
          resolved.push_back(part.first.index() + c);
      }
      CHECK(resolved == list);
      uint32_t c = random.between(0, list.size() - 1);
      CHECK(joined.resolve(ValueTable::advanced(*whole, c)).index() == list[c]);
    }
  }
}

TEST_CASE("ranges of deep concatenations are resolved") {
  Concatenations joined;
  ValueId whole(1);
  const uint32_t depth = 5000;
  for (uint32_t n = 1; n <= depth; ++n)
    whole = *joined.join({ValueRun{whole, n}, ValueRun{ValueId(10 * n), 1}});
  CHECK(joined.resolve(whole) == ValueId(1));
  CHECK(joined.resolve(ValueTable::advanced(whole, depth)) == ValueId(10 * depth));
  ValueRuns parts = joined.resolve(ValueRun{whole, depth + 1});
  REQUIRE(parts.size() == depth + 1);
  CHECK(parts[1].first == ValueId(10));
}

TEST_CASE("the ranks of sums are those of their leaves", "[property]") {
  size_t decided = 0, right = 0;
  for (uint64_t seed = 0; seed < scaled(400); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const uint32_t ranks = random.between(1, 5), chunks = random.between(1, 4);
    ValueTable values(Collective(CollectiveKind::AllReduce, ranks, chunks));
    // Runs, among which the operands are chosen, mostly with one index and disjoint ranks.
    std::vector<ValueRun> runs;
    for (uint32_t r = 0; r < ranks; ++r)
      runs.push_back({values.contribution({RankId(r), 0}), chunks});
    for (unsigned i = 0; i < 12; ++i) {
      ValueRun lhs = runs[random.between(0, runs.size() - 1)];
      ValueRun rhs = runs[random.between(0, runs.size() - 1)];
      uint32_t skipped = random.between(0, chunks - 1), other = skipped;
      if (random.chance(10))
        other = random.between(0, chunks - 1);
      if (skipped >= lhs.length || other >= rhs.length)
        continue;
      uint32_t length = std::min(lhs.length - skipped, rhs.length - other);
      runs.push_back({values.combine(ValueTable::advanced(lhs.first, skipped),
                                     ValueTable::advanced(rhs.first, other), WriterId(i), length),
                      length});
    }
    SummedRanks summed(values);
    for (ValueRun run : runs)
      for (uint32_t c = 0; c < run.length && values.isSum(run.first); ++c) {
        ValueId v = ValueTable::advanced(run.first, c);
        uint32_t index = random.between(0, chunks - 1);
        std::vector<Contribution> leaves = values.contributions(v, SIZE_MAX), all;
        std::sort(leaves.begin(), leaves.end());
        if (random.chance(70))
          index = leaves.front().index;
        for (uint32_t r = 0; r < ranks; ++r)
          all.push_back({RankId(r), index});
        if (std::optional<bool> adds = summed.addsAll(v, index, ranks)) {
          CHECK(*adds == (leaves == all));
          ++decided;
          right += *adds;
        }
      }
  }
  CHECK(decided > 100);
  CHECK(right > 10);
}

TEST_CASE("the sums of a ring and of halving are decided without expansion") {
  const uint32_t ranks = 8;
  ValueTable values(Collective(CollectiveKind::AllReduce, ranks, ranks));
  std::vector<ValueId> finals;
  for (uint32_t c = 0; c < ranks; ++c) { // a chain that begins at rank c
    ValueId sum = values.contribution({RankId(c), c});
    for (uint32_t i = 1; i < ranks; ++i)
      sum = values.combine(values.contribution({RankId((c + i) % ranks), c}), sum, WriterId(0));
    finals.push_back(sum);
  }
  std::vector<ValueId> ofRank; // chunk 0 after each step of halving
  for (uint32_t r = 0; r < ranks; ++r)
    ofRank.push_back(values.contribution({RankId(r), 0}));
  for (uint32_t distance = 1; distance < ranks; distance *= 2)
    for (uint32_t r = 0; r < ranks; r += 2 * distance)
      ofRank[r] = values.combine(ofRank[r], ofRank[r + distance], WriterId(1), 1);
  SummedRanks summed(values);
  for (uint32_t c = 0; c < ranks; ++c) {
    CHECK(summed.addsAll(finals[c], c, ranks) == true);
    CHECK(summed.addsAll(finals[c], (c + 1) % ranks, ranks) == false);
    CHECK(summed.addsAll(finals[c], c, ranks + 1) == false);
  }
  CHECK(summed.addsAll(ofRank[0], 0, ranks) == true);
}
