//===- Fabric.cpp - Targets from networks between hosts -------------------===//
//
// A fabric becomes a list of nodes and links. The tier of a switch is its distance from the nearest
// host. Messages are spread over all shortest paths (`ecmp`), as the subnet manager spreads the
// destinations over the uplinks. The comment key "// cable" of a link has the ports of its ends,
// and that of a node, "// ports", the number of its ports, so that ports without cables are named.
//
//===----------------------------------------------------------------------===//

#include "FabricHealth.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
/// In seconds: those of the NICs and the fabric of dgx-h100, and 10 m of fibre.
constexpr double adapterLink = 650e-9, switchTime = 300e-9;
constexpr size_t mostRanks = 1 << 16, mostTiers = 16;

using Neighbours = std::vector<std::vector<uint32_t>>;
Neighbours neighboursOf(const Fabric &fabric) {
  Neighbours neighbours(fabric.nodes.size());
  for (const Fabric::Cable &cable : fabric.cables) {
    neighbours[cable.a.node].push_back(cable.b.node);
    neighbours[cable.b.node].push_back(cable.a.node);
  }
  return neighbours;
}

/// "leaf1 port 17", "node1 HCA-1 port 1".
std::string endText(const Fabric &fabric, const Fabric::End &end) {
  return formatv("{0}{1}{2} port {3}", fabric.nodes[end.node].name, end.adapter.empty() ? "" : " ",
                 end.adapter, end.port);
}

/// Levels for the racks, if they are regular, the hosts and the GPUs.
void addLevels(const Fabric &fabric, ArrayRef<uint32_t> hosts, uint32_t gpus,
               nlohmann::ordered_json &target) {
  nlohmann::ordered_json levels;
  auto add = [&](const char *name, size_t width) {
    if (width > 1)
      levels.push_back({{"name", name}, {"width", width}});
  };
  const size_t size = hostsPerRack(fabric, hosts).value_or(hosts.size());
  add("rack", hosts.size() / size);
  add("node", size);
  add("gpu", gpus);
  if (levels.size() > 1)
    target["levels"] = levels;
}

/// Sorts \p hosts so that those below the same switches follow each other. The switches of each
/// tier are in the order of their first host.
void sortByRack(const Fabric &fabric, std::vector<uint32_t> &hosts) {
  const Neighbours neighbours = neighboursOf(fabric);
  const auto tiers = tiersFrom(fabric, hosts);
  // The first switch above each node.
  std::vector<std::optional<uint32_t>> above(fabric.nodes.size());
  for (uint32_t node = 0; node < above.size(); ++node)
    for (uint32_t next : neighbours[node])
      if (tiers[node] && tiers[next] > tiers[node] && (!above[node] || next < *above[node]))
        above[node] = next;
  std::map<uint32_t, size_t> order;                                      // of switches
  std::vector<std::tuple<std::vector<size_t>, size_t, uint32_t>> sorted; // by path and old place
  for (uint32_t host : hosts) {
    std::vector<size_t> path;
    for (auto at = above[host]; at && path.size() < mostTiers; at = above[*at])
      path.push_back(order.try_emplace(*at, order.size()).first->second);
    std::reverse(path.begin(), path.end());
    sorted.emplace_back(std::move(path), sorted.size(), host);
  }
  llvm::sort(sorted);
  for (size_t h = 0; h < hosts.size(); ++h)
    hosts[h] = std::get<uint32_t>(sorted[h]);
}

