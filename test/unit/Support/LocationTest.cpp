#include "cclc/Support/Location.h"

#include <catch2/catch.hpp>

#include <map>
#include <tuple>

using namespace cclc;

TEST_CASE("a new table contains only the unknown location") {
  LocTable table;
  CHECK(table.entries().size() == 1);
  CHECK(table.files().size() == 1);
  CHECK_FALSE(table.resolve(LocTable::unknown()).isKnown());
  CHECK(table.resolve(LocTable::unknown()) == Location());
}

TEST_CASE("equal positions get equal ids, different ones different ids") {
  // Few files, lines and columns, so that most positions occur many times.
  LocTable table;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, uint32_t> ids;
  uint32_t state = 1;
  auto next = [&](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int i = 0; i < 5000; ++i) {
    std::string file = "file" + std::to_string(next(3));
    uint32_t line = next(20), column = next(4);
    LocId id = table.intern(file, line, column);
    CHECK(table.resolve(id) == Location{file, line, column});
    auto [it, inserted] = ids.try_emplace({file, line, column}, id.index());
    REQUIRE(it->second == id.index());
  }
  CHECK(ids.size() == 3 * 20 * 4);
  CHECK(table.entries().size() == 1 + ids.size());
  CHECK(table.files().size() == 1 + 3);
}

TEST_CASE("ids are dense and in the order of first use") {
  LocTable table;
  CHECK(table.intern("a", 1).index() == 1);
  CHECK(table.intern("b", 1).index() == 2);
  CHECK(table.intern("a", 1).index() == 1);
  CHECK(table.intern("a", 1, 1).index() == 3);
  CHECK(table.files()[1] == "a");
  CHECK(table.files()[2] == "b");
}

TEST_CASE("append does not search for an equal position") {
  LocTable table;
  FileId file = table.internFile("a");
  LocId first = table.append(file, 3, 4), second = table.append(file, 3, 4);
  CHECK(first != second);
  CHECK(table.resolve(first) == table.resolve(second));
}
