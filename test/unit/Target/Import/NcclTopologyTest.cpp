//===- NcclTopologyTest.cpp - Rules of the reader of topology files -------===//

#include "NcclTopology.h"
#include "Health.h"
#include "NicChoice.h"

#include <catch2/catch.hpp>

using namespace cclc;
using namespace cclc::nccl;

namespace {
struct Read {
  Server server;
  std::vector<std::string> warnings;
};

/// \p body: the elements of `system`.
Read read(const std::string &body, const char *version = "1") {
  DiagnosticEngine diags;
  FailureOr<Server> server = readTopology(
      "<system version=\"" + std::string(version) + "\">" + body + "</system>", "t.xml", diags);
  Read result;
  REQUIRE(succeeded(server));
  result.server = std::move(*server);
  for (const Diagnostic &diagnostic : diags.all())
    result.warnings.push_back(diagnostic.text);
  return result;
}

std::string cpu(const std::string &children, const std::string &attributes = "numaid=\"0\"") {
  return "<cpu " + attributes + ">" + children + "</cpu>";
}
std::string device(const std::string &bus, const std::string &children,
                   const std::string &link = R"(link_speed="16.0 GT/s PCIe" link_width="16")") {
  return "<pci busid=\"" + bus + "\" " + link + ">" + children + "</pci>";
}
std::string gpu(int dev, const std::string &links = "", const std::string &more = "sm=\"80\"") {
  return "<gpu dev=\"" + std::to_string(dev) + "\" " + more + ">" + links + "</gpu>";
}
std::string nvLinks(const std::string &target, int count, const char *kind = "0x030200") {
  return "<nvlink target=\"" + target + "\" count=\"" + std::to_string(count) + "\" tclass=\"" +
         kind + "\"/>";
}
std::string nic(const std::string &nets) { return "<nic>" + nets + "</nic>"; }
std::string net(const char *name, int dev, const char *more = "speed=\"100000\"") {
  return std::string("<net name=\"") + name + "\" dev=\"" + std::to_string(dev) + "\" " + more +
         "/>";
}

std::vector<std::string> namesOf(const Server &server) {
  std::vector<std::string> names;
  for (const Gpu &gpu : server.gpus)
    names.push_back(server.nodes[gpu.node].name);
  return names;
}
std::vector<std::string> textsOf(const std::vector<FindingIn<Server>> &findings) {
  std::vector<std::string> texts;
  for (const Finding &finding : findings)
    texts.push_back(finding.text);
  return texts;
}
using Names = std::vector<std::string>;

TEST_CASE("rates of PCIe links follow NCCL's texts") {
  auto rateOf = [](const std::string &link) {
    return read(cpu(device("1", gpu(0), link))).server.nodes[1].rate;
  };
  CHECK(rateOf(R"(link_speed="2.5 GT/s PCIe" link_width="16")") == 4'000'000'000);
  CHECK(rateOf(R"(link_speed="5.0 GT/s PCIe" link_width="16")") == 8'000'000'000);
  CHECK(rateOf(R"(link_speed="16 GT/s" link_width="16")") == 31'507'692'308);
  CHECK(rateOf(R"(link_speed="16.0 GT/s PCIe" link_width="4")") == 7'876'923'077);
  CHECK(rateOf(R"(link_speed="64.0 GT/s PCIe" link_width="16")") == 121'000'000'000);
  // Unknown speeds are 8 GT/s, unknown widths x16.
  for (const char *link :
       {"", R"(link_speed="" link_width="0")", R"(link_speed="Unknown" link_width="255")",
        R"(link_speed="32.0 GT/s" link_width="63")",
        R"(link_speed="8.0 GT/s PCIe" link_width="-1")"})
    CHECK(rateOf(link) == 15'753'846'154);
}

TEST_CASE("unknown values of PCIe are one guess, missing ones none") {
  CHECK(!read(cpu(device("1", gpu(0), ""))).server.pcieGuess);
  Read two = read(cpu(device("1", gpu(0), R"(link_speed="fast" link_width="16")") +
                      device("2", gpu(1), R"(link_speed="slow" link_width="16")")));
  CHECK(two.server.pcieGuess->text ==
        "'link_speed' is unknown ('fast'): 8 GT/s is assumed, as in NCCL");
  CHECK(two.warnings.empty());
}

TEST_CASE("rates between CPUs follow from their model") {
  auto rateOf = [](const std::string &attributes) {
    return read(cpu(device("1", gpu(0)), "numaid=\"0\" " + attributes)).server.cpus[0].rate;
  };
  const std::string intel = R"(arch="x86_64" vendor="GenuineIntel" familyid="6" modelid=)";
  CHECK(rateOf(intel + "\"79\"") == 6'000'000'000);
  CHECK(rateOf(intel + "\"85\"") == 10'000'000'000);
  CHECK(rateOf(intel + "\"143\"") == 22'000'000'000);
  CHECK(rateOf(intel + "\"207\"") == 40'000'000'000);
  CHECK(rateOf(R"(arch="x86_64" vendor="GenuineIntel")") == 10'000'000'000);
  CHECK(rateOf(R"(arch="x86_64" vendor="AuthenticAMD")") == 16'000'000'000);
  CHECK(rateOf(R"(arch="x86_64" vendor="  Shanghai  ")") == 6'000'000'000);
  CHECK(rateOf(R"(arch="arm64")") == 6'000'000'000);
  CHECK(rateOf(R"(arch="ppc64")") == 32'000'000'000);
  CHECK(rateOf("") == 5'000'000'000'000);
}

TEST_CASE("rates of NVLinks and xGMI links") {
  auto nvLink = [](const char *sm) {
    Read one = read(cpu(device("1", gpu(0, nvLinks("f", 1, "0x068000"), sm))));
    return one.server.devices[0].nvLinks[0].rate;
  };
  CHECK(nvLink("sm=\"60\"") == 20'000'000'000);
  CHECK(nvLink("sm=\"70\"") == 25'000'000'000);
  CHECK(nvLink("sm=\"86\"") == 14'062'500'000);
  CHECK(nvLink("sm=\"87\"") == 25'000'000'000);
  CHECK(nvLink("sm=\"90\"") == 25'000'000'000);
  CHECK(nvLink("sm=\"120\"") == 50'000'000'000);
  CHECK(nvLink("") == 25'000'000'000);
  auto xgmi = [](const std::string &more) {
    auto links = [](const char *target) {
      return "<xgmi target=\"" + std::string(target) + "\" count=\"1\"/>";
    };
    Read two = read(
        cpu(device("1", gpu(0, links("2"), more)) + device("2", gpu(1, links("1"), more))), "2");
    CHECK(two.server.isRccl);
    return two.server.devices[0].nvLinks[0].rate;
  };
  CHECK(xgmi("gcn=\"906\"") == 24'000'000'000);
  CHECK(xgmi("gcn=\"908\"") == 24'000'000'000);
  CHECK(xgmi("gcn=\"910\"") == 36'000'000'000);
  CHECK(xgmi("gcn=\"gfx90a\"") == 36'000'000'000);
  CHECK(xgmi("gcn=\"942\"") == 48'000'000'000);
  CHECK(xgmi("gcn=\"gfx950:sramecc+\"") == 48'000'000'000);
  CHECK(xgmi("arch=\"gfx942\"") == 48'000'000'000);
}

TEST_CASE("bus ids are hexadecimal numbers") {
  Read two = read(cpu(device("0000:0A:00.0", gpu(0, nvLinks("b000", 2))) +
                      device("0:0b:00.0", gpu(1, nvLinks("0000:0a:00.0", 2)))));
  CHECK(two.warnings.empty());
  REQUIRE(two.server.devices[0].nvLinks.size() == 1);
  CHECK(two.server.devices[0].nvLinks[0].rate == 50'000'000'000);
}

TEST_CASE("devices of several hosts are ordered by host and number") {
  std::string body;
  for (const char *host : {"0x2", "0x1"})
    body += cpu(device("1", gpu(3)) + device("2", gpu(0)),
                "numaid=\"0\" host_hash=\"" + std::string(host) + "\"");
  Read four = read(body);
  CHECK(four.server.hosts == 2);
  CHECK(namesOf(four.server) == Names{"host0.gpu0", "host0.gpu3", "host1.gpu0", "host1.gpu3"});
  // Without a hash, all CPUs are of one host.
  CHECK(read(cpu(device("1", gpu(0))) + cpu("", "numaid=\"1\"")).server.hosts == 1);
}

TEST_CASE("CPUs and devices that are listed twice exist once") {
  Read twice = read(cpu(device("1", gpu(0))) + cpu(device("1", "") + device("2", gpu(1))));
  CHECK(twice.server.cpus.size() == 1);
  CHECK(twice.server.nodes.size() == 3);
}

TEST_CASE("several GPUs of a device are ranks on one GPU, whose links count once") {
  Read shared = read(
      cpu(device("1", gpu(0, nvLinks("f", 12, "0x068000")) + gpu(0, nvLinks("f", 12, "0x068000"))) +
          device("2", gpu(1, nvLinks("f", 12, "0x068000")))));
  CHECK(namesOf(shared.server) == Names{"gpu0", "gpu0.1", "gpu1"});
  REQUIRE(shared.server.devices.size() == 2);
  CHECK(shared.server.devices[0].nvLinks[0].rate == 300'000'000'000);
  CHECK(shared.server.nodes[shared.server.gpus[1].node].parent == shared.server.devices[0].node);
  CHECK(shared.server.parts.empty());
}

TEST_CASE("parts of a GPU have equal shares of its NVLinks and share its links to the CPU") {
  auto part = [](int number, const std::string &links) {
    return gpu(0, links + "<c2c bw=\"44712\" count=\"5\"/>",
               "sm=\"103\" mlopart=\"" + std::to_string(number) + "\"");
  };
  const std::string links = nvLinks("f", 18, "0x068000") + nvLinks("2", 2);
  Read parts = read(cpu(device("1", part(0, links) + part(1, links)) +
                        device("2", gpu(1, nvLinks("1", 2), "sm=\"103\""))));
  REQUIRE(parts.server.devices.size() == 3);
  CHECK(parts.server.parts.size() == 1);
  const Device &half = parts.server.devices[0];
  CHECK(half.nvLinks[0].rate == 450'000'000'000);
  CHECK(half.nvLinks[1].rate == 50'000'000'000);
  CHECK(parts.server.devices[2].nvLinks[0].rate == 50'000'000'000);
  CHECK(parts.server.nodes[*parts.server.nodes[half.node].parent].chipRate == 223'560'000'000);
}

TEST_CASE("NVLinks to the CPU, to NVSwitches and to the own GPU") {
  Read power = read(cpu(device("1", gpu(0, nvLinks("9", 3, "0x068001"), "sm=\"70\""))));
  CHECK(power.server.nodes[1].chipRate == 75'000'000'000);
  CHECK(power.server.devices[0].nvLinks.empty());
  // All classes that are not of a GPU or a CPU are those of NVSwitches.
  Read others = read(cpu(device(
      "1", gpu(0, nvLinks("5", 2, "0x068000") + nvLinks("6", 1, "0x0604") + nvLinks("1", 4)))));
  REQUIRE(others.server.devices[0].nvLinks.size() == 1);
  CHECK(others.server.devices[0].nvLinks[0].rate == 75'000'000'000);
  CHECK(textsOf(findUnhealthy(others.server)) ==
        Names{"gpu0 lists NVLinks to the same GPU, which carry nothing"});
}

TEST_CASE("half links have the lower rate of both ends") {
  Read half =
      read(cpu(device("1", gpu(0, nvLinks("2", 4))) + device("2", gpu(1, nvLinks("1", 2)))));
  CHECK(half.server.devices[0].nvLinks[0].rate == 50'000'000'000);
  CHECK(textsOf(findUnhealthy(half.server)).back() ==
        "gpu0 lists 100 GB/s of NVLinks to gpu1, which lists 50 GB/s back: the lower rate is used");
  Read one = read(cpu(device("1", gpu(0, nvLinks("2", 4))) + device("2", gpu(1))));
  CHECK(one.server.devices[0].nvLinks.empty());
}

TEST_CASE("rates of NICs") {
  auto rateOf = [](const char *more) {
    Read one = read(cpu(device("1", gpu(0)) + device("2", nic(net("a", 0, more)))));
    CHECK(one.warnings.empty());
    return std::pair(one.server.nics[0].rate, one.server.nicGuess.has_value());
  };
  CHECK(rateOf("speed=\"400000\"") == std::pair(uint64_t(50'000'000'000), false));
  for (const char *unknown : {"", "speed=\"0\"", "speed=\"-1\"", "speed=\"x\""})
    CHECK(rateOf(unknown) == std::pair(uint64_t(1'250'000'000), true));
  // In kb/s.
  CHECK(rateOf("speed=\"200000000\"") == std::pair(uint64_t(25'000'000'000), true));
}

TEST_CASE("ports of a NIC are one NIC") {
  // Several ports of an element, functions of a device.
  Read ports = read(cpu(device("1", gpu(0)) + device("0:2:0.0", nic(net("a", 0) + net("b", 1))) +
                        device("0:2:0.1", nic(net("c", 2))) + device("0:3:0.0", nic(net("d", 3)))));
  REQUIRE(ports.server.nics.size() == 2);
  CHECK(ports.server.nics[0].name == "a+b+c");
  CHECK(ports.server.nics[0].rate == 37'500'000'000);
}

TEST_CASE("NICs that carry no data are ignored") {
  Read none = read(cpu(device("1", gpu(0)) +
                       device("2", nic("<net name=\"a\" speed=\"1000\"/><net name=\"b\"/>" +
                                       net("c", 0, "net=\"0\"") + "<gin dev=\"0\"/>"))));
  CHECK(none.server.nics.empty());
  CHECK(none.warnings == Names{"the NIC 'a' has no number 'dev' and is ignored, as in NCCL"});
}

TEST_CASE("a NIC without a device is one, also below several CPUs") {
  Read twice = read(cpu(device("1", gpu(0)) + nic(net("eth0", 0))) +
                    cpu(device("2", gpu(1)) + nic(net("eth0", 0)), "numaid=\"1\""));
  REQUIRE(twice.server.nics.size() == 1);
  CHECK(twice.server.nics[0].further.size() == 1);
  for (const Gpu &gpu : twice.server.gpus)
    CHECK(usedNics(twice.server, gpu)[0].distance == Distance::Phb);
}

TEST_CASE("a GPU uses the NICs with the highest rate, and of these the nearest") {
  Read server = read(
      cpu(device("1", device("2", gpu(0)) + device("3", nic(net("slow", 0))) +
                          device("4", nic(net("near", 1, "speed=\"200000\"")))) +
              device("5", nic(net("far", 2, "speed=\"200000\""))),
          R"(numaid="0" arch="arm64")") +
      cpu(device("6", nic(net("other", 3, "speed=\"400000\""))), R"(numaid="1" arch="arm64")"));
  std::vector<NicPath> used = usedNics(server.server, server.server.gpus[0]);
  REQUIRE(used.size() == 1);
  CHECK(server.server.nics[used[0].nic].name == "near");
  CHECK(used[0].distance == Distance::Pix);
  CHECK(pathsToNics(server.server, server.server.gpus[0])[3].rate == 6'000'000'000);
}

TEST_CASE("PCIe switches that are connected") {
  Read cascade = read(cpu(device("1", device("2", gpu(0)) + "<pcilink target=\"0:0:3\"/>") +
                          device("3", device("4", gpu(1)) + "<pcilink target=\"1\"/>")));
  CHECK(cascade.server.bridges.size() == 1);
}

TEST_CASE("parts of servers that differ from their siblings") {
  auto server = [](std::vector<int> links, const std::string &pcie) {
    std::string body;
    for (size_t g = 0; g < links.size(); ++g)
      body += device(std::to_string(g + 1),
                     gpu(g, links[g] ? nvLinks("f", links[g], "0x068000") : "", "sm=\"90\""),
                     g == 0 ? pcie : R"(link_speed="32.0 GT/s PCIe" link_width="16")");
    return textsOf(findUnhealthy(read(cpu(body)).server));
  };
  const std::string usual = R"(link_speed="32.0 GT/s PCIe" link_width="16")";
  CHECK(server({18, 18, 18, 18}, usual).empty());
  CHECK(server({18, 0, 18, 18}, usual) ==
        Names{"gpu1 has no NVLink, the other 3 have 18 (450 GB/s): 63.015 GB/s of PCIe left"});
  CHECK(server({18, 17, 17, 18, 18}, usual) ==
        Names{"gpu1 and gpu2 have 17 NVLinks (425 GB/s), the other 3 have 18 (450 GB/s)"});
  CHECK(server({18, 17, 16, 18, 18}, usual) ==
        Names{"gpu2 has 16 NVLinks (400 GB/s), 3 others have 18 (450 GB/s)",
              "gpu1 has 17 NVLinks (425 GB/s), 3 others have 18 (450 GB/s)"});
  CHECK(server({0, 0}, usual) ==
        Names{"2 GPUs of compute capability 9.0 have no NVLink: in a file for NCCL_TOPO_FILE, the "
              "runtime finds these when it starts"});
  CHECK(server({18, 18}, R"(link_speed="32.0 GT/s PCIe" link_width="8")") ==
        Names{"gpu0 has 31.507 GB/s of PCIe, the other has 63.015 GB/s"});
  // An idle GPU.
  CHECK(server({18, 18}, R"(link_speed="2.5 GT/s PCIe" link_width="16")").empty());
}

TEST_CASE("unknown links of PCIe are no fault") {
  const std::string unknown = R"(link_speed="Unknown" link_width="255")";
  CHECK(findUnhealthy(read(cpu(device("1", gpu(0)) + device("2", gpu(1), unknown) +
                               device("3", nic(net("a", 0, "speed=\"400000\"")), unknown)))
                          .server)
            .empty());
}

TEST_CASE("GPUs of AMD have no compute capability") {
  // 104 compute units, and no links.
  const std::string two = device("1", gpu(0, "", R"(sm="104" gcn="gfx90a")")) +
                          device("2", gpu(1, "", R"(sm="104" gcn="gfx90a")"));
  for (const char *version : {"1", "2"})
    CHECK(findUnhealthy(read(cpu(two), version).server).empty());
}

TEST_CASE("NICs that differ from their siblings") {
  std::string body;
  for (int g = 0; g < 3; ++g) {
    const std::string bus = std::to_string(g * 3 + 1);
    body += device(
        bus, device(bus + "0", gpu(g)) +
                 (g < 2 ? device(bus + "1", nic(net(g ? "b" : "a", g,
                                                    g ? "speed=\"200000\"" : "speed=\"400000\"")))
                        : ""));
  }
  CHECK(textsOf(findUnhealthy(read(cpu(body)).server)) ==
        Names{"gpu2 has no NIC below the same PCIe switch, the other 2 have",
              "NIC b has 25 GB/s, the other has 50 GB/s",
              "NIC a has 50 GB/s, more than the 31.507 GB/s of PCIe"});
}
} // namespace
