//===- HwlocTopology.cpp - Servers from XML of hwloc ----------------------===//
//
// `lstopo server.xml` writes nested objects: packages with their bridges, PCI devices and OS
// devices (hwloc.dtd, hwloc 2). A host bridge (`bridge_type` 0-1) is a port of a CPU, other bridges
// and devices have the rate of their link in GB/s, without the encoding, at the current speed. GPUs
// and NICs are the PCI devices of such a class. The matrices NVLinkBandwidth and XGMIBandwidth have
// MB/s between GPUs, and to NVSwitches; 0 is no direct link. Bridges with one device below are left
// out.
//
// The reader makes the server that topology files of NCCL describe.
//
//===----------------------------------------------------------------------===//

#include "NcclRates.h"
#include "Readers.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <pugixml.hpp>

#include <cmath>
#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

namespace {
constexpr size_t mostHwlocBytes = 1 << 24, mostHwlocLevels = 128, mostHwlocDevices = 1024;
/// The rate of PCIe 1 x16, to which idle GPUs reduce the speed of their link.
constexpr double idleRate = 4e9;

enum class PartKind : uint8_t { Bridge, Gpu, Nic };

/// A bridge or device of PCIe with what is below it.
struct PciPart {
  PartKind kind = PartKind::Bridge;
  std::string name;
  uint64_t rate = 0;
  bool isKnown = false; ///< whether the rate of a device is in the file
  std::vector<PciPart> below;
  std::vector<std::string> indices; ///< of the device and its OS devices, in matrices
  bool isFast = false;              ///< whether a NIC is one of OpenFabrics
};

class HwlocReader {
public:
  HwlocReader(const ForeignFile &file, DiagnosticEngine &diags) : file(file), diags(diags) {}

  FailureOr<Server> read() {
    if (file.text.size() > mostHwlocBytes)
      return diags.error({file.name}, "is too large for XML of hwloc");
    pugi::xml_document document;
    pugi::xml_parse_result parsed = document.load_buffer(file.text.data(), file.text.size());
    if (!parsed)
      return diags.error({file.name, lineAt(parsed.offset)},
                         "is not valid XML (" + StringRef(parsed.description()).lower() + ")");
    server.source = "XML of hwloc";
    server.hosts = 1;
    pugi::xml_node topology = document.document_element();
    if (failed(visit(topology, 0)))
      return failure();
    for (CpuParts &cpu : cpus)
      addCpu(cpu);
    if (server.gpus.empty())
      return diags.error({file.name}, "has no GPU: 'lstopo --whole-io' writes all devices");
    for (const char *tag : {"distances2", "distances2hetero"})
      for (pugi::xml_node matrix : topology.children(tag))
        if (failed(readMatrix(matrix)))
          return failure();
    addLinks();
    keepDataNics();
    return std::move(server);
  }

private:
  struct CpuParts {
    pugi::xml_node object;
    std::vector<PciPart> parts;
  };

  unsigned lineAt(ptrdiff_t offset) const {
    return unsigned(file.text.take_front(std::max<ptrdiff_t>(offset, 0)).count('\n') + 1);
  }
  Location placeOf(pugi::xml_node node) const { return {file.name, lineAt(node.offset_debug())}; }

  /// Bridges and devices in \p object, a package or a group, are those of a CPU.
  LogicalResult visit(pugi::xml_node object, size_t level) {
    std::optional<size_t> cpu;
    if (level > mostHwlocLevels)
      return diags.error(placeOf(object),
                         formatv("is below more than {0} objects", mostHwlocLevels));
    for (pugi::xml_node child : object.children("object")) {
      StringRef type = child.attribute("type").value();
      if (type == "Bridge" || type == "PCIDev") {
        if (!cpu) {
          cpu = cpus.size();
          cpus.push_back({object, {}});
        }
        FailureOr<std::vector<PciPart>> parts = partsOf(child, level + 1);
        if (failed(parts))
          return failure();
        llvm::move(*parts, std::back_inserter(cpus[*cpu].parts));
      } else if (failed(visit(child, level + 1))) {
        return failure();
      }
    }
    return success();
  }

