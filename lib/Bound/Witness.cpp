//===- Witness.cpp - Recognises nodes, groups and columns -----------------===//
//
// The side with fewer ranks gives the cut its name, together with the direction of the links. A
// side that is a group of the machine's hierarchy, or a part of a grid up to some column or row, is
// named as such; any other side is listed, and its links are counted by rate.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/Witness.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t mostNames = 8;

std::string joined(ArrayRef<std::string> names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), mostNames); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > mostNames)
    text += formatv(" and {0} more", names.size() - mostNames);
  return text;
}

/// "300 GB/s", "37.7 GB/s", "unlimited".
std::string rateText(uint64_t bytesPerSecond) {
  if (bytesPerSecond == 0)
    return "unlimited rate";
  return trimmed(gigabytesText(bytesPerSecond)) + " GB/s";
}

class Describer {
public:
  Describer(const Machine &machine, ArrayRef<EndpointId> endpoints, const FlowGraph &graph,
            const RatioCut &cut)
      : machine(machine), endpoints(endpoints), graph(graph), arcs(arcsOf(graph, cut)),
        names(linkNames(machine, graph, cut)) {
    uint32_t inside = 0;
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank)
      inside += cut.inside.test(rank);
    // Into the smaller side; of equal sides, into the one without rank 0.
    uint32_t outside = graph.numRanks() - inside;
    into = outside < inside || (outside == inside && cut.inside.test(0));
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank)
      if (cut.inside.test(rank) != into)
        side.insert(endpoints[rank].index());
  }

  std::string run() {
    if (side.size() == 1)
      return single();
    if (std::string group = groupName(); !group.empty())
      return formatv("{0} {1} {2}{3}", links(), direction(), group, list());
    if (std::string columns = columnsText(); !columns.empty())
      return links() + " " + columns + list();
    std::vector<std::string> ranks;
    for (uint32_t endpoint : side)
      ranks.push_back(nameOf(machine.endpointNode(EndpointId(endpoint))));
    return formatv("{0} {1} {2} of {3} ranks: {4}{5}", links(), direction(), side.size(),
                   graph.numRanks(), joined(ranks), list());
  }

