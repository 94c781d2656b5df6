//===- Health.cpp - Parts of servers that differ from their siblings ------===//
//
// GPUs of the same host and compute capability are siblings, and so are the NICs next to them. A
// part is unhealthy if it has less than most of its siblings: fewer NVLinks, a slower link of PCIe,
// a slower NIC. Uneven numbers of xGMI links are normal, and an idle GPU has a slow link of PCIe.
//
//===----------------------------------------------------------------------===//

#include "Health.h"

#include "NicChoice.h"
#include "Siblings.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

namespace {
using Mend = std::function<void(Server &)>;

/// Gives the devices \p lower the \p usual number of links of \p rate. Direct links that several of
/// them lack are between these; a GPU without any has had as many to each other one as these have.
void mendLinks(Server &server, ArrayRef<uint32_t> devices, ArrayRef<uint32_t> lower, uint64_t usual,
               uint64_t rate) {
  auto connect = [&](uint32_t one, uint32_t other, uint64_t added) {
    for (auto [from, to] : {std::pair(one, other), std::pair(other, one)}) {
      std::vector<NvLinks> &links = server.devices[from].nvLinks;
      auto found = llvm::find_if(links, [&](const NvLinks &l) { return l.device == to; });
      if (found == links.end())
        links.push_back({to, added});
      else
        found->rate += added;
      server.devices[from].links += rate > 0 ? added / rate : 0;
    }
  };
  bool switched = llvm::any_of(devices, [&](uint32_t d) {
    return llvm::any_of(server.devices[d].nvLinks, [](const NvLinks &l) { return !l.device; });
  });
  uint64_t pairRate = 0;
  for (uint32_t d : devices)
    for (const NvLinks &links : server.devices[d].nvLinks)
      pairRate = std::max(pairRate, links.rate);
  for (uint32_t d : lower) {
    Device &device = server.devices[d];
    if (switched) {
      device.links = usual;
      device.nvLinks = {{std::nullopt, usual * rate}};
    } else if (device.links == 0) {
      for (uint32_t other : devices)
        if (other != d)
          connect(d, other, pairRate);
    } else {
      for (uint32_t other : lower)
        if (other > d && device.links < usual && server.devices[other].links < usual)
          connect(d, other, (usual - std::max(device.links, server.devices[other].links)) * rate);
    }
  }
}

class Examiner {
public:
  explicit Examiner(const Server &server) : server(server) {}

  std::vector<FindingIn<Server>> examine() {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> siblings;
    for (uint32_t d = 0; d < server.devices.size(); ++d)
      siblings[{server.devices[d].host, server.devices[d].capability}].push_back(d);
    for (const auto &[key, devices] : siblings) {
      compareLinks(devices);
      comparePcie(devices);
      checkStaticFile(key.second, devices);
    }
    checkEnds();
    for (uint32_t host = 0; host < server.hosts; ++host)
      compareNics(host);
    return std::move(findings);
  }

private:
  const std::string &nameOf(uint32_t device) const {
    return server.nodes[server.devices[device].node].name;
  }

  std::vector<std::string> namesOf(ArrayRef<uint32_t> devices) const {
    std::vector<std::string> names;
    for (uint32_t d : devices)
      names.push_back(nameOf(d));
    return names;
  }

  /// What a GPU without NVLinks has.
  std::string restOf(uint32_t device) const {
    const Node &node = server.nodes[server.devices[device].node];
    if (node.chipRate > 0)
      return rateText(node.chipRate) + " to the chip of its CPU";
    return node.rate > 0 ? rateText(node.rate) + " of PCIe" : std::string("PCIe");
  }

  /// Those of \p devices with one of the \p names.
  std::vector<uint32_t> named(ArrayRef<uint32_t> devices, ArrayRef<std::string> names) const {
    std::vector<uint32_t> result;
    llvm::copy_if(devices, std::back_inserter(result),
                  [&](uint32_t d) { return llvm::is_contained(names, nameOf(d)); });
    return result;
  }

