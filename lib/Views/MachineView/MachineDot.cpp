//===- MachineDot.cpp - Machines as graphs for graphviz -------------------===//
//
// Groups are frames, as in reports (MachineGroups.h). Links between two boxes are one edge, with
// arrows in the directions that exist; edges lead from a higher tier to a lower one. In a large
// machine, the groups of the deepest level with few enough of them are boxes, and so are the other
// nodes of a group by the class of their names. The edges of a large complete bipartite graph, such
// as leaves and spines, or of a complete graph lead over a hub that states their number (edge
// concentration: Newbery, Workshop on Software Configuration Management 1989). Edges of another
// kind are drawn in addition.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineDot.h"

#include "RateText.h"
#include "cclc/Support/DotText.h"
#include "cclc/Support/Text.h"
#include "cclc/Views/MachineView/MachineDescription.h"
#include "cclc/Views/MachineView/MachineGroups.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr uint32_t mostBoxes = 128; ///< groups of a large machine
/// More edges than this that connect all boxes of two rows, or all boxes, lead over a hub.
constexpr size_t mostEdges = 96;
constexpr const char *colors[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                  "#ff7f0e", "#8c564b", "#17becf", "#e377c2"};

std::string dotString(StringRef text) { return '"' + dotQuoted(text) + '"'; }

/// A box of the picture: a node, or several.
struct Box {
  std::string name;
  uint32_t endpoints = 0, nodes = 0;
  uint32_t tier = 0;      ///< the highest of the nodes, 0 for a group
  OptionalIndex around;   ///< group that is a frame around the box
  std::string place = {}; ///< "1.25,0.50"; empty if the layout decides
};

/// The links between two boxes, in each direction.
struct Edge {
  uint64_t there = 0, back = 0, rate = 0; ///< the rate of `there`, else of `back`
  bool isUnlimited = false;
};

/// Edges of equal kind that are drawn as one from each box to a node with a text.
struct Hub {
  std::vector<uint32_t> above, below; ///< boxes; in a complete graph all are below
  std::string kind;                   ///< the text of each edge
  bool isAll;                         ///< no pair has an edge of another kind
  uint64_t there = 0, back = 0;       ///< the number of links
};

class Picture {
public:
  Picture(const Machine &machine, uint32_t limit)
      : machine(machine), groups(findGroups(machine)), isFolded(machine.nodes().size() > limit),
        isEndpoint(machine.nodes().size()) {
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
      isEndpoint[machine.endpointNode(EndpointId(e)).index()] = true;
    isFolded ? fold() : drawAll();
    for (const Link &link : machine.links())
      add(link);
    placeOnCircle();
    if (boxes.front().place.empty())
      findHubs();
  }

  void write(raw_ostream &os) const {
    // Rows for a tree of switches; fdp draws frames too, but places boxes freely. neato keeps
    // places.
    bool isTiered = llvm::any_of(boxes, [](const Box &box) { return box.tier > 0; });
    bool hasPeers = llvm::any_of(edges, [&](const auto &edge) {
      return boxes[edge.first.first].tier == boxes[edge.first.second].tier;
    });
    bool isPlaced = !boxes.front().place.empty();
    bool isRing = !isTiered && !hubs.empty();
    const char *layout = isPlaced    ? "neato"
                         : isRing    ? "twopi"
                         : !isTiered ? boxes.size() <= 16 ? "circo" : "neato"
                         : hasPeers  ? "fdp"
                                     : "dot";
    os << "digraph " << dotString(machine.name) << " {\n  graph [layout=" << layout
       << ", overlap=" << (isPlaced ? "true" : "scale")
       << ", sep=\"+6\", splines=line, fontname=\"Helvetica\", labelloc=t, label=" << title()
       << (isRing ? formatv(", root=hub0, ranksep={0:F1}", std::max(1.0, boxes.size() * 0.12)).str()
                  : "")
       << "];\n"
       << "  node [shape=box, style=filled, fillcolor=\"#f4f4f4\", fontname=\"Helvetica\", "
          "fontsize=10, width=0.4, height=0.3, margin=\"0.08,0.04\"];\n"
       << "  edge [arrowsize=0.4];\n";
    if (isTiered)
      writeGroup({}, os);
    else // without frames, which other layouts draw over each other
      for (uint32_t b = 0; b < boxes.size(); ++b)
        writeBox(b, /*isFramed=*/false, os);
    writeHubs(os);
    writeEdges(os);
    os << "}\n";
  }

private:
  void drawAll() {
    for (uint32_t node = 0; node < isEndpoint.size(); ++node) {
      boxOf.push_back(node);
      boxes.push_back({machine.nodes()[node].name, isEndpoint[node], 1, groups.tiers[node],
                       groups.ofNode[node]});
    }
  }

