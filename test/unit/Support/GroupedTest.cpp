//===- GroupedTest.cpp - Counting sorts -----------------------------------===//

#include "cclc/Support/Grouped.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>

using namespace cclc;

TEST_CASE("Values are grouped by a key in the order of their arrival") {
  const std::vector<std::string> words = {"pear", "fig", "plum", "kiwi", "nut"};
  GroupedValues<std::string> byLength(6, [&](auto add) {
    for (const std::string &word : words)
      if (word != "kiwi")
        add(word.size(), word + "s");
  });
  CHECK(byLength.size() == 6);
  CHECK(byLength[3].vec() == std::vector<std::string>{"figs", "nuts"});
  CHECK(byLength[4].vec() == std::vector<std::string>{"pears", "plums"});
  CHECK(byLength[5].empty());
  CHECK(byLength.all().vec() == std::vector<std::string>{"figs", "nuts", "pears", "plums"});
}

TEST_CASE("Numbers are sorted by a key as by a stable sort") {
  std::mt19937 random(7);
  for (uint32_t length : {0, 1, 50}) {
    std::vector<uint32_t> keys(length), numbers(length);
    for (uint32_t i = 0; i < length; ++i) {
      keys[i] = random() % 9;
      numbers[i] = length - 1 - i;
    }
    auto keyOf = [&](uint32_t number) { return keys[number]; };
    std::vector<uint32_t> sorted = numbers;
    // Numbers come in falling order, which equal keys keep. (clang 19 warns of what
    // std::stable_sort of libstdc++ 12 calls.)
    std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
      return keys[a] != keys[b] ? keys[a] < keys[b] : a > b;
    });
    CHECK(sortedBy(numbers, 9, keyOf) == sorted);
    Grouped grouped(9, length, keyOf);
    std::vector<uint32_t> concatenated;
    for (uint32_t key = 0; key < grouped.size(); ++key)
      concatenated.insert(concatenated.end(), grouped[key].begin(), grouped[key].end());
    CHECK(concatenated == grouped.all().vec());
  }
}