/// Adds hosts, each with \p gpus ranks, or a rank itself without a number.
void addHosts(const Fabric &fabric, ArrayRef<uint32_t> hosts, std::optional<uint32_t> gpus,
              nlohmann::ordered_json &target) {
  for (uint32_t host : hosts) {
    const std::string &name = fabric.nodes[host].name;
    if (!gpus) {
      target["nodes"].push_back({{"name", name}});
      continue;
    }
    for (uint32_t g = 0; g < *gpus; ++g) {
      std::string gpu = formatv("{0}.gpu{1}", name, g);
      target["nodes"].push_back({{"name", gpu}});
      target["links"].push_back({{"from", gpu}, {"to", name}});
    }
    target["nodes"].push_back({{"name", name}, {"endpoint", "off"}});
  }
  std::vector<bool> isSelected(fabric.nodes.size());
  for (uint32_t host : hosts)
    isSelected[host] = true;
  for (const Fabric::Cable &cable : fabric.cables)
    if (isSelected[cable.a.node] || isSelected[cable.b.node])
      addCable(fabric, cable, fabric.nodes[cable.a.node].name, fabric.nodes[cable.b.node].name,
               target);
}
} // namespace

std::vector<std::optional<uint32_t>> cclc::tiersFrom(const Fabric &fabric,
                                                     ArrayRef<uint32_t> hosts) {
  const Neighbours neighbours = neighboursOf(fabric);
  std::vector<std::optional<uint32_t>> tiers(fabric.nodes.size());
  std::vector<uint32_t> front(hosts);
  for (uint32_t host : hosts)
    tiers[host] = 0;
  for (size_t i = 0; i < front.size(); ++i)
    for (uint32_t next : neighbours[front[i]])
      if (!tiers[next] && !fabric.nodes[next].isHost) {
        tiers[next] = *tiers[front[i]] + 1;
        front.push_back(next);
      }
  return tiers;
}

std::vector<uint32_t> cclc::hostsOf(const Fabric &fabric) {
  std::vector<uint32_t> hosts;
  for (uint32_t n = 0; n < fabric.nodes.size(); ++n)
    if (fabric.nodes[n].isHost)
      hosts.push_back(n);
  return hosts;
}

const char *const cclc::fabricTimes = "a switch takes 0.3 us and a link of an adapter 0.65 us, as "
                                      "in dgx-h100; a cable between switches "
                                      "takes 50 ns, as 10 m of fibre";

std::optional<size_t> cclc::hostsPerRack(const Fabric &fabric, ArrayRef<uint32_t> hosts) {
  const Neighbours neighbours = neighboursOf(fabric);
  std::vector<std::pair<uint32_t, size_t>> racks; // the first switch of successive hosts
  std::set<uint32_t> seen;
  for (uint32_t host : hosts) {
    uint32_t rack = neighbours[host].front();
    if (racks.empty() || racks.back().first != rack) {
      if (!seen.insert(rack).second)
        return std::nullopt;
      racks.emplace_back(rack, 0);
    }
    ++racks.back().second;
  }
  const size_t size = racks.front().second;
  bool isRegular = llvm::all_of(racks, [&](const auto &rack) { return rack.second == size; });
  return isRegular && size > 1 && racks.size() > 1 ? std::optional(size) : std::nullopt;
}

std::vector<Fabric::Cable> cclc::cablesOf(const Fabric &fabric, uint32_t host) {
  std::vector<Fabric::Cable> cables;
  for (const Fabric::Cable &cable : fabric.cables)
    if (cable.a.node == host || cable.b.node == host)
      cables.push_back(cable);
  return cables;
}

