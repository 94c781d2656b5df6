//===- NcclLinks.cpp - Links between GPUs of topology files ---------------===//
//
// A `gpu` lists `nvlink`s or `xgmi` links by the bus ids of their other ends, and `c2c` links to
// the chip of its CPU. NVLinks have a number but no rate; the rate follows from the compute
// capability. The class of the other end selects a GPU, the CPU (POWER9), or the NVSwitches, of
// which the runtimes make one; each GPU lists its own end of the links to another GPU. The links of
// a GPU with parts are divided between these. Links that one end does not list have the lower rate
// of both ends, and links to the own GPU none.
//
//===----------------------------------------------------------------------===//

#include "NcclLinks.h"

#include "NcclRates.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

std::optional<int64_t> nccl::integerOf(pugi::xml_node node, const char *name) {
  StringRef written = StringRef(node.attribute(name).value()).trim();
  int64_t value;
  if (written.consumeInteger(10, value))
    return std::nullopt;
  return value;
}

std::string nccl::busId(StringRef written) {
  std::string id;
  for (char c : written.lower())
    if (c != ':' && c != '.' && !(id.empty() && c == '0'))
      id += c;
  return id;
}

namespace {
/// Links of one kind, and megabytes per second of one of them: more are unreadable.
constexpr int64_t mostLinks = 1024, mostMegabytes = 10'000'000;

class Resolver {
public:
  Resolver(Server &server, const BusIds &nodes, WarnOnce warn)
      : server(server), nodes(nodes), warn(warn) {
    for (const Device &device : server.devices)
      packages.push_back(packageOf(device));
  }

  void addLinksOf(const Element &gpu) {
    for (pugi::xml_node child : gpu.xml.children()) {
      StringRef name = child.name();
      if (name == "c2c") {
        addChipLinks(gpu, child);
      } else if (name == "nvlink" || name == "xgmi") {
        server.hasXgmi |= name == "xgmi";
        addLinks(gpu, child, name == "xgmi" ? rateOfXgmi(gpu.xml) : rateOfNvLink(gpu));
      } else if (child.type() == pugi::node_element) {
        warn(child, "element " + name.str(), "element '" + name + "' is skipped");
      }
    }
  }

  /// Both ends list their links.
  void compareEnds() {
    for (uint32_t a = 0; a < server.devices.size(); ++a)
      for (uint32_t b = a + 1; b < server.devices.size(); ++b) {
        uint64_t there = rateBetween(a, b), back = rateBetween(b, a);
        if (there == back)
          continue;
        server.halfLinks.push_back({a, b, there, back});
        setRate(a, b, std::min(there, back));
        setRate(b, a, std::min(there, back));
      }
  }

private:
  /// The node of the GPU of a part, which is that of the device without parts.
  uint32_t packageOf(const Device &device) const {
    bool isPart = llvm::any_of(server.parts, [&](const auto &pair) {
      return pair.first == device.node || pair.second == device.node;
    });
    return isPart ? *server.nodes[device.node].parent : device.node;
  }