  void fold() {
    std::vector<uint32_t> numbers; // of groups, by depth
    for (const MachineGroups::Group &group : groups.groups) {
      numbers.resize(std::max<size_t>(numbers.size(), group.depth + 1));
      ++numbers[group.depth];
    }
    uint32_t depth = 0;
    while (depth + 1 < numbers.size() && numbers[depth + 1] <= mostBoxes)
      ++depth;
    std::vector<uint32_t> boxOfGroup(groups.groups.size());
    for (size_t g = 0; g < groups.groups.size(); ++g)
      if (const MachineGroups::Group &group = groups.groups[g]; group.depth == depth) {
        boxOfGroup[g] = uint32_t(boxes.size());
        boxes.push_back({group.name, 0, 0, 0, group.parent});
      }
    std::map<std::pair<OptionalIndex, std::string>, uint32_t> classes;
    for (size_t node = 0; node < isEndpoint.size(); ++node) {
      OptionalIndex group = groups.ofNode[node];
      while (group && groups.groups[*group].depth > depth)
        group = groups.groups[*group].parent;
      uint32_t box;
      if (group && groups.groups[*group].depth == depth) {
        box = boxOfGroup[*group];
      } else {
        std::string name = nodeNameClass(machine.nodes()[node].name);
        auto [entry, isNew] = classes.try_emplace({group, name}, boxes.size());
        if (isNew)
          boxes.push_back({name, 0, 0, groups.tiers[node], group});
        box = entry->second;
        boxes[box].tier = std::max(boxes[box].tier, groups.tiers[node]);
      }
      boxOf.push_back(box);
      boxes[box].endpoints += isEndpoint[node];
      ++boxes[box].nodes;
    }
  }

  void add(const Link &link) {
    uint32_t a = boxOf[link.from.index()], b = boxOf[link.to.index()];
    if (a == b || !link.present)
      return;
    Edge &edge = edges[{std::min(a, b), std::max(a, b)}];
    bool there = a < b;
    // The first link decides the direction whose rate is shown.
    if (there ? edge.back == 0 || edge.there > 0 : edge.there == 0) {
      edge.rate += link.bandwidth.bytesPerSecond();
      edge.isUnlimited |= link.bandwidth.isUnlimited();
    }
    ++(there ? edge.there : edge.back);
  }

  uint32_t outermostGroup(uint32_t node) const {
    uint32_t group = *groups.ofNode[node];
    while (groups.groups[group].parent)
      group = *groups.groups[group].parent;
    return group;
  }

  /// The switches of every outermost group, each with its endpoints, if all boxes are in such
  /// groups and the switches have links to each other, as in a dragonfly; otherwise empty.
  std::map<uint32_t, std::map<uint32_t, std::vector<uint32_t>>> switchGroups() const {
    std::map<uint32_t, std::map<uint32_t, std::vector<uint32_t>>> result;
    for (uint32_t b = 0; b < boxes.size(); ++b) {
      if (isFolded || !boxes[b].around || boxes[b].tier != (isEndpoint[b] ? 0 : 1))
        return {};
      if (!isEndpoint[b])
        result[outermostGroup(b)][b];
    }
    std::vector<uint32_t> uplinks(boxes.size());
    bool hasPeers = false;
    for (const auto &[pair, edge] : edges) {
      auto [a, b] = pair;
      hasPeers |= !isEndpoint[a] && !isEndpoint[b];
      if (isEndpoint[a] == isEndpoint[b])
        continue;
      uint32_t endpoint = isEndpoint[a] ? a : b, parent = isEndpoint[a] ? b : a;
      result[outermostGroup(parent)][parent].push_back(endpoint);
      ++uplinks[endpoint];
    }
    for (uint32_t b = 0; b < boxes.size(); ++b)
      if (isEndpoint[b] && uplinks[b] != 1)
        return {};
    constexpr size_t fewestGroups = 3;
    return hasPeers && result.size() >= fewestGroups ? std::move(result) : decltype(result)();
  }

