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

#include "Health.h"
#include "NcclRates.h"
#include "NicChoice.h"
#include "Readers.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
/// Propagation in seconds: 0.6 us for a hop over NVLink and 1 us over PCIe, of two links each
/// (NCCL's tuning model, ring, LL). Links between the chips of a package are NVLinks. A link of
/// PCIe takes longer if GPUs are connected by several hops, which messages between them prefer.
constexpr double nvSwitchLink = 300e-9, nvLink = 600e-9, chipLink = 300e-9;
/// That of the links of mi300x, and of the NICs of dgx-h100.
constexpr double xgmiLink = 728e-9, nicLink = 650e-9;
/// Inside a GPU.
constexpr double partLink = 100e-9;
constexpr const char *fabric = "fabric";
constexpr uint32_t mostServers = 1024;

class Importer {
public:
  /// With \p network, the servers are its \p hosts.
  Importer(Server server, StringRef file, std::optional<uint32_t> nodes, const Fabric *network,
           std::vector<uint32_t> hosts, DiagnosticEngine &diags)
      : server(std::move(server)), file(file), nodes(nodes), network(network),
        hosts(std::move(hosts)), diags(diags) {
    oneDomain = isOneDomain();
    for (const Gpu &gpu : this->server.gpus)
      used.push_back(usedNics(this->server, gpu));
    for (const std::vector<NicPath> &paths : used)
      for (const NicPath &path : paths)
        if (connects())
          nicsToFabric.insert(path.nic);
  }

  LogicalResult check() const {
    auto error = [&](const llvm::Twine &what) { return diags.error({file.str()}, what); };
    if (network && server.hosts > 1)
      return error(formatv("has {0} hosts: a fabric connects servers of one host", server.hosts));
    for (size_t g = 0; g < used.size() && !oneDomain; ++g)
      if (used[g].empty())
        return error(
            formatv("host{0} has no NIC that connects it to the other hosts", server.gpus[g].host));
    if (connects() && nicsToFabric.empty())
      return error(formatv("has no NIC that connects {0} nodes", *nodes));
    return success();
  }

  Json convert(StringRef name) {
    Json target{{"name", name}, {"family", ""}};
    std::string source = formatv("a topology file of {0}", server.isRccl ? "RCCL" : "NCCL").str();
    target["description"] = "imported from " + server.source.value_or(source);
    Json keys;
    // A list connects servers by any NICs.
    bool switched = rateOfNvSwitch() && !network && !(connects() && groups().empty());
    target["family"] = switched ? "switched" : "graph";
    switched ? addNode(keys) : addList(keys);
    target["// assumptions"] = server.assumptions;
    target.update(keys);
    return target;
  }

private:
  /// The rate of every GPU to the NVSwitches, if these are its only NVLinks.
  std::optional<uint64_t> rateOfNvSwitch() const {
    auto rateOf = [](const Device &device) -> uint64_t {
      bool only = device.nvLinks.size() == 1 && !device.nvLinks[0].device;
      return only ? device.nvLinks[0].rate : 0;
    };
    uint64_t rate = rateOf(server.devices[0]);
    bool equal = llvm::all_of(server.devices, [&](const Device &d) { return rateOf(d) == rate; });
    bool areWhole = server.devices.size() == server.gpus.size() && server.parts.empty();
    return equal && areWhole && rate > 0 ? std::optional(rate) : std::nullopt;
  }

  /// GPUs that use the same NICs.
  struct Group {
    std::vector<uint32_t> gpus;
    std::vector<NicPath> nics;
    uint64_t gpuSide = ~uint64_t(0); ///< the lowest rate of a GPU towards the NICs

    size_t gpusPerNic() const { return std::max<size_t>(gpus.size() / nics.size(), 1); }
    auto shape(const Server &server) const {
      return std::tuple(gpus.size(), nics.size(), nicRate(server), hostRate());
    }
    /// Several NICs of a GPU are one, with the rates of all.
    size_t merged() const { return gpus.size() / gpusPerNic(); }
    uint64_t nicRate(const Server &server) const {
      uint64_t rate = 0;
      for (const NicPath &path : nics) {
        uint64_t own = server.nics[path.nic].rate;
        rate += nics.size() > merged() ? std::min(own, path.nicSide) : own;
      }
      return rate / merged();
    }
    uint64_t hostRate() const {
      uint64_t lowest = ~uint64_t(0), all = 0;
      for (const NicPath &path : nics) {
        lowest = std::min(lowest, path.nicSide);
        all = llvm::SaturatingAdd(all, path.nicSide);
      }
      return std::min(gpuSide, nics.size() > merged() ? all / merged() : lowest);
    }
  };