  void compareLinks(ArrayRef<uint32_t> devices) {
    std::vector<Part> parts;
    uint64_t rate = 0;
    for (uint32_t d : devices) {
      const Device &device = server.devices[d];
      // Uneven numbers of xGMI links are normal.
      parts.push_back({nameOf(d), server.hasXgmi ? device.links > 0 : device.links});
      rate = std::max(rate, device.linkRate);
    }
    const char *kind = server.hasXgmi ? "xGMI link" : "NVLink";
    const char *remedy = server.hasXgmi ? "'rocm-smi --showtopo' on the server shows the links"
                                        : "'nvidia-smi nvlink -s' on the server shows the links";
    for (const Lower &lower : lowerThanUsual(parts)) {
      std::string usual =
          server.hasXgmi ? std::string("some")
                         : formatv("{0} ({1})", lower.usual, rateText(lower.usual * rate)).str();
      const std::vector<uint32_t> few = named(devices, lower.names);
      Mend mend = [all = devices.vec(), few, lower, rate](Server &s) {
        mendLinks(s, all, few, lower.usual, rate);
      };
      if (lower.value == 0)
        add(formatv("{0} no {1}, {2} {3}: {4} left", lower.subject(), kind, lower.othersText(),
                    usual, restOf(few[0])),
            remedy, lower.names, std::move(mend));
      else
        add(formatv("{0} {1} ({2}), {3} {4}", lower.subject(), counted(lower.value, kind),
                    rateText(lower.value * rate), lower.othersText(), usual),
            remedy, lower.names, std::move(mend));
    }
  }

  void comparePcie(ArrayRef<uint32_t> devices) {
    std::vector<Part> parts;
    for (uint32_t d : devices) {
      const Node &node = server.nodes[server.devices[d].node];
      if (node.isKnown)
        parts.push_back({nameOf(d), node.rate});
    }
    for (const Lower &lower : lowerThanUsual(parts))
      add(
          formatv("{0} {1} of PCIe, {2} {3}", lower.subject(), rateText(lower.value),
                  lower.othersText(), rateText(lower.usual)),
          "'lspci -vv' on the server shows the speed and width of the link (LnkSta)", lower.names,
          [few = named(devices, lower.names), rate = lower.usual](Server &s) {
            for (uint32_t d : few)
              s.nodes[s.devices[d].node].rate = rate;
          },
          llvm::any_of(devices, [&](uint32_t d) { return !server.devices[d].nvLinks.empty(); }));
  }

  /// Servers with NVSwitches may be described by a file for NCCL_TOPO_FILE.
  void checkStaticFile(uint32_t capability, ArrayRef<uint32_t> devices) {
    bool none = llvm::all_of(devices, [&](uint32_t d) { return server.devices[d].links == 0; });
    if (none && devices.size() > 1 && capability >= 90 && capability < 120)
      add(formatv("{0} GPUs of compute capability {1}.{2} have no NVLink: in a file for "
                  "NCCL_TOPO_FILE, the runtime finds these when it starts",
                  devices.size(), capability / 10, capability % 10),
          "if they have NVLinks, run an NCCL program on all of them with "
          "NCCL_TOPO_DUMP_FILE=topo.xml, and import that file",
          namesOf(devices), nullptr);
  }

  void checkEnds() {
    std::vector<std::string> selves;
    for (uint32_t d = 0; d < server.devices.size(); ++d)
      if (server.devices[d].linksToItself)
        selves.push_back(nameOf(d));
    const char *kind = server.hasXgmi ? "xGMI links" : "NVLinks";
    if (!selves.empty())
      add(formatv("{0} {1} {2} to the same GPU, which carry nothing", listText(selves),
                  selves.size() == 1 ? "lists" : "list", kind),
          "'nvidia-smi topo -m' on the server shows the ends of the links", selves, nullptr);
    if (server.halfLinks.empty())
      return;
    const HalfLinks &half = server.halfLinks[0];
    std::string more;
    if (size_t others = server.halfLinks.size() - 1)
      more = formatv(" (and {0} like this)", counted(others, "other pair"));
    add(formatv("{0} lists {1} of {2} to {3}, which lists {4} back: the lower rate is used{5}",
                nameOf(half.from), rateText(half.there), kind, nameOf(half.to), rateText(half.back),
                more),
        "'nvidia-smi nvlink -s' on the server shows the state of the links",
        {nameOf(half.from), nameOf(half.to)}, mendHalves);
  }