  /// Places the outermost groups on a circle, in each group the switches on a smaller one, and
  /// their endpoints around it.
  void placeOnCircle() {
    constexpr double turn = 2 * std::numbers::pi, switchWidth = 1.8, endpointWidth = 0.6;
    auto all = switchGroups();
    if (all.empty())
      return;
    double inner = 1.15, outer = 0;
    for (const auto &[_, switches] : all) {
      size_t most = 0;
      for (const auto &[_, endpoints] : switches)
        most = std::max(most, endpoints.size());
      inner = std::max(inner, double(switches.size()) * switchWidth / turn);
      outer = std::max(outer, double(switches.size() * most) * endpointWidth / turn);
    }
    outer = std::max(outer, inner + 0.95);
    double g = 0, middle = (outer + 0.5) / std::sin(turn / 2 / double(all.size()));
    for (const auto &[_, switches] : all) {
      double direction = turn * g++ / double(all.size()), s = 0.5;
      auto place = [&](uint32_t box, double radius, double angle) {
        boxes[box].place =
            formatv("{0:F2},{1:F2}", middle * std::sin(direction) + radius * std::sin(angle),
                    middle * std::cos(direction) + radius * std::cos(angle));
      };
      for (const auto &[box, endpoints] : switches) {
        double angle = turn * s++ / double(switches.size()); // none at the label of the frame
        double e = -double(endpoints.size() - 1) / 2;
        place(box, inner, angle);
        for (uint32_t endpoint : endpoints)
          place(endpoint, outer, angle + e++ * endpointWidth / outer);
      }
    }
  }

  /// The innermost group around two boxes.
  OptionalIndex commonGroup(uint32_t a, uint32_t b) const {
    for (OptionalIndex outer = boxes[a].around; outer; outer = groups.groups[*outer].parent)
      for (OptionalIndex other = boxes[b].around; other; other = groups.groups[*other].parent)
        if (*other == *outer)
          return outer;
    return {};
  }