  /// The groups; none if they differ, or if a NIC is reached over another CPU.
  std::vector<Group> groups() const {
    std::map<std::vector<uint32_t>, Group> found;
    std::set<uint32_t> taken;
    for (uint32_t g = 0; g < server.gpus.size(); ++g) {
      std::vector<uint32_t> key;
      for (const NicPath &path : used[g])
        key.push_back(path.nic);
      if (key.empty() || used[g][0].distance == Distance::Sys)
        return {};
      Group &group = found[key];
      group.gpus.push_back(g);
      if (group.gpus.size() == 1)
        for (uint32_t nic : key)
          if (!taken.insert(nic).second)
            return {};
      if (group.nics.empty())
        group.nics = used[g];
      for (size_t n = 0; n < key.size(); ++n) {
        group.nics[n].nicSide = std::min(group.nics[n].nicSide, used[g][n].nicSide);
        group.gpuSide = std::min(group.gpuSide, used[g][n].gpuSide);
      }
    }
    std::vector<Group> result;
    for (auto &[key, group] : found) {
      size_t share = group.gpus.size() / group.nics.size();
      bool successive = group.gpus.back() - group.gpus.front() + 1 == group.gpus.size() &&
                        group.gpus.front() % group.gpus.size() == 0;
      bool divides = share > 0 ? group.gpus.size() % group.nics.size() == 0
                               : group.nics.size() % group.gpus.size() == 0;
      if (!divides || (share > 1 && !successive) ||
          (!result.empty() && group.shape(server) != result[0].shape(server)))
        return {};
      result.push_back(std::move(group));
    }
    return result;
  }

  void warnOfGuess(const std::optional<Guess> &guess) const {
    if (guess)
      diags.warning(guess->place, guess->text);
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
    for (const Device &device : server.devices)
      if (uint64_t rate = server.nodes[device.node].chipRate)
        server.assumptions.insert(formatv("a link of {0} GB/s between the chips of a CPU and a GPU "
                                          "leads only to NICs",
                                          gigabytesText(rate)));
    if (found.empty())
      return warnOfNics(0, "the GPUs do not have equal shares of NICs, so the target has one node");
    const Group &group = found[0];
    if (size_t merged = group.nics.size() / group.merged(); merged > 1)
      server.assumptions.insert(formatv("{0} NICs of a GPU are one with all of their rates: NCCL "
                                        "alternates between them by channel",
                                        merged));
    keys["nic"] = {{"gpus_per_nic", group.gpusPerNic()},
                   {"bandwidth", group.nicRate(server)},
                   {"propagation", nicLink},
                   {"overhead", 300e-9},
                   {"fabric_overhead", 300e-9},
                   {"host_bandwidth", group.hostRate()},
                   {"host_propagation", 200e-9}};
    warnOfGuess(server.pcieGuess);
    warnOfGuess(server.nicGuess);
    server.assumptions.insert("nodes are connected by one switch, with the latencies of dgx-h100");
    warnOfNics(found.size() * group.nics.size(), "other NICs are nearer to the GPUs");
  }

  /// The name of a node in the server that is being added.
  std::string nameOf(uint32_t node) const { return prefix + server.nodes[node].name; }
  /// \p rate: 0 for no limit.
  void addLink(Json &keys, StringRef from, StringRef to, uint64_t rate, double propagation) {
    Json &link = keys["links"].emplace_back(Json{{"from", from}, {"to", to}});
    if (rate > 0)
      link["bandwidth"] = rate;
    link["propagation"] = propagation;
  }