  /// The GPUs and NICs at or below a bridge or device, and the bridges that several of them share.
  FailureOr<std::vector<PciPart>> partsOf(pugi::xml_node object, size_t level) {
    std::vector<PciPart> below;
    if (level > mostHwlocLevels)
      return diags.error(placeOf(object),
                         formatv("is below more than {0} objects", mostHwlocLevels));
    FailureOr<uint64_t> rate = rateOf(object);
    if (failed(rate))
      return failure();
    if (StringRef(object.attribute("type").value()) == "PCIDev") {
      if (std::optional<PciPart> device = deviceOf(object)) {
        if (++devices > mostHwlocDevices)
          return diags.error(placeOf(object),
                             formatv("is one of more than {0} GPUs and NICs", mostHwlocDevices));
        device->rate = *rate;
        device->isKnown = object.attribute("pci_link_speed").as_double() > 0;
        below.push_back(std::move(*device));
      }
      return below;
    }
    for (pugi::xml_node child : object.children("object")) {
      FailureOr<std::vector<PciPart>> parts = partsOf(child, level + 1);
      if (failed(parts))
        return failure();
      llvm::move(*parts, std::back_inserter(below));
    }
    if (StringRef(object.attribute("bridge_type").value()) == "0-1")
      return below;
    if (below.size() == 1 && *rate > 0)
      below[0].rate = std::min(below[0].rate, *rate);
    if (below.size() < 2)
      return below;
    PciPart bridge;
    bridge.name = std::string("pci-") + object.attribute("pci_busid").value();
    bridge.rate = *rate;
    bridge.below = std::move(below);
    return std::vector<PciPart>{std::move(bridge)};
  }

  FailureOr<uint64_t> rateOf(pugi::xml_node object) {
    StringRef text = object.attribute("pci_link_speed").value();
    double gigabytes = 0;
    if (!text.empty() && (text.getAsDouble(gigabytes) || !(gigabytes >= 0 && gigabytes <= 1e4)))
      return diags.error(placeOf(object),
                         "'pci_link_speed' takes GB/s from 0 to 10000, not '" + text + "'");
    if (gigabytes > 0)
      return uint64_t(std::llround(gigabytes * 1e9));
    server.assumptions.insert("PCIe links without a speed have 15.754 GB/s (8 GT/s x16)");
    return uint64_t(std::llround(16 * otherPcieLaneRate));
  }

  /// The GPU or NIC of a PCI device, if it is one.
  std::optional<PciPart> deviceOf(pugi::xml_node object) const {
    // "0302 [10de:20b0] [10de:134f] a1": the class and the vendor.
    auto [pciClass, rest] = StringRef(object.attribute("pci_type").value()).split(' ');
    StringRef vendor = rest.ltrim(" [").take_until([](char c) { return c == ':'; });
    bool isNetwork = false, isFast = false, computes = false;
    PciPart part;
    part.indices.emplace_back(object.attribute("gp_index").value());
    for (pugi::xml_node device : object.children("object")) {
      StringRef type = device.attribute("osdev_type").value();
      isNetwork |= type == "2";
      isFast |= type == "3";
      computes |= type == "5";
      part.indices.emplace_back(device.attribute("gp_index").value());
    }
    bool shows = pciClass.starts_with("03") || pciClass.starts_with("12");
    if (shows && (computes || vendor == "10de" || vendor == "1002"))
      part.kind = PartKind::Gpu;
    else if (pciClass.starts_with("02") || isNetwork || isFast)
      part.kind = PartKind::Nic;
    else
      return std::nullopt;
    part.isFast = isFast || pciClass == "0207";
    part.name = std::string("pci-") + object.attribute("pci_busid").value();
    return part;
  }

  void addCpu(CpuParts &cpu) {
    uint32_t node = server.nodes.size();
    auto info = [&](const char *name) {
      for (pugi::xml_node object = cpu.object; object; object = object.parent())
        if (pugi::xml_node found = object.find_child_by_attribute("info", "name", name))
          return StringRef(found.attribute("value").value());
      return StringRef();
    };
    auto number = [&](const char *name) {
      int64_t value;
      return info(name).getAsInteger(10, value) ? std::nullopt : std::optional(value);
    };
    std::optional<uint64_t> rate = cpuRate(info("Architecture"), info("CPUVendor"),
                                           number("CPUFamilyNumber"), number("CPUModelNumber"));
    server.cpus.push_back({node, 0, rate.value_or(otherCpuRate)});
    server.nodes.push_back({formatv("cpu{0}", server.cpus.size() - 1), std::nullopt});
    addParts(cpu.parts, node);
  }

  void addParts(const std::vector<PciPart> &parts, uint32_t parent) {
    for (const PciPart &part : parts) {
      uint32_t node = server.nodes.size();
      Node &added = server.nodes.emplace_back();
      added.name = part.name;
      added.parent = parent;
      added.rate = part.rate;
      added.isKnown = part.isKnown && double(part.rate) > idleRate;
      if (part.kind == PartKind::Gpu) {
        uint32_t number = server.gpus.size();
        added.name = formatv("gpu{0}", number);
        server.gpus.push_back({number, node, 0, number});
        server.devices.emplace_back().node = node;
      } else if (part.kind == PartKind::Nic) {
        server.nics.push_back({part.name, node, 0, 0, {}, false});
        isFast.push_back(part.isFast);
      }
      for (const std::string &index : part.indices)
        if (part.kind == PartKind::Gpu && !index.empty())
          gpuOf[index] = server.gpus.size() - 1;
      addParts(part.below, node);
    }
  }

