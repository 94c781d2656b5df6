//===- MachinesTest.cpp - Import, description and check of machines -------===//
//
// A machine of four servers is written in the form of ASTRA-sim, and imported.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

using namespace cclc::api;
using namespace cclc::test;

static const std::string network =
    "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n";

TEST_CASE("A network of ASTRA-sim is imported, described and healthy") {
  const File file(network);
  Result<std::string> imported = importTarget(file.path);
  INFO(imported.text());
  REQUIRE(imported);
  const File target(*imported);
  Result<Description> description = toolchain().describe({target.path});
  INFO(description.text());
  REQUIRE(description);
  CHECK(description->endpoints == 4);
  CHECK(description->report.json().find("\"endpoints\": 4") != std::string::npos);
  CHECK(description->dot.starts_with("digraph"));
  Result<TargetCheck> check = toolchain().check(target.path);
  INFO(check.text());
  REQUIRE(check);
  CHECK(check->healthy());
  CHECK(check->report.text().starts_with("healthy: "));
}

TEST_CASE("Imports that are not understood say why") {
  const File file(network);
  CHECK(importTarget(file.path, {.nicBandwidth = -1.0})
            .messages()
            .at(0)
            .text.starts_with("the bandwidth of a NIC must be"));
  Result<std::string> fabric = importTarget(file.path, {.fabric = "none.txt"});
  REQUIRE_FALSE(fabric);
  CHECK(fabric.failure() == Failure::Unusable);
  CHECK_FALSE(toolchain().check("none.json"));
  CHECK_FALSE(toolchain().describe({"none"}));
}