  void addNvLinks(Json &keys) {
    bool any = false;
    for (uint32_t d = 0; d < server.devices.size(); ++d)
      for (const NvLinks &nvLinks : server.devices[d].nvLinks) {
        any = true;
        std::string name = nameOf(server.devices[d].node);
        if (!nvLinks.device)
          addLink(keys, name, prefix + "nvswitch", nvLinks.rate, nvSwitchLink);
        else if (*nvLinks.device > d)
          addLink(keys, name, nameOf(server.devices[*nvLinks.device].node), nvLinks.rate,
                  server.hasXgmi ? xgmiLink : nvLink);
      }
    if (llvm::any_of(server.devices, linksToSwitch))
      keys["nodes"].push_back({{"name", prefix + "nvswitch"}, {"endpoint", "off"}});
    if (any)
      server.assumptions.insert(server.hasXgmi ? "a hop over xGMI takes 0.728 us, as in mi300x"
                                               : "a hop over NVLink takes 0.6 us, as in dgx1");
    for (const auto &[a, b] : server.parts)
      addLink(keys, nameOf(a), nameOf(b), partRate, partLink);
    if (!server.parts.empty())
      server.assumptions.insert(formatv("parts of a GPU are connected at {0} GB/s, as NCCL assumes",
                                        gigabytesText(partRate)));
  }

  /// A level for the CPUs, if all of them have equal numbers of successive GPUs, and one for the
  /// servers.
  void addLevels(Json &keys) const {
    std::vector<uint32_t> cpus, hosts; // by GPU
    for (const Gpu &gpu : server.gpus) {
      cpus.push_back(server.cpuOf(gpu.node));
      hosts.push_back(gpu.host);
    }
    Json levels = Json::array();
    uint32_t servers = nodes.value_or(1);
    if (std::optional<size_t> size = network ? hostsPerRack(*network, this->hosts) : std::nullopt) {
      levels.push_back({{"name", "rack"}, {"width", servers / *size}});
      servers = *size;
    }
    if (servers > 1)
      levels.push_back({{"name", "node"}, {"width", servers}});
    size_t members = cpus.size();
    auto add = [&](const char *name, ArrayRef<uint32_t> owners) {
      // A level that is no multiple of those below it is none.
      size_t size = sizeOfRuns(owners);
      if (size >= members)
        return;
      levels.push_back({{"name", name}, {"width", members / size}});
      members = size;
    };
    add("host", hosts);
    if (members < cpus.size() || llvm::all_equal(hosts))
      add("cpu", cpus);
    if (!levels.empty()) {
      levels.push_back({{"name", "gpu"}, {"width", members}});
      keys["levels"] = levels;
    }
  }
  /// The number of successive GPUs of each owner, if all owners have equal numbers; else that of
  /// all GPUs.
  static size_t sizeOfRuns(ArrayRef<uint32_t> owners) {
    size_t size = llvm::count(owners, owners[0]);
    std::vector<uint32_t> firsts;
    for (size_t g = 0; g < owners.size(); ++g) {
      if (g % size == 0)
        firsts.push_back(owners[g]);
      if (owners.size() % size != 0 || owners[g] != firsts.back() ||
          llvm::count(firsts, owners[g]) != 1)
        return owners.size();
    }
    return size;
  }

  /// Messages between GPUs with NVLinks take these.
  void addChipLinks(Json &keys) {
    bool any = llvm::any_of(server.devices, [](const Device &d) { return !d.nvLinks.empty(); });
    for (uint32_t n = 0; n < server.nodes.size(); ++n)
      if (uint64_t rate = server.nodes[n].chipRate) {
        addLink(keys, nameOf(n), nameOf(server.cpuOf(n)), rate, any ? pcieLink : chipLink);
        server.assumptions.insert(
            any ? "a link between the chips of a CPU and a GPU takes as long as one of PCIe"
                : "a link between the chips of a CPU and a GPU takes 0.3 us, as to an NVSwitch");
      }
  }

