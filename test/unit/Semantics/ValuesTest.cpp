//===- ValuesTest.cpp - Concatenations -------------------------------------===//
//
// Concatenations denote the values of plain lists.
//
//===----------------------------------------------------------------------===//

#include "../../support/RandomProgram.h"
#include "../../support/Text.h"

#include "cclc/Semantics/Concatenations.h"

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
