//===- NcclTopology.cpp - Reading topology files of NCCL and RCCL ---------===//
//
// The file is a tree of elements: `system`, `cpu`, `pci` (bridges and devices, any number of
// levels), and in a device `gpu` or `nic` with its `net`s. The attributes of a `pci` describe its
// link to the element above. The format is defined by the public sources of NCCL (src/graph/xml.cc
// and topo.cc) and RCCL, which has version 2. The reader accepts what these accept: elements and
// attributes that it does not know are skipped, and what is missing or unreadable has the value
// that the runtime takes, with one warning for each kind.
//
// Devices are identified by host and bus id, CPUs by host and NUMA node, NICs by host, name and
// number: what is listed twice exists once. The functions of a NIC are its ports. Several GPUs of a
// device are ranks on one GPU or, with different `mlopart`, parts of it.
//
//===----------------------------------------------------------------------===//

#include "NcclTopology.h"

#include "NcclLinks.h"
#include "NcclRates.h"

#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

bool Server::contains(uint32_t above, uint32_t node) const {
  while (node > above && nodes[node].parent)
    node = *nodes[node].parent;
  return node == above;
}

uint32_t Server::cpuOf(uint32_t node) const {
  while (nodes[node].parent)
    node = *nodes[node].parent;
  return node;
}

uint64_t Server::rateUpTo(uint32_t above, uint32_t node) const {
  uint64_t rate = ~uint64_t(0);
  for (; node != above; node = *nodes[node].parent)
    if (nodes[node].rate > 0)
      rate = std::min(rate, nodes[node].rate);
  return rate;
}

namespace {
constexpr size_t mostBytes = 1 << 22, mostDepth = 32, mostDevices = 1024;
/// Megabits per second: larger values of a NIC are kilobits.
constexpr int64_t mostMegabits = 10'000'000, otherMegabits = 10'000;

/// The places of devices in a file without GPUs, by their class.
struct Places {
  size_t gpus = 0, nics = 0;
};

class Reader {
public:
  Reader(StringRef text, StringRef file, DiagnosticEngine &diags)
      : text(text), file(file), diags(diags) {}

  FailureOr<Server> read();

private:
  Location placeAt(ptrdiff_t offset) const {
    StringRef before = text.take_front(std::max<ptrdiff_t>(offset, 0));
    size_t line = before.rfind('\n');
    return {file.str(), unsigned(before.count('\n') + 1),
            unsigned(before.size() - (line == StringRef::npos ? 0 : line + 1) + 1)};
  }
  /// pugixml points at the name of an element; messages point at the bracket before it.
  Location placeOf(pugi::xml_node node) const { return placeAt(node.offset_debug() - 1); }
  DiagnosticEngine::InFlight error(pugi::xml_node node, const llvm::Twine &what) {
    return diags.error(placeOf(node), what);
  }
  /// Reports the first problem of a kind.
  void warnOnce(pugi::xml_node node, StringRef kind, const llvm::Twine &what) {
    if (warned.insert(kind.str()).second)
      diags.warning(placeOf(node), what);
  }
  void skip(pugi::xml_node node, ArrayRef<std::string> known) {
    StringRef name = node.name();
    if (node.type() == pugi::node_element && !llvm::is_contained(harmless, name))
      warnOnce(node, "element " + name.str(),
               "element '" + name + "' is skipped" + didYouMean(name, known));
  }

  LogicalResult checkRoot(pugi::xml_node system);
  LogicalResult readCpu(pugi::xml_node cpu);
  uint32_t hostOf(pugi::xml_node cpu);
  LogicalResult readChildren(pugi::xml_node parent, uint32_t at, size_t depth);
  LogicalResult readPci(pugi::xml_node pci, uint32_t parent, size_t depth);
  uint32_t *nodeOfDevice(pugi::xml_node pci, uint32_t parent);
  void readPcieLink(pugi::xml_node pci, Node &node);
  void readNic(pugi::xml_node nic, uint32_t at);
  uint64_t rateOfPort(pugi::xml_node net, Nic &nic);
  void addGpus();
  void addNamesOfHosts();
  void addBridgeLinks();
  DiagnosticEngine::InFlight reportNoGpu(pugi::xml_node system);