  uint64_t rateOfNvLink(const Element &gpu) {
    uint32_t capability = server.devices[gpu.device].capability;
    std::optional<uint64_t> rate = nvLinkRate(capability);
    if (!rate)
      warn(gpu.xml, "sm",
           formatv("has NVLinks, but no compute capability 'sm' from 60: {0} GB/s are assumed for "
                   "an NVLink",
                   otherNvLinkRate / 1'000'000'000));
    std::string of = rate ? formatv("compute capability {0}.{1}", capability / 10, capability % 10)
                          : std::string("an unknown GPU");
    server.assumptions.insert(formatv("an NVLink of {0} has {1} GB/s in each direction", of,
                                      gigabytesText(rate.value_or(otherNvLinkRate))));
    return rate.value_or(otherNvLinkRate);
  }

  uint64_t rateOfXgmi(pugi::xml_node gpu) {
    StringRef architecture = gpu.attribute("gcn").value();
    if (architecture.empty())
      architecture = gpu.attribute("arch").value();
    uint64_t rate = xgmiRate(architecture);
    server.assumptions.insert(formatv(
        "an xGMI link of {0} has {1} GB/s in each direction, as RCCL assumes",
        architecture.empty() ? "an unknown architecture" : architecture, gigabytesText(rate)));
    return rate;
  }

  /// The number of links of an element, or 0.
  uint64_t countOf(pugi::xml_node element) {
    int64_t count = integerOf(element, "count").value_or(0);
    if (count > 0 && count <= mostLinks)
      return count;
    warn(element, "count",
         formatv("'count' takes a number of links from 1, not '{0}': these links are ignored",
                 element.attribute("count").value()));
    return 0;
  }

  void addLinks(const Element &gpu, pugi::xml_node element, uint64_t rate) {
    StringRef target = element.attribute("target").value(),
              kind = element.attribute("tclass").value();
    uint64_t count = countOf(element);
    if (count == 0)
      return;
    uint32_t own = packages[gpu.device];
    auto end = nodes.find({gpu.host, busId(target)});
    std::vector<uint32_t> others =
        end == nodes.end() ? std::vector<uint32_t>() : devicesAt(end->second);
    Device &device = server.devices[gpu.device];
    bool isXgmi = StringRef(element.name()) == "xgmi";
    // Without a class, the other end decides.
    bool toGpu = isXgmi || kind.starts_with("0x03") || kind.starts_with("0x12") ||
                 (kind.empty() && !others.empty());
    uint64_t all = count * rate / llvm::count(packages, own);
    if (toGpu && end != nodes.end() && end->second == own) {
      device.linksToItself = true;
      return;
    }
    device.links += count;
    device.linkRate = rate;
    if (kind.starts_with("0x068001")) {
      server.nodes[own].chipRate += all;
    } else if (!toGpu) {
      add(device, std::nullopt, all);
    } else if (others.empty()) {
      warn(element, "target", "is ignored: there is no GPU " + target);
    } else {
      for (uint32_t other : others)
        add(device, other, all / others.size());
    }
  }

  std::vector<uint32_t> devicesAt(uint32_t node) const {
    std::vector<uint32_t> found;
    for (uint32_t d = 0; d < packages.size(); ++d)
      if (packages[d] == node)
        found.push_back(d);
    return found;
  }

  void add(Device &device, std::optional<uint32_t> other, uint64_t rate) {
    if (rate == 0)
      return;
    auto known = llvm::find_if(device.nvLinks, [&](const NvLinks &l) { return l.device == other; });
    if (known == device.nvLinks.end())
      device.nvLinks.push_back({other, rate});
    else
      known->rate += rate;
  }

  /// 'bw' is MB/s of each link. Parts of a GPU share its links, which each of them lists.
  void addChipLinks(const Element &gpu, pugi::xml_node element) {
    int64_t megabytes = integerOf(element, "bw").value_or(0);
    uint64_t count = countOf(element);
    if (megabytes <= 0 || megabytes > mostMegabytes) {
      warn(element, "bw",
           formatv("'bw' takes MB/s from 1 to {0}, not '{1}': these links are ignored",
                   mostMegabytes, element.attribute("bw").value()));
      return;
    }
    uint32_t own = packages[gpu.device];
    server.nodes[own].chipRate += count * megabytes * 1'000'000 / llvm::count(packages, own);
  }

  uint64_t rateBetween(uint32_t a, uint32_t b) const {
    for (const NvLinks &links : server.devices[a].nvLinks)
      if (links.device == b)
        return links.rate;
    return 0;
  }
  void setRate(uint32_t a, uint32_t b, uint64_t rate) {
    llvm::erase_if(server.devices[a].nvLinks,
                   [&](const NvLinks &links) { return links.device == b && rate == 0; });
    for (NvLinks &links : server.devices[a].nvLinks)
      if (links.device == b)
        links.rate = rate;
  }

  Server &server;
  const BusIds &nodes;
  WarnOnce warn;
  std::vector<uint32_t> packages; ///< nodes of the GPUs by device
};
} // namespace

void nccl::resolveLinks(Server &server, ArrayRef<Element> gpus, const BusIds &nodes,
                        WarnOnce warn) {
  Resolver resolver(server, nodes, warn);
  for (const Element &gpu : gpus)
    if (gpu.isFirst)
      resolver.addLinksOf(gpu);
  resolver.compareEnds();
}
