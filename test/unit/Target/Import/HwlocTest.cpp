//===- HwlocTest.cpp - Servers from XML of hwloc --------------------------===//

#include "Imports.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string pciObject(const std::string &type, const std::string &bus, const std::string &rest) {
  return "<object type=\"" + type + "\" pci_busid=\"" + bus + "\" " + rest;
}
std::string hwlocGpu(const std::string &bus, const std::string &index, const std::string &speed) {
  return pciObject("PCIDev", bus,
                   "gp_index=\"" + index + "\" pci_type=\"0302 [10de:20b2] a1\" pci_link_speed=\"" +
                       speed + "\"/>");
}
std::string hwlocOf(const std::string &objects, const std::string &matrix = "") {
  return "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\">" + objects +
         "</object></object>" + matrix + "</topology>";
}
std::string matrixOf(const std::string &kind, const std::string &indexes,
                     const std::string &values) {
  return "<" + kind + " name=\"NVLinkBandwidth\"><indexes>" + indexes + "</indexes><u64values>" +
         values + "</u64values></" + kind + ">";
}
} // namespace

TEST_CASE("bridges that several devices share are nodes", "[import]") {
  const std::string shared =
      pciObject("Bridge", "b1", "bridge_type=\"1-1\" pci_link_speed=\"15.5\">") +
      hwlocGpu("1", "1", "31.5") + hwlocGpu("2", "2", "31.5") + "</object>";
  const std::string single =
      pciObject("Bridge", "b2", "bridge_type=\"1-1\" pci_link_speed=\"7.5\">") +
      hwlocGpu("3", "3", "31.5") + "</object>";
  CHECK(linksOf(hwlocOf("<object type=\"Bridge\" bridge_type=\"0-1\">" + shared + single +
                        "</object>")) == R"(
    pci-b1 - cpu0 15
    gpu0 - pci-b1 31
    gpu1 - pci-b1 31
    gpu2 - cpu0 7
    )"_lines);
}

TEST_CASE("matrices have links to GPUs and to NVSwitches", "[import]") {
  const std::string gpus = hwlocGpu("1", "7", "31.5") + hwlocGpu("2", "8", "31.5");
  CHECK(linksOf(hwlocOf(gpus, matrixOf("distances2", "7 8", "9 50000 50000 9"))) == R"(
    gpu0 - gpu1 50
    gpu0 - cpu0 31
    gpu1 - cpu0 31
    )"_lines);
  DiagnosticEngine diags;
  FailureOr<std::string> target = importMachine(
      {"file", hwlocOf(gpus, matrixOf("distances2hetero", "PCIDev:7 PCIDev:8 PCIDev:9",
                                      "0 0 300000 0 0 300000 300000 300000 0"))},
      {}, diags);
  REQUIRE(succeeded(target));
  const nlohmann::json read = nlohmann::json::parse(*target);
  CHECK(read["family"] == "switched");
  CHECK(read["node_link"]["bandwidth"] == 300'000'000'000);
}

TEST_CASE("links of one direction count with the lower rate", "[import]") {
  std::string messages;
  CHECK(linksOf(hwlocOf(hwlocGpu("1", "7", "31.5") + hwlocGpu("2", "8", "31.5"),
                        matrixOf("distances2", "7 8", "9 50000 25000 9")),
                {}, messages)
            .find("gpu0 - gpu1 25\n") == 0);
  CHECK(messages.find("gpu0 lists 50 GB/s of NVLinks to gpu1, which lists 25 GB/s back") !=
        std::string::npos);
}
