//===- NetworkTest.cpp - The table of network models ----------------------===//

#include "Simulation.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("every network model is found by its name and tested", "[network]") {
  std::vector<StringRef> names(std::begin(networks), std::end(networks));
  CHECK(networkNames() == llvm::join(names, ", "));
  Machine ring = machine("ring", {}, 4);
  RouteTable routes(ring);
  DiagnosticEngine diags;
  for (const char *name : networks) {
    INFO(name);
    CHECK(succeeded(checkNetwork(name, diags)));
    CHECK(createNetwork(name, routes));
  }
  CHECK(createNetwork("magic", routes) == nullptr);
  CHECK(failed(checkNetwork("magic", diags)));
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all().front().text == "unknown network 'magic'; it must be one of " + networkNames());
}
