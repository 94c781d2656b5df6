//===- HealthTest.cpp - Parts that differ from their siblings -------------===//

#include "Imports.h"

#include "cclc/Target/Import/Health.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// GPUs with numbers of NVLinks to the NVSwitches, and links of PCIe.
std::string serverOf(const std::vector<std::pair<int, std::string>> &gpus,
                     const std::string &more = "") {
  std::string text = R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">)";
  for (size_t g = 0; g < gpus.size(); ++g) {
    text += "<pci busid=\"0000:1" + std::to_string(g) + ":00.0\" class=\"0x030200\" link_speed=\"" +
            gpus[g].second + "\" link_width=\"16\"><gpu dev=\"" + std::to_string(g) +
            "\" sm=\"80\">";
    if (gpus[g].first > 0)
      text += "<nvlink target=\"0000:a0:00.0\" count=\"" + std::to_string(gpus[g].first) +
              "\" tclass=\"0x068000\"/>";
    text += "</gpu></pci>";
  }
  return text + more + "</cpu></system>";
}
const std::string pcie4 = "16.0 GT/s PCIe", pcie3 = "8.0 GT/s PCIe";

MachineHealth healthOf(const std::string &text) {
  DiagnosticEngine diags;
  ImportOptions options;
  options.name = "machine";
  FailureOr<MachineHealth> health = examineFile({"file", text}, options, diags);
  REQUIRE(succeeded(health));
  return std::move(*health);
}

/// The links of a target as "gpu0 - nvswitch 300"; those to the switches if there are others.
std::string ratesOf(const std::string &target) {
  std::string lines;
  const nlohmann::json read = nlohmann::json::parse(target);
  if (read.contains("node_link"))
    return "all " + std::to_string(read["node_link"]["bandwidth"].get<uint64_t>() / 1'000'000'000);
  for (const auto &link : read["links"])
    if (link["to"] == "nvswitch")
      lines += link["from"].get<std::string>() + " " +
               std::to_string(link["bandwidth"].get<uint64_t>() / 1'000'000'000) + " ";
  return lines;
}
} // namespace

TEST_CASE("a finding has the machine with it alone, and without any", "[import]") {
  const MachineHealth health =
      healthOf(serverOf({{12, pcie4}, {8, pcie4}, {0, pcie4}, {12, pcie4}}));
  CHECK(health.summary == "4 GPUs, 32 NVLinks");
  REQUIRE(health.findings.size() == 2);
  CHECK(health.findings[0].text ==
        "gpu2 has no NVLink, 2 others have 12 (300 GB/s): 31.507 GB/s of PCIe left");
  CHECK(health.findings[0].parts == std::vector<std::string>{"gpu2"});
  CHECK(ratesOf(health.findings[0].with) == "gpu0 300 gpu1 300 gpu3 300 ");
  CHECK(health.findings[1].text == "gpu1 has 8 NVLinks (200 GB/s), 2 others have 12 (300 GB/s)");
  CHECK(ratesOf(health.findings[1].with) == "gpu0 300 gpu1 200 gpu2 300 gpu3 300 ");
  CHECK(ratesOf(health.findings[0].without) == "all 300");
  CHECK(ratesOf(health.findings[1].without) == "all 300");
}

TEST_CASE("servers without a difference are healthy", "[import]") {
  const MachineHealth health = healthOf(serverOf({{12, pcie4}, {12, pcie4}}));
  CHECK(health.summary == "2 GPUs, 24 NVLinks");
  CHECK(health.findings.empty());
}

TEST_CASE("parts with unknown values of siblings have no cost", "[import]") {
  const MachineHealth health = healthOf(serverOf({{0, pcie4}, {0, pcie3}, {0, pcie4}}));
  REQUIRE(health.findings.size() == 1);
  CHECK(health.findings[0].text == "gpu1 has 15.753 GB/s of PCIe, the other 2 have 31.507 GB/s");
  CHECK_FALSE(health.findings[0].with.empty());
  const MachineHealth looped = healthOf(serverOf(
      {{0, pcie4}}, R"(<pci busid="0000:0f:00.0" link_speed="16.0 GT/s PCIe" link_width="16">)"
                    R"(<gpu dev="7" sm="80"><nvlink target="0000:0f:00.0" count="2" )"
                    R"(tclass="0x030200"/></gpu></pci>)"));
  REQUIRE_FALSE(looped.findings.empty());
  CHECK(looped.findings.back().text == "gpu7 lists NVLinks to the same GPU, which carry nothing");
  CHECK(looped.findings.back().with.empty());
}

TEST_CASE("direct links that two GPUs lack are between these", "[import]") {
  std::string text = R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">)";
  for (int gpu = 0; gpu < 4; ++gpu) {
    text += "<pci busid=\"0000:1" + std::to_string(gpu) +
            ":00.0\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" +
            std::to_string(gpu) + "\" sm=\"80\">";
    for (int other = 0; other < 4; ++other)
      if (other != gpu)
        text += "<nvlink target=\"0000:1" + std::to_string(other) + ":00.0\" count=\"" +
                (gpu + other == 1 ? "1" : "4") + "\" tclass=\"0x030200\"/>";
    text += "</gpu></pci>";
  }
  const MachineHealth health = healthOf(text + "</cpu></system>");
  REQUIRE(health.findings.size() == 1);
  CHECK(health.findings[0].text ==
        "gpu0 and gpu1 have 9 NVLinks (225 GB/s), the other 2 have 12 (300 GB/s)");
  for (const auto &[target, rate] :
       {std::pair(health.findings[0].with, 25), std::pair(health.findings[0].without, 100)}) {
    const nlohmann::json machine = nlohmann::json::parse(target);
    for (const auto &link : machine["links"])
      if (link["from"] == "gpu0" && link["to"] == "gpu1")
        CHECK(link["bandwidth"].get<uint64_t>() == uint64_t(rate) * 1'000'000'000);
  }
}
