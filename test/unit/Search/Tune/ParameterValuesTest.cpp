//===- ParameterValuesTest.cpp - Which values of parameters are tried -----===//

#include "ParameterValues.h"

#include <catch2/catch.hpp>

using namespace cclc;
using dsl::IntParam;
using dsl::ParamSpec;
using Values = std::vector<std::string>;

namespace {
constexpr IntParam number{.name = "n", .help = "", .value = 3, .min = 0, .max = 1000};
const ParameterValues declared({}, 16);
} // namespace

TEST_CASE("a number is doubled up to a limit, unless its declaration says otherwise", "[tune]") {
  const ParamSpec usual(number), few(number.doubled(8));
  REQUIRE(declared.ladder(usual));
  CHECK(declared.ladder(usual)->lowest == 1);
  CHECK(declared.ladder(usual)->highest == 256);
  CHECK(declared.ladder(few)->highest == 8);
  CHECK(declared.first(few) == "1");
  CHECK(declared.others(few).empty());
  CHECK(declared.nextTo(few, "3") == Values{"6", "1"});
  CHECK(declared.nextTo(few, "8") == Values{"4"});
  CHECK(declared.nextTo(few, "1") == Values{"2"});
  // A limit beyond the domain is that of the domain.
  const ParamSpec within(
      IntParam{.name = "n", .help = "", .value = 2, .min = 2, .max = 6}.doubled(64));
  CHECK(declared.ladder(within)->lowest == 2);
  CHECK(declared.ladder(within)->highest == 6);
}

TEST_CASE("values that are declared are tried beside the default", "[tune]") {
  const ParamSpec spec(number.tuned({1, 2, 3, 40}));
  CHECK_FALSE(declared.ladder(spec));
  CHECK(declared.first(spec) == "3");
  CHECK(declared.others(spec) == Values{"1", "2"}); // of 40 none of 16 ranks has use
  CHECK(declared.nextTo(spec, "2") == Values{"1", "3"});
  const ParamSpec fixed(number.fixed());
  CHECK(declared.first(fixed) == "3");
  CHECK(declared.others(fixed).empty());
  CHECK(declared.nextTo(fixed, "3").empty());
}

TEST_CASE("the last values that are declared apply", "[tune]") {
  const ParamSpec spec(number.tuned({1, 2}).tuned({4}));
  CHECK(declared.first(spec) == "3");
  CHECK(declared.others(spec) == Values{"4"});
}

TEST_CASE("given values replace those of the declaration", "[tune]") {
  const ParameterValues given({{"n", {"007", "5"}}, {"fast", {"on"}}}, 16);
  for (const ParamSpec &spec :
       {ParamSpec(number), ParamSpec(number.fixed()), ParamSpec(number.tuned({1}))}) {
    CHECK_FALSE(given.ladder(spec));
    CHECK(given.first(spec) == "7");
    CHECK(given.others(spec) == Values{"5"});
    CHECK(given.nextTo(spec, "5") == Values{"7"});
  }
  const ParamSpec flag(dsl::BoolParam{.name = "fast", .help = "", .value = false});
  CHECK(given.first(flag) == "yes");
  CHECK(given.others(flag).empty());
  CHECK(given.nextTo(flag, "yes").empty());
}
