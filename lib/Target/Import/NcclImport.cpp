//===- NcclImport.cpp - Targets from topology files of NCCL ---------------===//
//
// If all GPUs are connected by NVSwitches, the server becomes a node of the family `switched`, with
// the NICs that are nearest to the GPUs in the tree of PCIe. Other servers become a list of GPUs,
// bridges and CPUs, with NICs if there are several servers. Latencies are not in the file; they are
// those of the bundled targets or of NCCL's tuning model, and all of them are listed in the target
// as assumptions.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"

#include "NcclTopology.h"
#include "Readers.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
/// Propagation in seconds: 0.6 us for a hop over NVLink and 1 us over PCIe, of two links each
/// (NCCL's tuning model, ring, LL). Links between the chips of a package are NVLinks.
constexpr double nvSwitchLink = 300e-9, nvLink = 600e-9, pcieLink = 500e-9, chipLink = 300e-9;
/// That of the links of mi300x, and of the NICs of dgx-h100.
constexpr double xgmiLink = 728e-9, nicLink = 650e-9;
constexpr const char *fabric = "fabric";
constexpr uint32_t mostServers = 1024;

class Importer {
public:
  Importer(Server server, StringRef file, std::optional<uint32_t> nodes, DiagnosticEngine &diags)
      : server(std::move(server)), file(file), nodes(nodes), diags(diags) {}

  Json convert(StringRef name) {
    Json target{{"name", name}, {"family", ""}};
    target["description"] = "imported from " + server.source;
    Json keys;
    // A list connects servers by any NICs.
    bool switched = rateOfNvSwitch() && !(connects() && groups().empty());
    target["family"] = switched ? "switched" : "graph";
    switched ? addNode(keys) : addList(keys);
    target["// assumptions"] = server.assumptions;
    target.update(keys);
    return target;
  }

private:
  /// The rate of every GPU to the NVSwitches, if these are its only NVLinks.
  std::optional<uint64_t> rateOfNvSwitch() const {
    auto rateOf = [](const Gpu &gpu) -> uint64_t {
      bool only = gpu.nvLinks.size() == 1 && !gpu.nvLinks[0].gpu;
      return only ? gpu.nvLinks[0].rate : 0;
    };
    uint64_t rate = rateOf(server.gpus[0]);
    bool equal = llvm::all_of(server.gpus, [&](const Gpu &gpu) { return rateOf(gpu) == rate; });
    return equal && rate > 0 ? std::optional(rate) : std::nullopt;
  }

  bool contains(uint32_t above, uint32_t node) const {
    while (node > above && server.nodes[node].parent)
      node = *server.nodes[node].parent;
    return node == above;
  }
  /// The nearest bridge or CPU above \p node with one of \p devices below it.
  template <class Device>
  std::optional<uint32_t> nearest(uint32_t node, const std::vector<Device> &devices) const {
    for (std::optional<uint32_t> at = server.nodes[node].parent; at; at = server.nodes[*at].parent)
      if (llvm::any_of(devices, [&](const Device &d) { return contains(*at, d.node); }))
        return at;
    return std::nullopt;
  }
  /// The lowest rate from \p gpu up to \p above: to a CPU over links between the chips, if these
  /// are faster than PCIe.
  uint64_t rateUpTo(uint32_t above, const Gpu &gpu) const {
    uint64_t rate = rateUpTo(above, gpu.node);
    return server.nodes[above].parent ? rate : std::max(rate, gpu.chipRate);
  }
  /// The lowest rate from \p node up to \p above.
  uint64_t rateUpTo(uint32_t above, uint32_t node) const {
    uint64_t rate = server.nodes[node].rate;
    for (; node != above; node = *server.nodes[node].parent)
      rate = std::min(rate, server.nodes[node].rate);
    return rate;
  }

  /// The GPUs and NICs below a bridge or CPU that are nearest to each other.
  struct Group {
    std::vector<uint32_t> gpus, nics;
    uint64_t nicRate = 0, hostRate = ~uint64_t(0);
    auto shape() const { return std::tuple(gpus.size(), nics.size(), nicRate, hostRate); }
  };