  /// The elements that the runtimes write, and that no message uses.
  static constexpr StringRef harmless[] = {"gin", "rma"};

  StringRef text, file;
  DiagnosticEngine &diags;
  pugi::xml_document document;
  Server server;
  std::vector<uint64_t> hostHashes;
  uint32_t host = 0; ///< of the CPU that is being read
  BusIds nodeOf;
  BusIds nicNodes;                                           ///< by bus id without the function
  std::map<std::pair<uint32_t, int64_t>, uint32_t> cpuNodes; ///< by host and NUMA node
  std::map<std::tuple<uint32_t, std::string, int64_t>, uint32_t> nets; ///< by host, name, number
  std::vector<Element> gpus;
  std::vector<std::pair<uint32_t, pugi::xml_node>> bridgeLinks; ///< node, element
  std::set<std::string> warned;                                 ///< kinds of problems
  Places places;
};

FailureOr<Server> Reader::read() {
  if (text.size() > mostBytes)
    return diags.error({file.str()}, "is too large for a topology file");
  pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    std::string what = StringRef(parsed.description()).lower();
    return diags.error(placeAt(parsed.offset), "is not valid XML (" + what + ")");
  }
  pugi::xml_node system = document.document_element();
  if (failed(checkRoot(system)))
    return failure();
  for (pugi::xml_node child : system.children()) {
    if (StringRef(child.name()) != "cpu")
      skip(child, {"cpu"});
    else if (failed(readCpu(child)))
      return failure();
  }
  if (gpus.empty())
    return reportNoGpu(system);
  server.hosts = hostHashes.size();
  addGpus();
  addNamesOfHosts();
  addBridgeLinks();
  resolveLinks(server, gpus, nodeOf,
               [&](pugi::xml_node node, StringRef kind, const llvm::Twine &what) {
                 warnOnce(node, kind, what);
               });
  return std::move(server);
}

LogicalResult Reader::checkRoot(pugi::xml_node system) {
  if (StringRef(system.name()) != "system")
    return error(system, formatv("is not a topology file of NCCL: the root is '{0}', not 'system'",
                                 system.name()));
  StringRef version = system.attribute("version").value();
  if (version.empty())
    warnOnce(system, "version", "'version' is missing: 1 is assumed");
  else if (version != "1" && version != "2")
    return error(system, "'version' takes 1 (NCCL) or 2 (RCCL), not '" + version + "'");
  server.isRccl = version == "2";
  return success();
}

DiagnosticEngine::InFlight Reader::reportNoGpu(pugi::xml_node system) {
  std::string what = "has no GPU";
  if (places.gpus > 0)
    what += formatv(": it has {0} of GPUs and {1} of NICs, as a file for NCCL_TOPO_FILE, but "
                    "neither NVLinks nor rates of NICs",
                    counted(places.gpus, "place"), places.nics);
  DiagnosticEngine::InFlight report = error(system, what);
  report.note(placeOf(system), "run an NCCL program on all GPUs of the server with "
                               "NCCL_TOPO_DUMP_FILE=topo.xml, and import that file");
  return report;
}

uint32_t Reader::hostOf(pugi::xml_node cpu) {
  StringRef written = cpu.attribute("host_hash").value();
  written.consume_front("0x");
  uint64_t hash = 0;
  if (written.consumeInteger(16, hash))
    hash = 0;
  auto known = llvm::find(hostHashes, hash);
  uint32_t index = known - hostHashes.begin();
  if (known == hostHashes.end())
    hostHashes.push_back(hash);
  return index;
}

