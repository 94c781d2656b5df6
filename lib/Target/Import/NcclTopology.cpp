//===- NcclTopology.cpp - Reading topology files of NCCL ------------------===//
//
// The file is a tree of elements: `system`, `cpu`, `pci` (bridges and devices, any number of
// levels), and in a device `gpu` with its `nvlink`s or `nic` with its `net`s. The attributes of a
// `pci` describe its link to the element above. The format is defined by the public sources of NCCL
// (src/graph/xml.cc and topo.cc); NCCL combines all NVSwitches of a server into one. RCCL writes
// `xgmi` elements instead of `nvlink`, and the architecture `gcn` of a GPU.
//
// NVLinks have a number but no rate in the file; the rate of a link follows from the compute
// capability of its GPU. PCIe rates are those of the lanes, without the encoding: 8b/10b up to 5
// GT/s, 128b/130b up to 32 GT/s, and 242 of 256 bytes of a flit from then on (PCI Express Base
// Specification 6.0).
//
//===----------------------------------------------------------------------===//

#include "NcclTopology.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <pugixml.hpp>

#include <algorithm>
#include <cmath>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

namespace {
constexpr size_t mostBytes = 1 << 22, mostDepth = 32, mostDevices = 1024;

/// Rates of one NVLink by the lowest compute capability, in each direction (NVIDIA's descriptions
/// of NVLink 1 to 5, and of the GA102).
constexpr struct {
  uint32_t capability;
  uint64_t rate;
} nvLinkRates[] = {{100, 50'000'000'000},
                   {90, 25'000'000'000},
                   {86, 14'062'500'000},
                   {70, 25'000'000'000},
                   {60, 20'000'000'000}};

/// Rates of PCIe: transfers in GT/s, and bytes per second of a lane.
constexpr struct {
  double transfers;
  double lane;
} pcieRates[] = {{2.5, 2.5e9 / 10},          {5, 5e9 / 10},
                 {8, 8e9 / 8 * 128 / 130},   {16, 16e9 / 8 * 128 / 130},
                 {32, 32e9 / 8 * 128 / 130}, {64, 64e9 / 8 * 242 / 256}};

/// Rates between CPUs that NCCL assumes, by a word in the attributes of a CPU.
constexpr struct {
  const char *word;
  uint64_t rate;
} cpuRates[] = {
    {"GenuineIntel", 10'000'000'000}, {"AuthenticAMD", 16'000'000'000}, {"ppc64", 32'000'000'000}};
constexpr uint64_t otherCpuRate = 6'000'000'000;

/// Rates of one xGMI link in each direction by the first characters of the architecture, which RCCL
/// assumes; older versions write it without letters.
constexpr struct {
  const char *architecture;
  uint64_t rate;
} xgmiRates[] = {{"gfx95", 48'000'000'000},
                 {"gfx94", 48'000'000'000},
                 {"94", 48'000'000'000},
                 {"gfx90a", 36'000'000'000},
                 {"910", 36'000'000'000}};
constexpr uint64_t otherXgmiRate = 24'000'000'000;

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

  FailureOr<StringRef> attribute(pugi::xml_node node, const char *name) {
    if (pugi::xml_attribute found = node.attribute(name))
      return StringRef(found.value());
    return error(node, formatv("'{0}' lacks attribute '{1}'", node.name(), name));
  }
  FailureOr<uint64_t> number(pugi::xml_node node, const char *name, uint64_t low, uint64_t high) {
    FailureOr<StringRef> written = attribute(node, name);
    if (failed(written))
      return failure();
    uint64_t value;
    if (written->getAsInteger(10, value) || value < low || value > high)
      return error(node, formatv("'{0}' takes a whole number from {1} to {2}, not '{3}'", name, low,
                                 high, *written));
    return value;
  }

  LogicalResult readCpu(pugi::xml_node cpu);
  LogicalResult readChildren(pugi::xml_node parent, uint32_t at, size_t depth);
  LogicalResult readPci(pugi::xml_node pci, uint32_t parent, size_t depth);
  FailureOr<uint64_t> pcieRate(pugi::xml_node pci);
  LogicalResult readGpu(pugi::xml_node gpu, uint32_t at);
  LogicalResult readNic(pugi::xml_node nic, uint32_t at);
  LogicalResult resolveNvLinks();
  FailureOr<uint64_t> nvLinkRate(pugi::xml_node gpu);
  uint64_t xgmiRate(pugi::xml_node gpu);
  LogicalResult addNvLinks(Gpu &gpu, pugi::xml_node element, uint64_t rate);
  LogicalResult addChipLinks(Gpu &gpu, pugi::xml_node element);

  StringRef text, file;
  DiagnosticEngine &diags;
  pugi::xml_document document;
  Server server;
  std::string host;
  llvm::StringMap<uint32_t> nodeOf;                 ///< by bus id
  std::vector<std::pair<Gpu, pugi::xml_node>> gpus; ///< sorted when all have been read
  std::set<std::string> ignored;                    ///< names of elements
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
  if (StringRef(system.name()) != "system")
    return error(system, formatv("is not a topology file of NCCL: the root is '{0}', not 'system'",
                                 system.name()));
  if (StringRef version = system.attribute("version").value(); version != "1")
    return error(system, "'version' takes 1, not '" + version + "'");
  for (pugi::xml_node child : system.children()) {
    if (StringRef(child.name()) != "cpu") {
      error(child, formatv("'{0}' is not an element of 'system'{1}", child.name(),
                           didYouMean(child.name(), {"cpu"})));
      return failure();
    }
    if (failed(readCpu(child)))
      return failure();
  }
  if (gpus.empty())
    return error(system, "has no GPU");
  if (failed(resolveNvLinks()))
    return failure();
  return std::move(server);
}

LogicalResult Reader::readCpu(pugi::xml_node cpu) {
  if (pugi::xml_attribute found = cpu.attribute("host_hash")) {
    if (!host.empty() && host != found.value())
      return error(cpu, "is on another host: a target is made of the file of one host");
    host = found.value();
  }
  FailureOr<uint64_t> numa = number(cpu, "numaid", 0, 1 << 16);
  if (failed(numa))
    return failure();
  if (server.cpus.empty()) {
    server.cpuRate = otherCpuRate;
    for (const auto &[word, rate] : cpuRates)
      if (StringRef(cpu.attribute("vendor").value()) == word ||
          StringRef(cpu.attribute("arch").value()) == word)
        server.cpuRate = rate;
  }
  uint32_t at = server.nodes.size();
  std::string name = formatv("cpu{0}", *numa);
  for (uint32_t other : server.cpus)
    if (server.nodes[other].name == name)
      return error(cpu, formatv("'numaid' {0} is a duplicate", *numa));
  server.cpus.push_back(at);
  server.nodes.push_back({name, std::nullopt, 0});
  return readChildren(cpu, at, 0);
}

LogicalResult Reader::readChildren(pugi::xml_node parent, uint32_t at, size_t depth) {
  if (depth > mostDepth)
    return error(parent, formatv("is below more than {0} bridges", mostDepth));
  for (pugi::xml_node child : parent.children()) {
    StringRef name = child.name();
    LogicalResult read = success();
    if (name == "pci")
      read = readPci(child, at, depth);
    else if (name == "gpu" && server.nodes[at].parent)
      read = readGpu(child, at);
    else if (name == "nic")
      read = readNic(child, at);
    else if (ignored.insert(name.str()).second)
      diags.warning(placeOf(child), "'" + name + "' is ignored: a target has no such value");
    if (failed(read))
      return failure();
  }
  return success();
}

LogicalResult Reader::readPci(pugi::xml_node pci, uint32_t parent, size_t depth) {
  FailureOr<StringRef> bus = attribute(pci, "busid");
  if (failed(bus))
    return failure();
  uint32_t at = server.nodes.size();
  if (!nodeOf.try_emplace(*bus, at).second)
    return error(pci, "'busid' " + *bus + " is a duplicate");
  if (at == mostDevices)
    return error(pci, formatv("is one of more than {0} devices", mostDevices));
  FailureOr<uint64_t> rate = pcieRate(pci);
  if (failed(rate))
    return failure();
  server.nodes.push_back({"pci-" + bus->str(), parent, *rate});
  return readChildren(pci, at, depth + 1);
}

FailureOr<uint64_t> Reader::pcieRate(pugi::xml_node pci) {
  // Virtual machines often hide speed or width.
  StringRef speed = StringRef(pci.attribute("link_speed").value()).trim();
  StringRef width = StringRef(pci.attribute("link_width").value()).trim();
  double transfers = 8;
  uint32_t lanes = 16;
  bool noSpeed = speed.empty() || speed.starts_with("Unknown");
  bool noWidth = width.empty() || width == "0" || width == "255";
  if (noSpeed || noWidth)
    server.assumptions.insert("PCIe links without a speed are 8 GT/s, without a width x16");
  if (!noSpeed && speed.split(' ').first.getAsDouble(transfers))
    return error(pci, "'link_speed' takes a rate such as '16.0 GT/s PCIe', not '" + speed + "'");
  if (!noWidth && (width.getAsInteger(10, lanes) || lanes == 0 || lanes > 32))
    return error(pci, "'link_width' takes a whole number from 1 to 32, not '" + width + "'");
  for (const auto &[rate, lane] : pcieRates)
    if (transfers == rate)
      return uint64_t(std::llround(lane * lanes));
  return error(pci, "'link_speed' takes 2.5, 5, 8, 16, 32 or 64 GT/s, not '" + speed + "'");
}

LogicalResult Reader::readGpu(pugi::xml_node gpu, uint32_t at) {
  FailureOr<uint64_t> device = number(gpu, "dev", 0, 1 << 16);
  if (failed(device))
    return failure();
  for (const auto &[other, element] : gpus) {
    if (other.node == at)
      return error(gpu, "is the second GPU of a device").note(placeOf(element), "the other GPU");
    if (other.device == *device)
      return error(gpu, formatv("'dev' {0} is a duplicate", *device))
          .note(placeOf(element), "the other GPU");
  }
  server.nodes[at].name = formatv("gpu{0}", *device);
  gpus.push_back({{uint32_t(*device), at, {}}, gpu});
  return success();
}

LogicalResult Reader::readNic(pugi::xml_node nic, uint32_t at) {
  Nic found{"", at, 0};
  for (pugi::xml_node net : nic.children("net")) {
    FailureOr<uint64_t> megabits = number(net, "speed", 1, 10'000'000);
    if (failed(megabits))
      return failure();
    found.rate += *megabits * 125'000;
    found.name += (found.name.empty() ? "" : "+") + std::string(net.attribute("name").value());
  }
  if (found.rate > 0)
    server.nics.push_back(found);
  return success();
}

FailureOr<uint64_t> Reader::nvLinkRate(pugi::xml_node gpu) {
  FailureOr<uint64_t> capability = number(gpu, "sm", 1, 1000);
  if (failed(capability))
    return failure();
  for (const auto &[lowest, rate] : nvLinkRates)
    if (*capability >= lowest) {
      server.assumptions.insert(formatv("an NVLink of compute capability {0}.{1} has {2} GB/s in "
                                        "each direction",
                                        *capability / 10, *capability % 10, gigabytesText(rate)));
      return rate;
    }
  return error(gpu, formatv("has NVLinks, but the rate of an NVLink is not known for 'sm' {0}",
                            *capability));
}

uint64_t Reader::xgmiRate(pugi::xml_node gpu) {
  StringRef architecture = gpu.attribute("gcn").value();
  uint64_t rate = otherXgmiRate;
  for (const auto &[start, known] : llvm::reverse(xgmiRates))
    if (architecture.starts_with(start))
      rate = known;
  server.assumptions.insert(formatv(
      "an xGMI link of {0} has {1} GB/s in each direction, as RCCL assumes",
      architecture.empty() ? "an unknown architecture" : architecture, gigabytesText(rate)));
  return rate;
}

LogicalResult Reader::addNvLinks(Gpu &gpu, pugi::xml_node element, uint64_t rate) {
  FailureOr<StringRef> target = attribute(element, "target");
  // An xGMI link leads to a GPU, whose class depends on its model.
  bool isXgmi = StringRef(element.name()) == "xgmi";
  FailureOr<StringRef> kind = isXgmi ? StringRef() : attribute(element, "tclass");
  FailureOr<uint64_t> count = number(element, "count", 1, 64);
  if (failed(target) || failed(kind) || failed(count))
    return failure();
  NvLinks links{std::nullopt, rate * *count};
  if (isXgmi || kind->starts_with("0x03")) {
    auto other = nodeOf.find(*target);
    auto found = llvm::find_if(server.gpus, [&](const Gpu &g) {
      return other != nodeOf.end() && g.node == other->second;
    });
    if (found == server.gpus.end()) {
      diags.warning(placeOf(element), "is ignored: there is no GPU " + *target);
      return success();
    }
    links.gpu = uint32_t(found - server.gpus.begin());
  } else if (*kind != "0x068000") {
    return error(element, "'tclass' takes the class of a GPU (0x03...) or of an NVSwitch "
                          "(0x068000), not '" +
                              *kind + "'");
  }
  for (NvLinks &known : gpu.nvLinks)
    if (known.gpu == links.gpu) {
      known.rate += links.rate;
      return success();
    }
  gpu.nvLinks.push_back(links);
  return success();
}

/// Links of a GPU to the CPU in the same package, as in Grace Hopper: 'bw' is MB/s for each of
/// them.
LogicalResult Reader::addChipLinks(Gpu &gpu, pugi::xml_node element) {
  FailureOr<uint64_t> count = number(element, "count", 1, 64);
  FailureOr<uint64_t> megabytes = number(element, "bw", 1, 10'000'000);
  if (failed(count) || failed(megabytes))
    return failure();
  gpu.chipRate += *count * *megabytes * 1'000'000;
  return success();
}

/// NVLinks refer to GPUs by their bus ids, which must have been read.
LogicalResult Reader::resolveNvLinks() {
  llvm::sort(gpus, [](const auto &a, const auto &b) { return a.first.device < b.first.device; });
  for (const auto &[gpu, element] : gpus)
    server.gpus.push_back(gpu);
  for (size_t g = 0; g < gpus.size(); ++g) {
    pugi::xml_node element = gpus[g].second;
    for (pugi::xml_node child : element.children()) {
      StringRef name = child.name();
      if (name == "c2c") {
        if (failed(addChipLinks(server.gpus[g], child)))
          return failure();
        continue;
      }
      server.hasXgmi |= name == "xgmi";
      if (name != "nvlink" && name != "xgmi") {
        if (ignored.insert(name.str()).second)
          diags.warning(placeOf(child), "'" + name + "' is ignored: a target has no such value");
        continue;
      }
      FailureOr<uint64_t> rate = name == "xgmi" ? xgmiRate(element) : nvLinkRate(element);
      if (failed(rate) || failed(addNvLinks(server.gpus[g], child, *rate)))
        return failure();
    }
  }
  // Both ends list their links.
  auto rateBetween = [&](size_t a, size_t b) {
    uint64_t rate = 0;
    for (const NvLinks &links : server.gpus[a].nvLinks)
      if (links.gpu == b)
        rate = links.rate;
    return rate;
  };
  for (size_t a = 0; a < gpus.size(); ++a)
    for (size_t b = a + 1; b < gpus.size(); ++b)
      if (rateBetween(a, b) != rateBetween(b, a))
        return error(gpus[a].second,
                     formatv("has {0} GB/s of {1} to gpu{2}, but {3} GB/s back",
                             gigabytesText(rateBetween(a, b)),
                             server.hasXgmi ? "xGMI links" : "NVLinks", server.gpus[b].device,
                             gigabytesText(rateBetween(b, a))))
            .note(placeOf(gpus[b].second), "the other GPU");
  return success();
}
} // namespace

FailureOr<Server> nccl::readTopology(StringRef text, StringRef file, DiagnosticEngine &diags) {
  return Reader(text, file, diags).read();
}
