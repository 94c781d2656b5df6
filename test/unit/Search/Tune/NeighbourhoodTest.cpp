#include "Neighbourhood.h"

#include "cclc/Target/Loader.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
Machine machineOf(const char *name, uint32_t ranks, const std::vector<std::string> &settings = {}) {
  DiagnosticEngine diags;
  TargetRequest request{name, CCLC_TARGET_DIR, {}, ranks};
  REQUIRE(succeeded(parseOverrides(settings, request.overrides, diags)));
  FailureOr<Machine> machine = loadTarget(request, diags);
  REQUIRE(succeeded(machine));
  return std::move(*machine);
}
} // namespace

TEST_CASE("the order of ranks matters where they have unequal neighbours", "[tune]") {
  CHECK_FALSE(mayGainByPlacement(machineOf("ndv4", 16)));
  CHECK_FALSE(mayGainByPlacement(machineOf("dgx-h100", 32)));
  CHECK(mayGainByPlacement(machineOf("ndv4", 16, {"links.node0.nic0<->fabric=off"})));
  CHECK(
      mayGainByPlacement(machineOf("ndv4", 16, {"links.node1.gpu3->node1.switch.bandwidth=1e9"})));
  CHECK(mayGainByPlacement(machineOf("mesh2d", 16)));
  CHECK(mayGainByPlacement(machineOf("ahbm", 256)));
  CHECK(hasGrid(machineOf("ahbm", 256)));
  CHECK_FALSE(hasGrid(machineOf("ndv4", 16)));
  CHECK(hasGrid(machineOf("ring", 8)));
}