FailureOr<std::vector<uint32_t>> cclc::selectHosts(const Fabric &fabric, const ForeignFile &file,
                                                   const ImportOptions &options,
                                                   DiagnosticEngine &diags) {
  const Neighbours neighbours = neighboursOf(fabric);
  llvm::StringMap<uint32_t> byName;
  std::vector<uint32_t> hosts;
  for (uint32_t host : hostsOf(fabric)) {
    byName[fabric.nodes[host].name] = host;
    if (!neighbours[host].empty())
      hosts.push_back(host);
  }
  if (!options.hosts.empty()) {
    hosts.clear();
    std::set<uint32_t> seen;
    for (const std::string &name : options.hosts) {
      auto found = byName.find(name);
      if (found == byName.end() || neighbours[found->second].empty())
        return diags.error({file.name},
                           formatv("has no {0} '{1}' of --nodes",
                                   found == byName.end() ? "host" : "cable of host", name));
      if (!seen.insert(found->second).second)
        return diags.error({}, formatv("--nodes has host '{0}' twice", name));
      hosts.push_back(found->second);
    }
  }
  if (hosts.empty())
    return diags.error({file.name}, "has no host with a cable");
  if (options.nodes && *options.nodes > hosts.size())
    return diags.error({file.name}, formatv("has {0}, fewer than the {1} of --nodes",
                                            counted(hosts.size(), "host"), *options.nodes));
  hosts.resize(options.nodes.value_or(hosts.size()));
  if (options.byRack)
    sortByRack(fabric, hosts);
  if (hosts.size() * options.gpusPerHost.value_or(1) > mostRanks)
    return diags.error({file.name}, formatv("results in more than {0} ranks", mostRanks));
  return hosts;
}

void cclc::addCable(const Fabric &fabric, const Fabric::Cable &cable, StringRef from, StringRef to,
                    nlohmann::ordered_json &target, double extra) {
  bool leadsToHost = fabric.nodes[cable.a.node].isHost || fabric.nodes[cable.b.node].isHost;
  nlohmann::ordered_json link{{"from", from},
                              {"to", to},
                              {"bandwidth", cable.rate},
                              {"propagation", (leadsToHost ? adapterLink : switchCable) + extra}};
  if (cable.a.port > 0)
    link["// cable"] = endText(fabric, cable.a) + ", " + endText(fabric, cable.b);
  target["links"].push_back(std::move(link));
}

void cclc::addSwitches(const Fabric &fabric, ArrayRef<uint32_t> hosts,
                       nlohmann::ordered_json &target) {
  const auto tiers = tiersFrom(fabric, hosts);
  for (const auto &[n, node] : llvm::enumerate(fabric.nodes)) {
    if (tiers[n].value_or(0) == 0)
      continue;
    nlohmann::ordered_json entry{
        {"name", node.name}, {"endpoint", "off"}, {"overhead", switchTime}, {"tier", *tiers[n]}};
    if (node.ports > 0)
      entry["// ports"] = node.ports;
    target["nodes"].push_back(std::move(entry));
  }
  for (const Fabric::Cable &cable : fabric.cables)
    if (tiers[cable.a.node].value_or(0) > 0 && tiers[cable.b.node].value_or(0) > 0)
      addCable(fabric, cable, fabric.nodes[cable.a.node].name, fabric.nodes[cable.b.node].name,
               target);
}

FailureOr<std::string> cclc::targetOf(Fabric fabric, const ForeignFile &file,
                                      const ImportOptions &options, DiagnosticEngine &diags) {
  FailureOr<std::vector<uint32_t>> hosts = selectHosts(fabric, file, options, diags);
  if (failed(hosts))
    return failure();
  warnOfMissingCables(fabric, file, diags);
  fabric.assumptions.insert(fabricTimes);
  if (options.gpusPerHost)
    fabric.assumptions.insert("the links between GPUs and adapters of a host have no limit");
  else
    fabric.assumptions.insert("a host is one rank (--gpus-per-host states the number of its GPUs)");
  nlohmann::ordered_json target{{"name", options.name},
                                {"family", "graph"},
                                {"description", "imported from " + fabric.source},
                                {"// assumptions", fabric.assumptions},
                                {"routing", "ecmp"},
                                {"nodes", nlohmann::ordered_json::array()},
                                {"links", nlohmann::ordered_json::array()}};
  addHosts(fabric, *hosts, options.gpusPerHost, target);
  addSwitches(fabric, *hosts, target);
  addLevels(fabric, *hosts, options.gpusPerHost.value_or(1), target);
  for (const Finding &finding : findUnhealthyCables(target))
    if (finding.details.empty()) // missing cables are reported above
      diags.warning({file.name}, finding.text).note({file.name}, finding.remedy);
  return jsonText(target) + "\n";
}
