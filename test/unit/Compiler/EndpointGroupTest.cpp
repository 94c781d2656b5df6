//===- EndpointGroupTest.cpp - The arrangement of a group of endpoints ----===//

#include "Plans.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// "sip 2 x cube 16 x pe 8", as the program sees it.
std::string levelsOf(const std::string &target, std::vector<uint32_t> endpoints) {
  CompileRequest request;
  request.target = targetRequest(target);
  request.endpoints = endpoints;
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled("allgather_ring"), request, diags);
  if (failed(outcome))
    FAIL(textOf(diags));
  const ProgramInfo &info = outcome->plan.info();
  CHECK(info.placementOnTarget == endpoints);
  CHECK(info.ranks() == endpoints.size());
  CHECK(diags.all().empty());
  std::string text;
  for (const GridLevel &level : info.geometry.levels)
    text += (text.empty() ? "" : " x ") + level.name + ' ' + std::to_string(level.size()) + ' ' +
            std::string(gridKindName(level.kind));
  return text;
}

/// The numbers from \p first on.
std::vector<uint32_t> from(uint32_t first, uint32_t count) {
  std::vector<uint32_t> numbers;
  for (uint32_t n = first; n < first + count; ++n)
    numbers.push_back(n);
  return numbers;
}

std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
} // namespace

TEST_CASE("a group has the levels that it fills", "[endpoints]") {
  // Two SIPs of 4 x 4 cubes of 8 PEs.
  CHECK(levelsOf("ahbm", from(0, 256)) == "sip 2 ring_1d x cube 16 mesh_2d_no_wrap x pe 8 flat");
  CHECK(levelsOf("ahbm", from(128, 128)) == "cube 16 mesh_2d_no_wrap x pe 8 flat");
  CHECK(levelsOf("ahbm", from(40, 8)) == "pe 8 flat");
  CHECK(levelsOf("ahbm", from(40, 8) + from(8, 8)) == "cube 2 flat x pe 8 flat");
  // Not whole cubes, but as many PEs of each SIP.
  CHECK(levelsOf("ahbm", from(4, 8) + from(130, 8)) == "sip 2 flat x rank 8 flat");
  CHECK(levelsOf("ahbm", from(4, 8) + from(130, 7)) == "rank 15 flat");
  CHECK(levelsOf("ahbm", from(4, 8)) == "rank 8 flat");
  CHECK(levelsOf("ahbm", {0, 128}) == "rank 2 flat");
  CHECK(levelsOf("ahbm", {7, 6, 5, 4, 3, 2, 1, 0}) == "rank 8 flat");
}

TEST_CASE("a group of a scalable target determines its size", "[endpoints]") {
  CHECK(levelsOf("ring", {9, 3, 5}) == "rank 3 flat");
  CHECK(levelsOf("ndv4", from(16, 8)) == "gpu 8 flat");
  CHECK(levelsOf("ndv4", from(6, 4)) == "node 2 flat x rank 2 flat");
}