  static void mendHalves(Server &s) {
    for (const HalfLinks &half : s.halfLinks)
      for (auto [from, to] : {std::pair(half.from, half.to), std::pair(half.to, half.from)})
        for (NvLinks &links : s.devices[from].nvLinks)
          if (links.device == to)
            links.rate = std::max({links.rate, half.there, half.back});
  }

  void compareNics(uint32_t host) {
    std::set<uint32_t> near;
    std::map<bool, std::vector<std::string>> gpusByBridge; // whether a NIC is below one
    for (const Gpu &gpu : server.gpus) {
      if (gpu.host != host)
        continue;
      std::vector<NicPath> paths = pathsToNics(server, gpu);
      Distance nearest = Distance::Sys;
      for (const NicPath &path : paths)
        nearest = std::min(nearest, path.distance);
      for (const NicPath &path : paths)
        if (path.distance == nearest)
          near.insert(path.nic);
      gpusByBridge[nearest <= Distance::Pxb].push_back(server.nodes[gpu.node].name);
    }
    size_t with = gpusByBridge[true].size(), without = gpusByBridge[false].size();
    if (without > 0 && with > without)
      add(formatv("{0} {1} no NIC below the same PCIe switch, the other {2} have",
                  listText(gpusByBridge[false]), without == 1 ? "has" : "have", with),
          "'nvidia-smi topo -m' on the server shows the NICs of each GPU", gpusByBridge[false],
          nullptr);
    std::vector<Part> parts;
    for (uint32_t n : near)
      if (!server.nics[n].isAssumed)
        parts.push_back({server.nics[n].name, server.nics[n].rate});
    for (const Lower &lower : lowerThanUsual(parts))
      add(
          formatv("{0} {1} {2}, {3} {4}", lower.names.size() == 1 ? "NIC" : "NICs", lower.subject(),
                  rateText(lower.value), lower.othersText(), rateText(lower.usual)),
          "'ibstat' or 'ethtool' on the server shows the rates of the ports", lower.names,
          [near, lower](Server &s) {
            for (uint32_t n : near)
              if (llvm::is_contained(lower.names, s.nics[n].name))
                s.nics[n].rate = lower.usual;
          },
          /*betweenServers=*/true);
    compareWithPcie(near);
  }

  void compareWithPcie(const std::set<uint32_t> &nics) {
    std::map<std::pair<uint64_t, uint64_t>, std::vector<std::string>> slow; // by both rates
    for (uint32_t n : nics) {
      const Nic &nic = server.nics[n];
      const Node &node = server.nodes[nic.node];
      if (node.isKnown && nic.rate > node.rate)
        slow[{nic.rate, node.rate}].push_back(nic.name);
    }
    for (const auto &[rates, names] : slow)
      add(
          formatv("{0} {1} {2} {3}, more than the {4} of PCIe", names.size() == 1 ? "NIC" : "NICs",
                  listText(names), names.size() == 1 ? "has" : "have", rateText(rates.first),
                  rateText(rates.second)),
          "'lspci -vv' on the server shows the speed and width of the link (LnkSta)", names,
          [nics, names, rate = rates.first](Server &s) {
            for (uint32_t n : nics)
              if (llvm::is_contained(names, s.nics[n].name))
                s.nodes[s.nics[n].node].rate = rate;
          },
          /*betweenServers=*/true);
  }

  void add(const std::string &text, const char *remedy, std::vector<std::string> parts, Mend mend,
           bool betweenServers = false) {
    findings.push_back(
        {{text, remedy, std::move(parts), {}, "", "", false}, std::move(mend), betweenServers});
  }

  const Server &server;
  std::vector<FindingIn<Server>> findings;
};
} // namespace

std::vector<FindingIn<Server>> nccl::findUnhealthy(const Server &server) {
  return Examiner(server).examine();
}