  static bool linksToSwitch(const Device &device) {
    return llvm::any_of(device.nvLinks, [](const NvLinks &links) { return !links.device; });
  }
  /// Whether all GPUs are on one host, or NVSwitches connect their hosts.
  bool isOneDomain() const {
    std::set<uint32_t> hosts, linked;
    for (const Device &device : server.devices) {
      hosts.insert(device.host);
      if (linksToSwitch(device))
        linked.insert(device.host);
    }
    return hosts.size() == 1 || linked == hosts;
  }
  /// The most hops over NVLinks or xGMI links between two devices of a host that these connect.
  size_t mostHops() const {
    size_t most = 0;
    for (uint32_t source = 0; source < server.devices.size(); ++source) {
      std::map<std::optional<uint32_t>, size_t> hops{{source, 0}}; // unset: the NVSwitches
      std::vector<uint32_t> reached{source};
      auto reach = [&](uint32_t device, size_t distance) {
        if (hops.try_emplace(device, distance).second)
          reached.push_back(device);
      };
      for (size_t next = 0; next < reached.size(); ++next) {
        size_t distance = hops[reached[next]] + 1;
        for (const NvLinks &links : server.devices[reached[next]].nvLinks) {
          if (links.device)
            reach(*links.device, distance);
          else if (hops.try_emplace(std::nullopt, distance).second)
            for (uint32_t d = 0; d < server.devices.size(); ++d)
              if (linksToSwitch(server.devices[d]))
                reach(d, distance);
        }
      }
      for (uint32_t device : reached)
        if (server.devices[device].host == server.devices[source].host)
          most = std::max(most, hops[device]);
    }
    return most;
  }

  /// Whether NICs connect servers or hosts.
  bool connects() const { return network || nodes.value_or(1) > 1 || !oneDomain; }
  /// Whether \p node is, or is above, a GPU, or a NIC that connects servers.
  bool isUsed(uint32_t node) const {
    return llvm::any_of(server.gpus, [&](const Gpu &g) { return server.contains(node, g.node); }) ||
           llvm::any_of(nicsToFabric, [&](uint32_t n) {
             const Nic &nic = server.nics[n];
             return server.contains(node, nic.node) || llvm::is_contained(nic.further, node);
           });
  }
  /// The tree of PCIe. Links to the chip of a CPU replace the one to it.
  void addPcie(Json &keys) {
    for (uint32_t n = 0; n < server.nodes.size(); ++n) {
      const Node &node = server.nodes[n];
      bool isGpu = llvm::any_of(server.gpus, [&](const Gpu &g) { return g.node == n; });
      if (!isUsed(n))
        continue;
      if (!isGpu)
        keys["nodes"].push_back({{"name", nameOf(n)}, {"endpoint", "off"}});
      if (!node.parent || (node.chipRate > 0 && !server.nodes[*node.parent].parent))
        continue;
      addLink(keys, nameOf(n), nameOf(*node.parent), node.rate,
              node.rate > 0 ? pcieLink : partLink);
      if (node.rate == 0)
        server.assumptions.insert("a hop inside a GPU takes 0.1 us");
    }
    for (const auto &[a, b] : server.bridges)
      if (isUsed(a) && isUsed(b)) {
        addLink(keys, nameOf(a), nameOf(b), 0, pcieLink);
        server.assumptions.insert(
            "links between PCIe switches (pcilink) have no limit, as in NCCL");
      }
  }

  void addCpuLinks(Json &keys) {
    for (size_t a = 0; a < server.cpus.size(); ++a)
      for (size_t b = a + 1; b < server.cpus.size(); ++b) {
        const Cpu &one = server.cpus[a], &other = server.cpus[b];
        if (one.host != other.host || !isUsed(one.node) || !isUsed(other.node))
          continue;
        uint64_t rate = std::min(one.rate, other.rate);
        addLink(keys, nameOf(one.node), nameOf(other.node), rate, pcieLink);
        server.assumptions.insert(formatv(
            "CPUs are connected in pairs at {0} GB/s, as NCCL assumes", gigabytesText(rate)));
        warnOfGuess(std::exchange(server.cpuGuess, std::nullopt));
      }
  }