  /// The groups by their bridge or CPU; none if they differ.
  std::vector<Group> groups() const {
    std::map<uint32_t, Group> found;
    for (uint32_t g = 0; g < server.gpus.size(); ++g) {
      std::optional<uint32_t> above = nearest(server.gpus[g].node, server.nics);
      if (!above)
        return {};
      found[*above].gpus.push_back(g);
      found[*above].hostRate = std::min(found[*above].hostRate, rateUpTo(*above, server.gpus[g]));
    }
    for (uint32_t n = 0; n < server.nics.size(); ++n) {
      std::optional<uint32_t> above = nearest(server.nics[n].node, server.gpus);
      auto group = above ? found.find(*above) : found.end();
      if (group == found.end())
        continue;
      group->second.nics.push_back(n);
      group->second.nicRate += server.nics[n].rate;
      group->second.hostRate =
          std::min(group->second.hostRate, rateUpTo(*above, server.nics[n].node));
    }
    std::vector<Group> result;
    for (auto &[above, group] : found) {
      size_t share = group.nics.empty() ? 0 : group.gpus.size() / group.nics.size();
      bool successive = group.gpus.back() - group.gpus.front() + 1 == group.gpus.size() &&
                        group.gpus.front() % group.gpus.size() == 0;
      bool divides = share > 0 ? group.gpus.size() % group.nics.size() == 0
                               : !group.nics.empty() && group.nics.size() % group.gpus.size() == 0;
      if (!divides || (share > 1 && !successive) ||
          (!result.empty() && group.shape() != result[0].shape()))
        return {};
      result.push_back(std::move(group));
    }
    return result;
  }

  void warnOfNics(size_t used, const char *reason) const {
    if (size_t unused = server.nics.size() - used)
      diags.warning({file.str()},
                    formatv("{0} ignored: {1}",
                            unused == 1 ? "1 NIC is" : counted(unused, "NIC") + " are", reason));
  }

  void addNode(Json &keys) {
    keys["gpus_per_node"] = server.gpus.size();
    std::vector<Group> found = groups();
    if (found.empty())
      keys["nodes"] = 1;
    else if (nodes)
      keys["nodes"] = *nodes;
    keys["node_link"] = {{"bandwidth", *rateOfNvSwitch()}, {"propagation", nvSwitchLink}};
    server.assumptions.insert("a link to the NVSwitches takes 0.3 us, as in dgx-h100");
    if (found.empty())
      return warnOfNics(0, "the GPUs do not have equal shares of NICs, so the target has one node");
    const Group &group = found[0];
    size_t share = std::max<size_t>(group.gpus.size() / group.nics.size(), 1);
    uint64_t nics = group.gpus.size() / share;
    keys["nic"] = {{"gpus_per_nic", share},     {"bandwidth", group.nicRate / nics},
                   {"propagation", nicLink},    {"overhead", 300e-9},
                   {"fabric_overhead", 300e-9}, {"host_bandwidth", group.hostRate},
                   {"host_propagation", 200e-9}};
    server.assumptions.insert("nodes are connected by one switch, with the latencies of dgx-h100");
    warnOfNics(found.size() * group.nics.size(), "other NICs are nearer to the GPUs");
  }

  /// The name of a node in the server that is being added.
  std::string nameOf(uint32_t node) const { return prefix + server.nodes[node].name; }
  void addLink(Json &keys, StringRef from, StringRef to, uint64_t rate, double propagation) {
    keys["links"].push_back(
        {{"from", from}, {"to", to}, {"bandwidth", rate}, {"propagation", propagation}});
  }

  void addNvLinks(Json &keys) {
    bool toSwitch = false, any = false;
    for (uint32_t g = 0; g < server.gpus.size(); ++g)
      for (const NvLinks &nvLinks : server.gpus[g].nvLinks) {
        any = true;
        toSwitch |= !nvLinks.gpu;
        std::string name = nameOf(server.gpus[g].node);
        if (!nvLinks.gpu)
          addLink(keys, name, prefix + "nvswitch", nvLinks.rate, nvSwitchLink);
        else if (*nvLinks.gpu > g)
          addLink(keys, name, nameOf(server.gpus[*nvLinks.gpu].node), nvLinks.rate,
                  server.hasXgmi ? xgmiLink : nvLink);
      }
    if (toSwitch)
      keys["nodes"].push_back({{"name", prefix + "nvswitch"}, {"endpoint", "off"}});
    if (any)
      server.assumptions.insert(server.hasXgmi ? "a hop over xGMI takes 0.728 us, as in mi300x"
                                               : "a hop over NVLink takes 0.6 us, as in dgx1");
  }

  uint32_t cpuOf(uint32_t node) const {
    while (server.nodes[node].parent)
      node = *server.nodes[node].parent;
    return node;
  }

  /// A level for the CPUs, if all of them have equal numbers of successive GPUs, and one for the
  /// servers.
  void addLevels(Json &keys) const {
    std::vector<uint32_t> cpus; // by GPU
    for (const Gpu &gpu : server.gpus)
      cpus.push_back(cpuOf(gpu.node));
    size_t size = llvm::count(cpus, cpus[0]);
    std::vector<uint32_t> firsts;
    bool regular = cpus.size() % size == 0;
    for (size_t g = 0; g < cpus.size() && regular; ++g) {
      if (g % size == 0)
        firsts.push_back(cpus[g]);
      regular = cpus[g] == firsts.back() && llvm::count(firsts, cpus[g]) == 1;
    }
    Json levels = Json::array();
    if (connects())
      levels.push_back({{"name", "node"}, {"width", *nodes}});
    if (regular && firsts.size() > 1)
      levels.push_back({{"name", "cpu"}, {"width", firsts.size()}});
    size_t members = regular ? size : cpus.size();
    if (!levels.empty()) {
      levels.push_back({{"name", "gpu"}, {"width", members}});
      keys["levels"] = levels;
    }
  }