private:
  const std::string &nameOf(NodeId node) const { return machine.nodes()[node.index()].name; }
  const char *direction() const { return into ? "into" : "out of"; }

  /// "the 12 links (8 of 100 GB/s, 4 of 1 GB/s)".
  std::string links() const {
    std::map<uint64_t, uint32_t> byRate;
    for (const FlowArc &arc : arcs)
      for (LinkId link : arc.links)
        ++byRate[machine.link(link).bandwidth.bytesPerSecond()];
    std::string rates;
    for (auto [rate, count] : llvm::reverse(byRate)) {
      rates += rates.empty() ? "" : ", ";
      if (byRate.size() > 1)
        rates += formatv("{0} ", count);
      rates += "of " + rateText(rate);
    }
    if (names.size() == 1)
      return "the link " + rates;
    return formatv(byRate.size() > 1 ? "the {0} links ({1})" : "the {0} links {1}", names.size(),
                   rates);
  }
  std::string list() const { return " (" + joined(names) + ")"; }

  /// The links of one rank.
  std::string single() const {
    StringRef node = nameOf(machine.endpointNode(EndpointId(*side.begin())));
    if (node.ends_with("pe_dma") && arcs.size() == 1)
      return formatv("{0} {1} one PE's DMA, {2}", links(), direction(), node);
    bool own = llvm::all_of(arcs, [&](const FlowArc &arc) {
      return nameOf(graph.machineNode(into ? arc.to : arc.from)) == node;
    });
    std::string text = formatv("{0} {1} {2}", links(), direction(), node);
    std::set<std::string> others;
    for (const FlowArc &arc : arcs)
      others.insert(nameOf(graph.machineNode(into ? arc.from : arc.to)));
    if (!own)
      return text + list();
    return text + (into ? ", from " : ", to ") +
           joined(std::vector<std::string>(others.begin(), others.end()));
  }

  /// The name of the group that the side is, of those that have ranks: "sip0", "cube3 of sip0".
  std::string groupName() const {
    uint64_t below = machine.numEndpoints();
    std::string prefix;
    for (const GridLevel &level : machine.geometry().levels) {
      below /= level.size();
      uint64_t group = *side.begin() / below;
      std::string name = formatv("{0}{1}", level.name, group % level.size()).str() +
                         (prefix.empty() ? "" : " of " + prefix);
      auto isInside = [&](uint32_t endpoint) { return endpoint / below == group; };
      size_t count = llvm::count_if(
          endpoints, [&](EndpointId endpoint) { return isInside(endpoint.index()); });
      if (count == side.size() && llvm::all_of(side, isInside))
        return name;
      prefix = name;
    }
    return "";
  }

  /// "from column 1 to column 2 of the mesh", if the side is a part of a grid up to a column or
  /// row.
  std::string columnsText() const {
    uint64_t below = machine.numEndpoints();
    for (const GridLevel &level : machine.geometry().levels) {
      below /= level.size();
      if (level.kind != GridKind::Mesh2DNoWrap && level.kind != GridKind::Torus2D)
        continue;
      bool wraps = level.kind == GridKind::Torus2D;
      for (bool column : {true, false}) {
        auto place = [&](uint32_t endpoint) -> uint32_t {
          uint64_t member = endpoint / below % level.size();
          return column ? member % level.width : member / level.width;
        };
        std::set<uint32_t> places;
        for (uint32_t endpoint : side)
          places.insert(place(endpoint));
        uint32_t low = *places.begin(), high = *places.rbegin();
        size_t count = llvm::count_if(
            endpoints, [&](EndpointId endpoint) { return places.count(place(endpoint.index())); });
        uint32_t size = column ? level.width : level.height;
        if (count != side.size() || places.size() != high - low + 1 || (low > 0 && high + 1 < size))
          continue;
        const char *what = column ? "column" : "row";
        if (wraps)
          return formatv("{0} {1}s {2} to {3} of the torus", direction(), what, low, high);
        uint32_t edge = low > 0 ? low : high, other = low > 0 ? low - 1 : high + 1;
        bool middle = size % 2 == 0 && std::max(edge, other) == size / 2;
        return formatv("from {0} {1} to {0} {2} of the mesh{3}", what, into ? other : edge,
                       into ? edge : other, middle ? formatv(", its middle {0}", what).str() : "");
      }
    }
    return "";
  }

  const Machine &machine;
  ArrayRef<EndpointId> endpoints;
  const FlowGraph &graph;
  std::vector<FlowArc> arcs;
  std::vector<std::string> names;
  std::set<uint32_t> side; ///< endpoints
  bool into = true;
};
} // namespace

std::vector<std::string> cclc::linkNames(const Machine &machine, const FlowGraph &graph,
                                         const RatioCut &cut) {
  std::set<LinkId> links;
  for (const FlowArc &arc : arcsOf(graph, cut))
    links.insert(arc.links.begin(), arc.links.end());
  std::vector<std::string> names;
  for (LinkId link : links)
    names.push_back(machine.linkName(link));
  return names;
}

std::string cclc::describeCut(const Machine &machine, ArrayRef<EndpointId> endpoints,
                              const FlowGraph &graph, const RatioCut &cut) {
  if (cut.weight == 0)
    return "";
  return Describer(machine, endpoints, graph, cut).run();
}

std::vector<std::pair<std::string, uint64_t>>
cclc::linkLengths(const Machine &machine, const FlowGraph &graph, const PathBound &paths) {
  std::map<LinkId, uint64_t> lengths;
  for (size_t a = 0; a < paths.lengths.size(); ++a)
    if (paths.lengths[a] > 0)
      for (LinkId link : graph.arcs()[a].links)
        lengths[link] = paths.lengths[a];
  std::vector<std::pair<std::string, uint64_t>> named;
  for (auto [link, length] : lengths)
    named.emplace_back(machine.linkName(link), length);
  return named;
}

std::string cclc::describePaths(const Machine &machine, const FlowGraph &graph,
                                const PathBound &paths) {
  std::vector<std::string> names;
  uint64_t least = ~uint64_t(0), most = 0;
  for (const auto &[name, length] : linkLengths(machine, graph, paths)) {
    names.push_back(name);
    least = std::min(least, length);
    most = std::max(most, length);
  }
  std::string lengths = least == most ? formatv("of length {0}", most).str()
                                      : formatv("of length {0} to {1}", least, most).str();
  return formatv("the lengths of all paths, over {0} links {1} ({2})", names.size(), lengths,
                 joined(names));
}
