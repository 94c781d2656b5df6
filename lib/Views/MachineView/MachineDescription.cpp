//===- MachineDescription.cpp - The figures of a machine ------------------===//
//
// Nodes and links are grouped by the names of nodes, in which every number is replaced by `*`. The
// longest route is found among the routes that messages take, from as many endpoints as a fixed
// number of links of all routes allows. The bisection is a maximum flow (Bound/CutCapacity.h).
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineDescription.h"

#include "JsonText.h"

#include "cclc/Bound/CutCapacity.h"
#include "cclc/Support/Watch.h"
#include "cclc/Target/Names.h"

#include <map>
#include <set>
#include <tuple>

using namespace cclc;
using Description = MachineDescription;

namespace {
/// The number of links of all compared routes; no route from a further endpoint is compared. It is
/// sufficient for all routes of 1024 endpoints in a mesh, and of 768 PEs of AHBM.
constexpr uint64_t mostSteps = 40'000'000;
/// The flow network of more links would need more than about 1 GB.
constexpr uint64_t mostLinksOfCut = 4'000'000;

/// Groups nodes in the order of their first member.
std::vector<Description::NodeClass> classesOfNodes(const Machine &machine,
                                                   ArrayRef<std::string> names) {
  const std::vector<OptionalIndex> endpointOf = machine.endpointsByNode();
  std::vector<Description::NodeClass> classes;
  std::map<std::tuple<StringRef, bool, SimTime, bool>, size_t> known;
  for (size_t n = 0; n < names.size(); ++n) {
    const Node &node = machine.nodes()[n];
    const bool isEndpoint = endpointOf[n].has_value();
    auto [entry, isNew] =
        known.try_emplace({names[n], isEndpoint, node.overhead, node.reassembles}, classes.size());
    if (isNew)
      classes.push_back({names[n], 0, isEndpoint, node.overhead, node.reassembles});
    ++classes[entry->second].number;
  }
  return classes;
}

/// Groups links in the order of their first member.
std::vector<Description::LinkClass> classesOfLinks(const Machine &machine,
                                                   ArrayRef<std::string> names) {
  std::vector<Description::LinkClass> classes;
  std::map<std::tuple<StringRef, StringRef, uint64_t, SimTime, SimTime, bool>, size_t> known;
  for (const Link &link : machine.links()) {
    StringRef from = names[link.from.index()], to = names[link.to.index()];
    SimTime latency = machine.latency(link);
    auto [entry, isNew] = known.try_emplace(
        {from, to, link.bandwidth.bytesPerSecond(), link.propagation, latency, link.present},
        classes.size());
    if (isNew)
      classes.push_back(
          {from.str(), to.str(), 0, link.bandwidth, link.propagation, latency, link.present});
    ++classes[entry->second].number;
  }
  return classes;
}

/// Compares \p links, a route, with the longest routes.
void extend(Description::Diameter &longest, const Machine &machine, EndpointId src, EndpointId dst,
            ArrayRef<LinkId> links) {
  SimTime latency;
  for (LinkId link : links)
    latency += machine.latency(machine.link(link));
  if (links.size() > longest.hops) {
    longest.hops = links.size();
    longest.hopsFrom = src;
    longest.hopsTo = dst;
  }
  if (latency > longest.latency || longest.latencyFrom == longest.latencyTo) {
    longest.latency = latency;
    longest.latencyFrom = src;
    longest.latencyTo = dst;
  }
}

/// Sets \p isEnd for the links at both ends of the compared routes.
std::optional<Description::Diameter> diameterOf(const Machine &machine, std::vector<bool> &isEnd) {
  uint32_t n = machine.numEndpoints();
  Description::Diameter result;
  SmallVector<LinkId, 16> links;
  uint64_t steps = 0;
  for (; result.sources < n && steps < mostSteps; ++result.sources) {
    Watch::look();
    for (uint32_t other = 0; other < n; ++other) {
      EndpointId src(result.sources), dst(other);
      if (src == dst)
        continue;
      links.clear();
      machine.route(src, dst, links);
      steps += links.size() + 1;
      if (result.sources == 0 && steps > 2 * mostSteps)
        return std::nullopt;
      if (links.empty()) {
        ++result.unreachable;
        continue;
      }
      extend(result, machine, src, dst, links);
      isEnd[links.front().index()] = isEnd[links.back().index()] = true;
    }
  }
  return result;
}

/// Adds to \p isEnd the links that are parallel to one of it, if channels or messages take all.
void addParallelLinks(const Machine &machine, std::vector<bool> &isEnd) {
  RoutingRule rule = machine.routingRule();
  if (rule == RoutingRule::Shortest || rule == RoutingRule::UpDown)
    return;
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (uint32_t l = 0; l < isEnd.size(); ++l)
    if (const Link &link = machine.link(LinkId(l)); isEnd[l] && link.parallel)
      pairs.emplace(link.from, link.to);
  for (uint32_t l = 0; l < isEnd.size() && !pairs.empty(); ++l)
    if (const Link &link = machine.link(LinkId(l)); link.parallel)
      isEnd[l] = isEnd[l] || pairs.count({link.from, link.to});
}

Description::Bisection bisectionOf(const Machine &machine) {
  uint32_t n = machine.numEndpoints();
  Description::Bisection result;
  result.firstHalf = (n + 1) / 2;
  CutCapacity cuts(machine);
  std::vector<std::optional<bool>> sideOf(n);
  for (bool there : {true, false}) {
    for (uint32_t e = 0; e < n; ++e)
      sideOf[e] = (e < result.firstHalf) == there;
    (there ? result.there : result.back) = cuts.between(sideOf);
  }
  return result;
}

/// The sums of the rates of the links of each endpoint for which \p isUsed.
Description::Rates ratesOf(const Machine &machine, const std::vector<bool> &isUsed, bool out) {
  std::vector<std::optional<Bandwidth>> sums(machine.nodes().size());
  for (uint32_t l = 0; l < isUsed.size(); ++l) {
    const Link &link = machine.link(LinkId(l));
    if (!isUsed[l] || !link.present)
      continue;
    std::optional<Bandwidth> &sum = sums[(out ? link.from : link.to).index()];
    bool isUnlimited = link.bandwidth.isUnlimited() || (sum && sum->isUnlimited());
    uint64_t before = sum ? sum->bytesPerSecond() : 0;
    sum = isUnlimited ? Bandwidth() : Bandwidth(before + link.bandwidth.bytesPerSecond());
  }
  auto isLess = [](std::optional<Bandwidth> a, std::optional<Bandwidth> b) {
    auto key = [](std::optional<Bandwidth> rate) {
      return std::tuple(rate.has_value(), rate && rate->isUnlimited(),
                        rate ? rate->bytesPerSecond() : 0);
    };
    return key(a) < key(b);
  };
  Description::Rates rates;
  for (uint32_t e = 0; e < machine.numEndpoints(); ++e) {
    std::optional<Bandwidth> rate = sums[machine.endpointNode(EndpointId(e)).index()];
    if (e == 0 || isLess(rate, rates.least))
      rates.least = rate;
    if (e == 0 || isLess(rates.most, rate))
      rates.most = rate;
  }
  return rates;
}
} // namespace

MachineDescription cclc::describe(const Machine &machine, StringRef resolved) {
  MachineDescription result;
  nlohmann::json file = parseJson(resolved);
  result.family = file.value("family", "");
  // Other machines have the key for the cost of an access only, and a default without a cost.
  if (machine.hasMemories() || machine.queue.write.duration(Bytes(1)) > SimTime())
    result.slotMemory = file[machine.queueKey].value("slot_memory", "");
  std::vector<std::string> names;
  for (const Node &node : machine.nodes())
    names.push_back(nodeNameClass(node.name));
  result.nodes = classesOfNodes(machine, names);
  result.links = classesOfLinks(machine, names);
  std::vector<bool> isUsed(machine.links().size());
  if (machine.numEndpoints() > 1) {
    result.diameter = diameterOf(machine, isUsed);
    addParallelLinks(machine, isUsed);
    if (!result.diameter || result.diameter->sources < machine.numEndpoints())
      isUsed.assign(isUsed.size(), true);
    if (machine.links().size() <= mostLinksOfCut)
      result.bisection = bisectionOf(machine);
  }
  result.out = ratesOf(machine, isUsed, /*out=*/true);
  result.in = ratesOf(machine, isUsed, /*out=*/false);
  return result;
}