  void addChipLinks(Json &keys) {
    for (const Gpu &gpu : server.gpus)
      if (gpu.chipRate > 0) {
        addLink(keys, nameOf(gpu.node), nameOf(cpuOf(gpu.node)), gpu.chipRate, chipLink);
        server.assumptions.insert("a link between the chips of a CPU and a GPU takes 0.3 us, as to "
                                  "an NVSwitch");
      }
  }
  /// Whether \p node is a GPU whose link to its CPU is another one than PCIe.
  bool hasChipLinkTo(uint32_t parent, uint32_t node) const {
    return !server.nodes[parent].parent && llvm::any_of(server.gpus, [&](const Gpu &gpu) {
      return gpu.node == node && gpu.chipRate > 0;
    });
  }

  /// Whether several servers are connected.
  bool connects() const { return nodes.value_or(1) > 1; }
  /// Whether \p node is, or is above, a GPU, or a NIC that connects servers.
  bool isUsed(uint32_t node) const {
    auto isBelow = [&](const auto &device) { return contains(node, device.node); };
    return llvm::any_of(server.gpus, isBelow) || (connects() && llvm::any_of(server.nics, isBelow));
  }

  void addServer(Json &keys) {
    for (const Gpu &gpu : server.gpus)
      keys["nodes"].push_back({{"name", nameOf(gpu.node)}});
    addNvLinks(keys);
    for (uint32_t n = 0; n < server.nodes.size(); ++n) {
      const Node &node = server.nodes[n];
      bool isGpu = llvm::any_of(server.gpus, [&](const Gpu &g) { return g.node == n; });
      if (!isGpu && isUsed(n))
        keys["nodes"].push_back({{"name", nameOf(n)}, {"endpoint", "off"}});
      if (node.parent && isUsed(n) && !hasChipLinkTo(*node.parent, n))
        addLink(keys, nameOf(n), nameOf(*node.parent), node.rate, pcieLink);
    }
    addChipLinks(keys);
    std::vector<uint32_t> cpus;
    for (uint32_t cpu : server.cpus)
      if (isUsed(cpu))
        cpus.push_back(cpu);
    if (cpus.size() > 1)
      server.assumptions.insert(formatv("CPUs are connected in pairs at {0} GB/s, as NCCL assumes",
                                        gigabytesText(server.cpuRate)));
    for (size_t a = 0; a < cpus.size(); ++a)
      for (size_t b = a + 1; b < cpus.size(); ++b)
        addLink(keys, nameOf(cpus[a]), nameOf(cpus[b]), server.cpuRate, pcieLink);
    for (const Nic &nic : server.nics)
      if (connects())
        addLink(keys, nameOf(nic.node), fabric, nic.rate, nicLink);
  }

  void addList(Json &keys) {
    keys["nodes"] = Json::array();
    keys["links"] = Json::array();
    for (uint32_t node = 0; node < nodes.value_or(1); ++node) {
      if (connects())
        prefix = formatv("node{0}.", node);
      addServer(keys);
    }
    if (connects()) {
      keys["nodes"].push_back({{"name", fabric}, {"endpoint", "off"}});
      server.assumptions.insert("nodes are connected by one switch; a link of a NIC takes 0.65 us, "
                                "as in dgx-h100");
    }
    server.assumptions.insert("a link of PCIe or between CPUs takes 0.5 us: 1 us over one bridge, "
                              "as in NCCL's tuning model");
    addLevels(keys);
    if (!connects())
      warnOfNics(0, "the list has one server (--nodes N connects N of them)");
  }

  Server server;
  StringRef file;
  std::optional<uint32_t> nodes; ///< the number of servers; unset: 1, or that of the ranks
  std::string prefix;            ///< of the names in one of several servers
  DiagnosticEngine &diags;
};
} // namespace

FailureOr<std::string> nccl::targetOf(Server server, const ForeignFile &file,
                                      const ImportOptions &options, DiagnosticEngine &diags) {
  if (options.nodes.value_or(1) > mostServers)
    return diags.error({}, formatv("--nodes connects at most {0} servers", mostServers));
  if (options.nodes.value_or(1) > 1 && server.nics.empty())
    return diags.error({file.name}, formatv("has no NIC that connects {0} nodes", *options.nodes));
  Json target = Importer(std::move(server), file.name, options.nodes, diags).convert(options.name);
  return jsonText(target) + "\n";
}