  /// The cables of the NICs of \p host: those with their names, else in the order of both. A link
  /// of a scheduler's tree, which has no ports, stands for the cables of all NICs.
  std::map<uint32_t, std::vector<Fabric::Cable>> cablesByNic(uint32_t host) const {
    std::map<uint32_t, std::vector<Fabric::Cable>> result;
    const std::vector<Fabric::Cable> cables = cablesOf(*network, host);
    const std::vector<uint32_t> nics(nicsToFabric.begin(), nicsToFabric.end());
    for (size_t c = 0; c < cables.size(); ++c) {
      const Fabric::Cable &cable = cables[c];
      const std::string &adapter = (cable.a.node == host ? cable.a : cable.b).adapter;
      auto named = llvm::find_if(nics, [&](uint32_t n) { return server.nics[n].name == adapter; });
      if (cable.a.port == 0)
        for (uint32_t nic : nics)
          result[nic].push_back(cable);
      else
        result[named == nics.end() ? nics[c % nics.size()] : *named].push_back(cable);
    }
    return result;
  }

  /// Links a NIC at \p place to the switches of its cables, which are longer by \p extra seconds.
  void addCables(Json &keys, const Nic &nic, StringRef place, ArrayRef<Fabric::Cable> cables,
                 uint32_t host, double extra) {
    for (Fabric::Cable cable : cables) {
      const Fabric::End &far = cable.a.node == host ? cable.b : cable.a;
      uint64_t share = std::max<uint64_t>(nic.rate / cables.size(), 1);
      cable.rate = cable.a.port == 0 ? share : std::min(share, cable.rate);
      addCable(*network, cable, place, network->nodes[far.node].name, keys, extra);
    }
  }

  /// The additional links of PCIe that the paths to other NICs of the same GPU have. The link to
  /// the fabric is longer by these, with the picosecond of each link that routing adds, so that all
  /// equal NICs are on shortest paths.
  uint32_t missingLinks(uint32_t nic) const {
    uint32_t missing = 0;
    for (const std::vector<NicPath> &paths : used)
      for (const NicPath &own : paths)
        if (own.nic == nic)
          for (const NicPath &path : paths)
            missing = std::max(missing, path.links - std::min(path.links, own.links));
    return missing;
  }

  /// Adds the NICs of the server that is host \p host of the fabric, if there is one.
  void addNics(Json &keys, std::optional<uint32_t> host) {
    std::map<uint32_t, std::vector<Fabric::Cable>> cables;
    if (host)
      cables = cablesByNic(*host);
    if (host && cables.size() < nicsToFabric.size())
      hostsWithFewCables.push_back(network->nodes[*host].name);
    for (uint32_t n : nicsToFabric) {
      const Nic &nic = server.nics[n];
      std::string place = nameOf(nic.node);
      if (!nic.further.empty()) {
        place = formatv("{0}nic{1}", prefix, n);
        keys["nodes"].push_back({{"name", place}, {"endpoint", "off"}});
        addLink(keys, place, nameOf(nic.node), 0, pcieLink);
        for (uint32_t cpu : nic.further)
          addLink(keys, place, nameOf(cpu), 0, pcieLink);
      }
      const double extra = missingLinks(n) * (pcieLink + 1e-12);
      if (host)
        addCables(keys, nic, place, cables[n], *host, extra);
      else
        addLink(keys, place, fabric, nic.rate, nicLink + extra);
    }
  }

  void addServer(Json &keys, std::optional<uint32_t> host) {
    for (const Gpu &gpu : server.gpus)
      keys["nodes"].push_back({{"name", nameOf(gpu.node)}});
    addNvLinks(keys);
    addPcie(keys);
    addChipLinks(keys);
    addCpuLinks(keys);
    addNics(keys, host);
  }

  /// Messages take all of several equal NICs of a GPU, and of equal routes over NVLinks.
  void addRouting(Json &keys, size_t hops) {
    auto set = [&](const std::string &reason) {
      keys["// routing"] = reason;
      keys["routing"] = "ecmp";
    };
    if (network)
      return set("switches spread messages over all shortest paths");
    for (size_t g = 0; g < used.size(); ++g)
      if (connects() && used[g].size() > 1)
        return set(formatv("{0} has {1} equal NICs, between which NCCL alternates by channel",
                           server.nodes[server.gpus[g].node].name, used[g].size()));
    if (hops > 1)
      set("routes over several GPUs are equally short");
  }

  std::string hostsText() const {
    const std::string &first = hostsWithFewCables.front();
    size_t others = hostsWithFewCables.size() - 1;
    return others == 0 ? first : first + " and " + counted(others, "other host");
  }

