//===- MachineDescriptionTest.cpp - Figures of machines with closed forms -===//

#include "cclc/Views/MachineView/MachineDescription.h"

#include "Plans.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Described {
  Machine machine;
  MachineDescription figures;
};

Described describedTarget(const std::string &target, const std::vector<std::string> &sets = {},
                          std::optional<uint32_t> ranks = std::nullopt) {
  TargetRequest request = targetRequest(target, sets);
  request.ranks = ranks;
  DiagnosticEngine diags;
  std::string resolved;
  FailureOr<Machine> machine = loadTarget(request, diags, &resolved);
  REQUIRE(succeeded(machine));
  MachineDescription figures = describe(*machine, resolved);
  return {std::move(*machine), std::move(figures)};
}
} // namespace

TEST_CASE("the figures of a ring have closed forms", "[describe]") {
  for (uint32_t n : {2u, 3u, 8u, 13u}) {
    INFO(n);
    auto [machine, figures] = describedTarget("ring", {}, n);
    CHECK(figures.family == "graph");
    REQUIRE(figures.diameter);
    CHECK(figures.diameter->sources == n);
    CHECK(figures.diameter->hops == n / 2);
    CHECK(figures.diameter->latency == machine.latency(machine.links().front()) * (n / 2));
    CHECK(figures.diameter->unreachable == 0);
    uint64_t rate = machine.links().front().bandwidth.bytesPerSecond();
    uint64_t links = n > 2 ? 2 : 1; // of an endpoint in each direction, and over the cut
    REQUIRE(figures.bisection);
    CHECK(figures.bisection->firstHalf == (n + 1) / 2);
    CHECK(figures.bisection->there == Bandwidth(links * rate));
    CHECK(figures.bisection->back == Bandwidth(links * rate));
    CHECK(figures.out.least == Bandwidth(links * rate));
    CHECK(figures.in.most == Bandwidth(links * rate));
    REQUIRE(figures.links.size() == 1);
    CHECK(figures.links.front().from == "n*");
    CHECK(figures.links.front().number == machine.links().size());
  }
}

TEST_CASE("the figures of nodes behind switches have closed forms", "[describe]") {
  auto [machine, figures] = describedTarget("dgx-h100", {"nodes=4"});
  REQUIRE(figures.nodes.size() == 4);
  CHECK(figures.nodes[1].name == "node*.switch");
  CHECK(figures.nodes[1].number == 4);
  CHECK_FALSE(figures.nodes[1].isEndpoint);
  CHECK(figures.nodes[2].name == "node*.gpu*");
  CHECK(figures.nodes[2].number == 32);
  CHECK(figures.nodes[2].isEndpoint);
  CHECK(figures.links.size() == 6);
  CHECK(figures.diameter->hops == 4);
  CHECK(figures.diameter->hopsTo == EndpointId(8)); // the first GPU of another node
  CHECK(figures.bisection->there == Bandwidth(16 * 50'000'000'000));
  CHECK(figures.out.least == Bandwidth(500'000'000'000));
}

TEST_CASE("only links on routes count for the rate of an endpoint", "[describe]") {
  auto [machine, figures] = describedTarget("ahbm");
  CHECK(figures.out.least == Bandwidth(256'000'000'000));
  CHECK(figures.out.most == Bandwidth(256'000'000'000));
  CHECK(figures.in.least == Bandwidth(256'000'000'000));
  CHECK(figures.bisection->there == Bandwidth(512'000'000'000));
}

TEST_CASE("slots are in a memory if the machine has several or an access costs", "[describe]") {
  CHECK(describedTarget("ahbm").figures.slotMemory == "tcm");
  CHECK(describedTarget("ahbm", {"ipcq.slot_memory=hbm"}).figures.slotMemory == "hbm");
  for (const char *name : {"ring", "dgx-h100", "mi300x", "bluefield3"})
    CHECK(describedTarget(name).figures.slotMemory == "");
  CHECK(describedTarget("ring", {"queue.slot_memory=sram", "queue.access.sram.latency=1e-9"})
            .figures.slotMemory == "sram");
}

TEST_CASE("missing links have no rate and leave endpoints without routes", "[describe]") {
  auto [machine, figures] = describedTarget("ring", {"links.n0->*=off", "links.n1->n2=off"}, 4);
  CHECK(figures.diameter->unreachable == 5); // n0 to all, n1 to n2 and n3
  CHECK_FALSE(figures.out.least);
  CHECK(figures.bisection->there == std::nullopt);
  CHECK(figures.bisection->back == Bandwidth(200'000'000'000));
  CHECK(figures.links.size() == 2);
}

TEST_CASE("one endpoint has neither diameter nor bisection", "[describe]") {
  auto [machine, figures] = describedTarget("ring", {}, 1);
  CHECK_FALSE(figures.diameter);
  CHECK_FALSE(figures.bisection);
  CHECK_FALSE(figures.out.most);
}

TEST_CASE("the longest routes of a large machine are those from its first endpoints",
          "[describe]") {
  auto [machine, figures] = describedTarget("torus2d", {}, 4096);
  REQUIRE(figures.diameter);
  CHECK(figures.diameter->sources < 4096);
  CHECK(figures.diameter->hops == 64);
  CHECK(figures.out.least == Bandwidth(400'000'000'000));
}

TEST_CASE("the JSON form has the figures, with null for no limit", "[describe]") {
  auto [machine, figures] = describedTarget("ideal", {"link.bandwidth=0"}, 4);
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDescriptionJson(machine, figures, os);
  auto json = nlohmann::json::parse(text);
  CHECK(json["format"] == "cclc-target-description");
  CHECK(json["endpoints"] == 4);
  CHECK(json["links"][0]["number"] == 12);
  CHECK(json["links"][0]["bandwidth_gbs"].is_null());
  CHECK(json["network"]["model"] == "ideal");
  CHECK(json["network"]["diameter"]["hops"] == 1);
  CHECK(json["network"]["bisection"]["there_gbs"].is_null());
  CHECK(json["limits"]["channels"].is_null());
}