LogicalResult Reader::readCpu(pugi::xml_node cpu) {
  host = hostOf(cpu);
  std::optional<int64_t> numa = integerOf(cpu, "numaid");
  if (!numa)
    warnOnce(cpu, "numaid", "a 'cpu' has no number 'numaid': -1 is assumed, an unknown NUMA node");
  uint32_t at = server.nodes.size();
  bool isKnown = numa.value_or(-1) >= 0;
  auto [known, isNew] = cpuNodes.try_emplace({host, isKnown ? *numa : -1}, at);
  if (!isNew)
    return readChildren(cpu, known->second, 0);
  StringRef arch = cpu.attribute("arch").value(), vendor = cpu.attribute("vendor").value();
  std::optional<uint64_t> rate =
      cpuRate(arch, vendor, integerOf(cpu, "familyid"), integerOf(cpu, "modelid"));
  if (!rate && !server.cpuGuess)
    server.cpuGuess = {placeOf(cpu), formatv("'arch' and 'vendor' name no CPU that NCCL knows: {0} "
                                             "GB/s are assumed between CPUs",
                                             otherCpuRate / 1'000'000'000)};
  server.cpus.push_back({at, host, rate.value_or(otherCpuRate)});
  server.nodes.push_back({isKnown ? formatv("cpu{0}", *numa).str() : "cpu", std::nullopt});
  return readChildren(cpu, at, 0);
}

LogicalResult Reader::readChildren(pugi::xml_node parent, uint32_t at, size_t depth) {
  if (depth > mostDepth)
    return error(parent, formatv("is below more than {0} bridges", mostDepth));
  for (pugi::xml_node child : parent.children()) {
    StringRef name = child.name();
    bool isDevice = server.nodes[at].parent.has_value();
    if (name == "pci") {
      if (failed(readPci(child, at, depth)))
        return failure();
    } else if (name == "gpu" && isDevice) {
      if (gpus.size() == mostDevices)
        return error(child, formatv("is one of more than {0} GPUs", mostDevices));
      gpus.push_back({child, at, host});
    } else if (name == "nic") {
      readNic(child, at);
    } else if (name == "pcilink" && isDevice) {
      bridgeLinks.emplace_back(at, child);
    } else {
      skip(child, {"pci", "gpu", "nic", "pcilink"});
    }
  }
  return success();
}

/// The node of a device that may be listed before; that of a NIC is also found by its other
/// functions.
uint32_t *Reader::nodeOfDevice(pugi::xml_node pci, uint32_t parent) {
  StringRef bus = pci.attribute("busid").value();
  if (bus.empty()) {
    warnOnce(pci, "busid", "a 'pci' has no 'busid': it cannot be named by links");
    return nullptr;
  }
  uint32_t next = server.nodes.size();
  std::string id = busId(bus);
  auto [known, isNew] = nodeOf.try_emplace({host, id}, next);
  if (!isNew)
    return &known->second;
  if (!pci.child("nic") || id.size() < 2)
    return nullptr;
  auto [sibling, isFirst] = nicNodes.try_emplace({host, id.substr(0, id.size() - 1)}, next);
  if (isFirst || server.nodes[sibling->second].parent != parent)
    return nullptr;
  known->second = sibling->second;
  return &known->second;
}

LogicalResult Reader::readPci(pugi::xml_node pci, uint32_t parent, size_t depth) {
  StringRef kind = pci.attribute("class").value();
  places.gpus += kind.starts_with("0x03") || kind.starts_with("0x12");
  places.nics += kind.starts_with("0x02");
  if (uint32_t *known = nodeOfDevice(pci, parent))
    return readChildren(pci, *known, depth + 1);
  uint32_t at = server.nodes.size();
  if (at == mostDevices)
    return error(pci, formatv("is one of more than {0} devices", mostDevices));
  StringRef bus = pci.attribute("busid").value();
  std::string name = bus.empty() ? formatv("pci-unknown{0}", at).str() : "pci-" + bus.str();
  Node &node = server.nodes.emplace_back(Node{name, parent});
  readPcieLink(pci, node);
  return readChildren(pci, at, depth + 1);
}

void Reader::readPcieLink(pugi::xml_node pci, Node &node) {
  // Virtual machines often hide speed or width; Linux writes an unknown width as all ones.
  StringRef speed = StringRef(pci.attribute("link_speed").value()).trim();
  StringRef width = StringRef(pci.attribute("link_width").value()).trim();
  std::optional<double> lane = pcieLaneRate(speed);
  std::optional<int64_t> lanes = integerOf(pci, "link_width");
  bool hasLanes = lanes && *lanes > 0 && *lanes <= 32;
  if (!lane || !hasLanes)
    server.assumptions.insert("PCIe links without a speed are 8 GT/s, without a width x16");
  auto guess = [&](const char *name, StringRef written, const char *value) {
    if (pci.attribute(name) && !server.pcieGuess)
      server.pcieGuess = {placeOf(pci), formatv("'{0}' is unknown ('{1}'): {2} is assumed, as in "
                                                "NCCL",
                                                name, written, value)};
  };
  if (!lane)
    guess("link_speed", speed, "8 GT/s");
  if (!hasLanes)
    guess("link_width", width, "x16");
  node.rate = std::llround(lane.value_or(otherPcieLaneRate) * (hasLanes ? *lanes : 16));
  node.isKnown = lane && hasLanes && *lane != 2.5e9 / 10;
}

uint64_t Reader::rateOfPort(pugi::xml_node net, Nic &nic) {
  std::optional<int64_t> megabits = integerOf(net, "speed");
  StringRef name = net.attribute("name").value();
  auto guess = [&](const std::string &text) {
    if (!server.nicGuess)
      server.nicGuess = {placeOf(net), text};
  };
  if (!megabits || *megabits <= 0) {
    nic.isAssumed = true;
    guess(formatv("the NIC '{0}' has no positive 'speed': 10 Gb/s are assumed, as in NCCL", name));
    return otherMegabits * 125'000;
  }
  if (*megabits < mostMegabits)
    return *megabits * 125'000;
  guess(
      formatv("the NIC '{0}' has {1} Mb/s, more than any NIC: kb/s are assumed", name, *megabits));
  return std::min(*megabits / 1000, mostMegabits) * 125'000;
}

void Reader::readNic(pugi::xml_node nic, uint32_t at) {
  Nic found;
  std::vector<uint32_t *> ports; // their NIC
  found.node = at;
  found.host = host;
  for (pugi::xml_node net : nic.children()) {
    StringRef name = net.name(), port = net.attribute("name").value();
    if (name != "net") {
      skip(net, {"net"});
      continue;
    }
    // A port of several NICs that NCCL has merged, or of in-network operations.
    if (net.attribute("net") && integerOf(net, "net").value_or(0) == 0)
      continue;
    std::optional<int64_t> number = integerOf(net, "dev");
    if (!number) {
      warnOnce(net, "net without dev",
               "the NIC '" + port + "' has no number 'dev' and is ignored, as in NCCL");
      continue;
    }
    auto [known, isNew] = nets.try_emplace({host, port.str(), *number}, server.nics.size());
    if (!isNew) {
      // A NIC without a PCI device is below the first CPU that each rank sees.
      if (known->second < server.nics.size()) {
        Nic &listed = server.nics[known->second];
        if (listed.node != at && !llvm::is_contained(listed.further, at))
          listed.further.push_back(at);
      }
      continue;
    }
    ports.push_back(&known->second);
    found.rate += rateOfPort(net, found);
    found.name += (found.name.empty() ? "" : "+") + port.str();
  }
  if (found.rate == 0)
    return;
  // Another function of the same device has other ports.
  auto same = llvm::find_if(
      server.nics, [&](const Nic &other) { return other.node == at && server.nodes[at].parent; });
  for (uint32_t *port : ports)
    *port = same - server.nics.begin();
  if (same == server.nics.end()) {
    server.nics.push_back(std::move(found));
    return;
  }
  same->rate += found.rate;
  same->name += "+" + found.name;
  same->isAssumed |= found.isAssumed;
}

/// Makes devices and ranks of the elements, and names them by host and number.
void Reader::addGpus() {
  for (size_t g = 0; g < gpus.size(); ++g) {
    std::optional<int64_t> number = integerOf(gpus[g].xml, "dev");
    if (!number || *number < 0 || *number > 1 << 16) {
      warnOnce(gpus[g].xml, "gpu dev",
               "a 'gpu' has no number 'dev': its place in the file is assumed");
      number = g;
    }
    gpus[g].number = uint32_t(*number);
    gpus[g].part = integerOf(gpus[g].xml, "mlopart").value_or(-1);
  }
  auto order = [](const Element &gpu) {
    return std::tuple(gpu.host, gpu.number, gpu.xml.offset_debug());
  };
  llvm::sort(gpus, [&](const Element &a, const Element &b) { return order(a) < order(b); });
  std::map<uint32_t, std::set<int64_t>> partsOf;            // by node
  std::map<std::pair<uint32_t, int64_t>, uint32_t> ranksOf; // by node and part
  for (const Element &gpu : gpus) {
    partsOf[gpu.node].insert(gpu.part);
    ++ranksOf[{gpu.node, gpu.part}];
  }
  auto addBelow = [&](uint32_t node) {
    server.nodes.push_back({"", node});
    return uint32_t(server.nodes.size() - 1);
  };
  std::map<std::pair<uint32_t, int64_t>, uint32_t> deviceOf; // by node and part
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> named;   // by host and number
  for (Element &gpu : gpus) {
    auto [known, isNew] = deviceOf.try_emplace({gpu.node, gpu.part}, server.devices.size());
    gpu.isFirst = isNew;
    gpu.device = known->second;
    bool isPart = partsOf[gpu.node].size() > 1, isShared = ranksOf[{gpu.node, gpu.part}] > 1;
    if (isNew) {
      Device device;
      device.node = isPart ? addBelow(gpu.node) : gpu.node;
      device.host = gpu.host;
      // RCCL writes the number of compute units.
      if (!server.isRccl && !gpu.xml.attribute("gcn"))
        device.capability = std::clamp<int64_t>(integerOf(gpu.xml, "sm").value_or(0), 0, 1000);
      for (const Element &other : gpus)
        if (isPart && other.node == gpu.node && other.isFirst && other.device < gpu.device)
          server.parts.emplace_back(server.devices[other.device].node, device.node);
      if (isPart && isShared)
        server.nodes[device.node].name =
            formatv("{0}.part{1}", server.nodes[gpu.node].name, gpu.part);
      server.devices.push_back(device);
    }
    uint32_t node =
        isShared ? addBelow(server.devices[gpu.device].node) : server.devices[gpu.device].node;
    uint32_t same = named[{gpu.host, gpu.number}]++;
    server.nodes[node].name = same == 0 ? formatv("gpu{0}", gpu.number).str()
                                        : formatv("gpu{0}.{1}", gpu.number, same).str();
    server.gpus.push_back({gpu.number, node, gpu.host, gpu.device});
  }
}

/// Distinguishes the nodes of several hosts.
void Reader::addNamesOfHosts() {
  std::map<uint32_t, uint32_t> hostOfCpu;
  for (const Cpu &cpu : server.cpus)
    hostOfCpu[cpu.node] = cpu.host;
  for (uint32_t node = 0; node < server.nodes.size() && server.hosts > 1; ++node)
    server.nodes[node].name =
        formatv("host{0}.{1}", hostOfCpu[server.cpuOf(node)], server.nodes[node].name);
}

/// Connects PCIe switches that list each other.
void Reader::addBridgeLinks() {
  for (const auto &[node, element] : bridgeLinks) {
    uint32_t cpu = server.cpuOf(node);
    auto above = llvm::find_if(server.cpus, [&](const Cpu &c) { return c.node == cpu; });
    auto other = nodeOf.find({above->host, busId(element.attribute("target").value())});
    if (other == nodeOf.end() || other->second == node)
      continue;
    std::pair<uint32_t, uint32_t> pair = std::minmax(node, other->second);
    if (!llvm::is_contained(server.bridges, pair))
      server.bridges.push_back(pair);
  }
}
} // namespace

FailureOr<Server> nccl::readTopology(StringRef text, StringRef file, DiagnosticEngine &diags) {
  return Reader(text, file, diags).read();
}