  void addList(Json &keys) {
    size_t hops = mostHops();
    std::string reason = "1 us over one bridge, as in NCCL's tuning model";
    if (hops > 1) {
      const char *kind = server.hasXgmi ? "xGMI" : "NVLink";
      pcieLink = std::llround(hops * (server.hasXgmi ? xgmiLink : nvLink) / 2 * 1e9 + 100) / 1e9;
      reason = formatv("messages between GPUs prefer up to {0} hops over {1}", hops, kind);
    }
    addRouting(keys, hops);
    keys["nodes"] = Json::array();
    keys["links"] = Json::array();
    for (uint32_t node = 0; node < nodes.value_or(1); ++node) {
      if (network)
        prefix = network->nodes[hosts[node]].name + ".";
      else if (nodes.value_or(1) > 1)
        prefix = formatv("node{0}.", node);
      addServer(keys, network ? std::optional(hosts[node]) : std::nullopt);
    }
    if (network) {
      addSwitches(*network, hosts, keys);
      server.assumptions.insert(network->assumptions.begin(), network->assumptions.end());
      server.assumptions.insert(fabricTimes);
      if (!hostsWithFewCables.empty())
        diags.warning({file.str()}, formatv("some NICs of {0} have no cable in the fabric, and are "
                                            "ignored",
                                            hostsText()));
    } else if (connects()) {
      keys["nodes"].push_back({{"name", fabric}, {"endpoint", "off"}});
      server.assumptions.insert("nodes are connected by one switch; a link of a NIC takes 0.65 us, "
                                "as in dgx-h100");
    }
    server.assumptions.insert(formatv("a link of PCIe or between CPUs takes {0} us: {1}",
                                      trimmed(thousandths(std::llround(pcieLink * 1e9))), reason));
    addLevels(keys);
    warnOfGuess(server.pcieGuess);
    if (!connects())
      return warnOfNics(0, "the list has one server (--nodes N connects N of them)");
    warnOfGuess(server.nicGuess);
    warnOfNics(nicsToFabric.size(), "the GPUs use NICs that are faster or nearer");
  }

  Server server;
  std::vector<std::vector<NicPath>> used; ///< by GPU
  std::set<uint32_t> nicsToFabric;        ///< that connect servers
  bool oneDomain = true;                  ///< see isOneDomain()
  StringRef file;
  std::optional<uint32_t> nodes; ///< the number of servers; unset: 1, or that of the ranks
  const Fabric *network;         ///< between the servers; null: one switch
  std::vector<uint32_t> hosts;   ///< of the network, by server
  std::vector<std::string> hostsWithFewCables;
  double pcieLink = 500e-9; ///< propagation of a link of PCIe
  std::string prefix;       ///< of the names in one of several servers
  DiagnosticEngine &diags;
};
} // namespace

uint64_t nccl::usedRate(const Server &server) {
  std::set<uint32_t> nics;
  for (const Gpu &gpu : server.gpus)
    for (const NicPath &path : usedNics(server, gpu))
      nics.insert(path.nic);
  uint64_t rate = 0;
  for (uint32_t nic : nics)
    rate += server.nics[nic].rate;
  return rate;
}

FailureOr<std::string> nccl::targetOf(Server server, const ForeignFile &file,
                                      const ImportOptions &options, DiagnosticEngine &diags,
                                      const Fabric *network) {
  std::optional<uint32_t> nodes = options.nodes;
  std::vector<uint32_t> hosts;
  if (network) {
    FailureOr<std::vector<uint32_t>> selected =
        selectHosts(*network, *options.fabric, options, diags);
    if (failed(selected))
      return failure();
    hosts = std::move(*selected);
    nodes = hosts.size();
    warnOfMissingCables(*network, *options.fabric, diags);
  }
  if (nodes.value_or(1) > mostServers)
    return diags.error({}, formatv("--nodes connects at most {0} servers", mostServers));
  for (const Finding &finding : findUnhealthy(server))
    diags.warning({file.name}, finding.text).note({file.name}, finding.remedy);
  Importer importer(std::move(server), file.name, nodes, network, std::move(hosts), diags);
  if (failed(importer.check()))
    return failure();
  return jsonText(importer.convert(options.name)) + "\n";
}
