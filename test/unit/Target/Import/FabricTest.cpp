//===- FabricTest.cpp - Fabrics from ibnetdiscover ------------------------===//

#include "Imports.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// A switch with the lines of its ports.
std::string switchOf(const std::string &name, const std::string &ports) {
  return "switchguid=0x1(1)\nSwitch\t36 \"S-" + name + "\"\t# \"MF0;" + name +
         ":MSB7800/U1\" enhanced port 0 lid 1 lmc 0\n" + ports + "\n";
}
std::string hostOf(const std::string &name, const std::string &adapter, const std::string &port) {
  return "caguid=0x2\nCa\t1 \"H-" + name + adapter + "\"\t# \"" + name + " " + adapter +
         "\"\n[1](2) " + port + "\n\n";
}
std::string port(int number, const std::string &id, int other, const std::string &rate,
                 const std::string &description = "x") {
  return "[" + std::to_string(number) + "] \"" + id + "\"[" + std::to_string(other) + "] # \"" +
         description + "\" lid 1 " + rate + "\n";
}
} // namespace

TEST_CASE("a cable that both ends list is one link", "[import]") {
  std::string messages;
  CHECK(linksOf(switchOf("leaf", port(1, "H-am0", 1, "4xHDR") + port(2, "H-bm0", 1, "2xHDR") +
                                     port(3, "H-am1", 1, "4xNDR")) +
                    hostOf("a", "m0", port(1, "S-leaf", 1, "4xHDR").substr(3)) +
                    hostOf("b", "m0", port(1, "S-leaf", 2, "2xHDR").substr(3)) +
                    hostOf("a", "m1", port(1, "S-leaf", 3, "4xNDR").substr(3)),
                {}, messages) == R"(
    leaf - a 25
    leaf - b 12
    leaf - a 50
    )"_lines);
  CHECK(messages == "");
}

TEST_CASE("half cables and unequal rates are reported", "[import]") {
  std::string messages;
  CHECK(linksOf(
            switchOf("leaf", port(1, "H-am0", 1, "4xEDR") + port(2, "H-bm0", 1, "4xEDR", "b m0")) +
                hostOf("a", "m0", port(1, "S-leaf", 1, "1xEDR").substr(3)),
            {}, messages) == R"(
    leaf - a 3
    leaf - b 12
    )"_lines);
  CHECK(messages == R"(
    the cable of port 1 of 'leaf' has 12.500 GB/s, but 3.125 GB/s at its other end: the lower rate counts
    the cable of port 2 of 'leaf' is not listed at its other end
    )"_lines);
}

TEST_CASE("adapters of switches are no hosts, and products no names", "[import]") {
  CHECK(linksOf(switchOf("leaf", port(1, "H-1", 1, "4xEDR") + port(2, "H-2", 1, "4xEDR") +
                                     port(37, "H-3", 1, "4xEDR")) +
                "caguid=0x1\nCa 1 \"H-1\" # \"MT4115 ConnectX5 Mellanox Technologies\"\n"
                "[1](1) \"S-leaf\"[1] # lid 1 lmc 0 \"leaf\" lid 2 4xEDR\n\n"
                "caguid=0x2\nCa 1 \"H-2\" # \"MT4115 ConnectX5 Mellanox Technologies\"\n"
                "[1](2) \"S-leaf\"[2] # lid 1 lmc 0 \"leaf\" lid 2 4xEDR\n\n"
                "caguid=0x3\nCa 1 \"H-3\" # \"Mellanox Technologies Aggregation Node\"\n"
                "[1](3) \"S-leaf\"[37] # lid 1 lmc 0 \"leaf\" lid 2 4xEDR\n") == R"(
    leaf - H-1 12
    leaf - H-2 12
    )"_lines);
}

TEST_CASE("hosts are chosen by number or by list", "[import]") {
  std::string fabric =
      switchOf("leaf", port(1, "H-n1m", 1, "4xEDR") + port(2, "H-n2m", 1, "4xEDR") +
                           port(3, "H-n03m", 1, "4xEDR"));
  for (std::string name : {"n1", "n2", "n03"})
    fabric += "caguid=0x1\nCa 1 \"H-" + name + "m\" # \"" + name + " m\"\n\n";
  ImportOptions options;
  options.gpusPerHost = 2;
  DiagnosticEngine diags;
  REQUIRE(succeeded(parseNodes("n[03-03],n[1-1]", options, diags)));
  CHECK(options.hosts == std::vector<std::string>{"n03", "n1"});
  CHECK(linksOf(fabric, options) == R"(
    n03.gpu0 - n03 no limit
    n03.gpu1 - n03 no limit
    n1.gpu0 - n1 no limit
    n1.gpu1 - n1 no limit
    leaf - n1 12
    leaf - n03 12
    )"_lines);
  CHECK(failed(parseNodes("n[4294967295]", options, diags)));
  options = {};
  options.nodes = 2;
  CHECK(linksOf(fabric, options) == R"(
    leaf - n1 12
    leaf - n2 12
    )"_lines);
}

TEST_CASE("lists of hosts have brackets, ranges and zeros", "[import]") {
  auto hosts = [](const char *list) {
    DiagnosticEngine diags;
    ImportOptions options;
    return failed(parseNodes(list, options, diags)) ? std::vector<std::string>{"wrong"}
                                                    : options.hosts;
  };
  using Names = std::vector<std::string>;
  CHECK(hosts("a[1-2]b[3,05]c,d") == Names{"a1b3c", "a1b05c", "a2b3c", "a2b05c", "d"});
  CHECK(hosts("n[009-011]") == Names{"n009", "n010", "n011"});
  CHECK(hosts("x-1,y-2") == Names{"x-1", "y-2"});
  for (const char *wrong : {"n[", "n[]", "n[3-1]", "n[1-70000]", "n[a]", "a,,b", ""})
    CHECK(hosts(wrong) == Names{"wrong"});
}

TEST_CASE("hosts are sorted by rack, and racks by the switches above", "[import]") {
  ImportOptions options;
  options.nodeRate = 1'000'000'000;
  options.byRack = true;
  options.hosts = {"a", "c", "b", "e", "d"};
  DiagnosticEngine diags;
  // Pod p has the racks r1 and r3, pod q has r2.
  FailureOr<std::string> target = importMachine(
      {"file", "SwitchName=r1 Nodes=a,d\nSwitchName=r2 Nodes=c\nSwitchName=r3 Nodes=b,e\n"
               "SwitchName=p Switches=r1,r3\nSwitchName=q Switches=r2\n"
               "SwitchName=top Switches=p,q\n"},
      options, diags);
  REQUIRE(succeeded(target));
  const nlohmann::json read = nlohmann::json::parse(*target);
  std::string order;
  for (const auto &node : read["nodes"])
    if (!node.contains("endpoint"))
      order += node["name"].get<std::string>();
  CHECK(order == "adbec");
}