  /// Finds the complete graphs among the edges: between two tiers inside a group, or of all boxes.
  void findHubs() {
    bool isTiered = llvm::any_of(boxes, [](const Box &box) { return box.tier > 0; });
    using Pair = std::pair<uint32_t, uint32_t>;
    std::map<std::tuple<OptionalIndex, uint32_t, uint32_t>, std::vector<Pair>> families;
    for (const auto &[pair, edge] : edges) {
      auto [a, b] = pair;
      auto [low, high] = std::minmax(boxes[a].tier, boxes[b].tier);
      if (low < high || !isTiered)
        families[{isTiered ? commonGroup(a, b) : OptionalIndex(), low, high}].push_back(pair);
    }
    for (const auto &[key, family] : families) {
      std::set<uint32_t> above, below;
      std::map<std::string, std::vector<Pair>> kinds;
      for (auto [a, b] : family) {
        (isTiered && boxes[a].tier > boxes[b].tier ? above : below).insert(a);
        (isTiered && boxes[b].tier > boxes[a].tier ? above : below).insert(b);
        kinds[textOf(edges.at({a, b}))].emplace_back(a, b);
      }
      size_t all = isTiered ? above.size() * below.size() : below.size() * (below.size() - 1) / 2;
      if (family.size() <= mostEdges || family.size() != all)
        continue;
      const auto &most = *llvm::max_element(
          kinds, [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
      Hub hub{{above.begin(), above.end()},
              {below.begin(), below.end()},
              most.first,
              kinds.size() == 1};
      for (const Pair &pair : most.second) {
        hub.there += edges.at(pair).there;
        hub.back += edges.at(pair).back;
        concentrated.insert(pair);
      }
      hubs.push_back(std::move(hub));
    }
  }

  void writeHubs(raw_ostream &os) const {
    for (size_t h = 0; h < hubs.size(); ++h) {
      const Hub &hub = hubs[h];
      std::string number = hub.there == hub.back ? "2 x " + counted(hub.there, "link")
                                                 : counted(hub.there + hub.back, "link");
      std::string color = colorsOf().at(hub.kind);
      os << formatv(
          "  hub{0} [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"{1}\", "
          "label={2}];\n",
          h, color,
          dotString((hub.isAll ? "all pairs: " : "all other pairs: ") + number +
                    "; a pair: " + hub.kind));
      for (uint32_t box : hub.above)
        os << formatv("  n{0} -> hub{1} [dir=none, style=dashed, color=\"{2}\"];\n", box, h, color);
      for (uint32_t box : hub.below)
        os << formatv("  hub{0} -> n{1} [dir=none, style=dashed, color=\"{2}\"];\n", h, box, color);
    }
  }

  /// The rate of \p edge, or the number and the total rate of its links.
  std::string textOf(const Edge &edge) const {
    uint64_t number = std::max(edge.there, edge.back);
    return (number > 1 ? std::to_string(number) + " links, " : "") +
           rateText(edge.isUnlimited ? Bandwidth() : Bandwidth(edge.rate));
  }

  /// Assigns a colour to each kind of edge.
  std::map<std::string, std::string> colorsOf() const {
    std::map<std::string, std::string> result;
    for (const auto &[pair, edge] : edges)
      result.try_emplace(textOf(edge), colors[result.size() % std::size(colors)]);
    return result;
  }

  /// The name of the machine and a legend of the colours, as HTML.
  std::string title() const {
    std::string text =
        "<" + dotHtml(machine.name) + ": " + counted(machine.numEndpoints(), "endpoint") + "<br/>";
    std::map<std::string, std::string> kinds = colorsOf();
    for (const auto &[kind, color] : kinds)
      if (kinds.size() <= std::size(colors))
        text += formatv("<font color=\"{0}\" point-size=\"10\">{1}</font><br/>", color, kind);
    return text + ">";
  }

  /// Writes the boxes of \p group and the frames inside it; unset: the machine.
  void writeGroup(OptionalIndex group, raw_ostream &os) const {
    std::vector<uint32_t> own;
    for (uint32_t b = 0; b < boxes.size(); ++b)
      if (boxes[b].around == group)
        own.push_back(b);
    if (group) {
      if (isFolded && own.empty())
        return;
      os << "  subgraph cluster" << *group
         << " {\n    label=" << dotString(groups.groups[*group].name) << "; color=\"#999999\";\n";
    }
    for (uint32_t g = 0; g < groups.groups.size(); ++g)
      if (groups.groups[g].parent == group)
        writeGroup(g, os);
    for (uint32_t b : own)
      writeBox(b, /*isFramed=*/group.has_value(), os);
    if (group)
      os << "  }\n";
  }

  void writeBox(uint32_t b, bool isFramed, raw_ostream &os) const {
    const Box &box = boxes[b];
    StringRef label = box.name;
    // The frame has the first part of the name.
    if (isFramed && label.consume_front(groups.groups[*box.around].name))
      label = label.consume_front(".") ? label : StringRef(box.name);
    os << "    n" << b << " [label=" << dotString(label.empty() ? StringRef(box.name) : label);
    if (!box.place.empty())
      os << ", pos=" << dotString(box.place + "!");
    if (isFolded)
      os << ", tooltip="
         << dotString(counted(box.endpoints, "endpoint") + ", " + counted(box.nodes, "node"));
    if (box.endpoints > 0)
      os << ", fillcolor=\"#cfe2f3\"";
    else if (!isFolded)
      os << ", shape=ellipse";
    os << "];\n";
  }

  void writeEdges(raw_ostream &os) const {
    std::map<std::string, std::string> kinds = colorsOf();
    for (const auto &[pair, edge] : edges) {
      if (concentrated.count(pair))
        continue;
      auto [from, to] = pair;
      const char *arrows = edge.back == 0 ? "forward" : edge.there == 0 ? "back" : "both";
      if (boxes[to].tier > boxes[from].tier) {
        std::swap(from, to);
        arrows = edge.back == 0 ? "back" : edge.there == 0 ? "forward" : "both";
      }
      std::string text = textOf(edge);
      os << formatv("  n{0} -> n{1} [dir={2}, color=\"{3}\", tooltip={4}", from, to, arrows,
                    kinds.at(text), dotString(text));
      os << "];\n";
    }
  }

  const Machine &machine;
  MachineGroups groups;
  bool isFolded;
  std::vector<bool> isEndpoint; ///< by node
  std::vector<Box> boxes;
  std::vector<uint32_t> boxOf; ///< by node
  std::map<std::pair<uint32_t, uint32_t>, Edge> edges;
  std::vector<Hub> hubs;
  std::set<std::pair<uint32_t, uint32_t>> concentrated; ///< the edges of hubs
};
} // namespace

void cclc::writeDot(const Machine &machine, raw_ostream &os, uint32_t limit) {
  Picture(machine, limit).write(os);
}