  /// The GPU of "12" or "OSDev:12".
  std::map<std::string, uint32_t>::const_iterator findGpu(StringRef index) const {
    return gpuOf.find(index.substr(index.rfind(':') + 1).str());
  }

  /// A matrix of objects, which are named by their index, in one with different kinds after the
  /// kind.
  LogicalResult readMatrix(pugi::xml_node matrix) {
    StringRef name = matrix.attribute("name").value();
    if (name != "NVLinkBandwidth" && name != "XGMIBandwidth")
      return success();
    std::string text[2];
    for (pugi::xml_node child : matrix.children())
      text[StringRef(child.name()) == "u64values"] += std::string(child.child_value()) + " ";
    SmallVector<StringRef> indices, values;
    llvm::SplitString(text[0], indices);
    llvm::SplitString(text[1], values);
    if (values.size() != indices.size() * indices.size())
      return diags.error(placeOf(matrix), formatv("'{0}' has {1} values for {2} objects", name,
                                                  values.size(), indices.size()));
    server.hasXgmi |= name == "XGMIBandwidth";
    for (size_t a = 0; a < indices.size(); ++a)
      for (size_t b = 0; b < indices.size(); ++b) {
        uint64_t megabytes;
        if (values[a * indices.size() + b].getAsInteger(10, megabytes) || megabytes > maxMegabytes)
          return diags.error(placeOf(matrix),
                             formatv("'{0}' takes MB/s from 0 to {1}, not '{2}'", name,
                                     maxMegabytes, values[a * indices.size() + b]));
        auto from = findGpu(indices[a]), to = findGpu(indices[b]);
        if (a == b || from == gpuOf.end() || megabytes == 0)
          continue;
        // Objects that are no GPUs are NVSwitches.
        std::optional<uint32_t> other;
        if (to != gpuOf.end())
          other = to->second;
        rates[{from->second, other}] += megabytes * 1'000'000;
      }
    return success();
  }

  /// The links of both directions: the lower rate, if they differ.
  void addLinks() {
    for (const auto &[ends, rate] : rates) {
      const auto &[from, to] = ends;
      uint64_t lower = rate;
      if (to) {
        auto found = rates.find({*to, from});
        uint64_t back = found == rates.end() ? 0 : found->second;
        if (back != rate && (from < *to || back == 0))
          server.halfLinks.push_back({from, *to, rate, back});
        lower = std::min(rate, back);
      }
      Device &device = server.devices[from];
      if (lower == 0)
        continue;
      device.nvLinks.push_back({to, lower});
      ++device.links;
      device.linkRate = lower;
    }
    if (rates.empty())
      diags.warning({file.name},
                    "has no NVLinks and no xGMI links: hwloc writes them if it is built "
                    "with NVML or RSMI");
  }

  /// NICs of OpenFabrics carry the data, if there are any.
  void keepDataNics() {
    if (!llvm::is_contained(isFast, true))
      return;
    std::vector<Nic> kept;
    for (size_t n = 0; n < server.nics.size(); ++n)
      if (isFast[n])
        kept.push_back(std::move(server.nics[n]));
    server.nics = std::move(kept);
  }

  static constexpr uint64_t maxMegabytes = 10'000'000;

  const ForeignFile &file;
  DiagnosticEngine &diags;
  std::vector<CpuParts> cpus;
  size_t devices = 0;                                                     ///< GPUs and NICs
  std::map<std::string, uint32_t> gpuOf;                                  ///< by index in matrices
  std::vector<bool> isFast;                                               ///< by NIC
  std::map<std::pair<uint32_t, std::optional<uint32_t>>, uint64_t> rates; ///< by GPU and other end
  Server server;
};
} // namespace

bool cclc::isHwloc(StringRef text) {
  text = text.ltrim();
  return text.starts_with("<") && text.take_front(4096).contains("<topology");
}

FailureOr<Server> cclc::readHwloc(const ForeignFile &file, const ImportOptions &options,
                                  DiagnosticEngine &diags) {
  FailureOr<Server> server = HwlocReader(file, diags).read();
  if (failed(server) || failed(setRatesOfNics(*server, file, options, diags)))
    return failure();
  return server;
}
