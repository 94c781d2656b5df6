#include "cclc/Support/Ids.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <type_traits>
#include <unordered_set>
#include <utility>

using namespace cclc;

static_assert(!std::is_convertible_v<uint32_t, RankId>);
static_assert(!std::is_convertible_v<RankId, uint32_t>);
static_assert(!std::is_convertible_v<RankId, ChannelId>);
static_assert(!std::is_constructible_v<ChannelId, RankId>);
static_assert(!std::is_default_constructible_v<RankId>);
static_assert(sizeof(OptionalId<RankId>) == 4);
static_assert(sizeof(OptionalIndex) == 4);
static_assert(std::is_trivially_copyable_v<OptionalId<RankId>>);
static_assert(!std::is_convertible_v<OptionalId<RankId>, uint32_t>);
static_assert(!std::is_constructible_v<OptionalId<RankId>, uint32_t>);

template <class T> static std::string text(T id) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << id;
  return result;
}

TEST_CASE("ids print with the prefix of their kind") {
  CHECK(text(RankId(3)) == "r3");
  CHECK(text(ThreadblockId(0)) == "tb0");
  CHECK(text(ChannelId(12)) == "ch12");
  CHECK(text(OpId(7)) == "%7");
  CHECK(text(InstrId(7)) == "%7");
  CHECK(text(StepIndex(4)) == "4");
}

TEST_CASE("ids compare and hash by index") {
  CHECK(RankId(1) < RankId(2));
  CHECK(RankId(2) == RankId(2));
  CHECK(RankId(0xfffffffe) > RankId(0));
  std::unordered_set<RankId> set = {RankId(1), RankId(2), RankId(1)};
  CHECK(set.size() == 2);
}

TEST_CASE("an optional id is empty until it is assigned") {
  OptionalId<RankId> id;
  CHECK_FALSE(id.has_value());
  CHECK_FALSE(bool(id));
  CHECK(id == OptionalId<RankId>());
  CHECK_FALSE(id == RankId(0));
  id = RankId(0);
  CHECK(id.has_value());
  CHECK(*id == RankId(0));
  CHECK(id == RankId(0));
  CHECK_FALSE(id == RankId(1));
  id = {};
  CHECK_FALSE(id.has_value());
}

TEST_CASE("an optional id has a default where it is read") {
  CHECK(OptionalId<RankId>().value_or(RankId(7)) == RankId(7));
  CHECK(OptionalId<RankId>(RankId(3)).value_or(RankId(7)) == RankId(3));
  CHECK(OptionalIndex(0).value_or(9) == 0);
}

TEST_CASE("an empty optional id comes before all others") {
  OptionalId<RankId> none, first = RankId(0), last = RankId(0xfffffffe);
  CHECK(none < first);
  CHECK(first < last);
  CHECK(none < last);
  CHECK_FALSE(none < OptionalId<RankId>());
  CHECK(std::max(none, first) == first);
}

TEST_CASE("an optional index is a plain index or none") {
  OptionalIndex head;
  CHECK_FALSE(head);
  head = 4;
  CHECK(*head == 4u);
  CHECK(head == 4u);
  CHECK(std::exchange(head, OptionalIndex()) == 4u);
  CHECK(head == OptionalIndex());
}
