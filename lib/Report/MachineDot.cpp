//===- MachineDot.cpp - Machines as graphs for graphviz -------------------===//
//
// A node of the machine belongs to the group of the endpoints whose names begin with the same part,
// such as `node3.`. Links between two boxes are one edge, with arrows in the directions that exist.
// In a large machine, nodes without a group are boxes by the class of their names, and a level of
// too many groups, or the only level, is divided into blocks of consecutive endpoints.
//
//===----------------------------------------------------------------------===//

#include "cclc/Report/MachineDot.h"

#include "cclc/Report/MachineDescription.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr uint32_t mostGroups = 128, blocks = 64;
constexpr const char *colors[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                  "#ff7f0e", "#8c564b", "#17becf", "#e377c2"};

std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : printable(text)) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string rateText(Bandwidth rate) {
  if (rate.isUnlimited())
    return "no limit";
  return StringRef(gigabytesText(rate.bytesPerSecond())).rtrim('0').rtrim('.').str() + " GB/s";
}

/// The part of a name before the first dot, if there is one.
StringRef prefixOf(StringRef name) {
  auto [prefix, rest] = name.split('.');
  return rest.empty() ? StringRef() : prefix;
}

/// A box of the picture: a node, or several.
struct Box {
  std::string name;
  uint32_t endpoints = 0, nodes = 0;
  std::optional<uint32_t> group; ///< that contains the node
};

/// The links between two boxes, in each direction.
struct Edge {
  uint64_t there = 0, back = 0, rate = 0; ///< the rate of `there`, else of `back`
  bool isUnlimited = false;
};

class Picture {
public:
  Picture(const Machine &machine, uint32_t limit)
      : machine(machine), isFolded(machine.nodes().size() > limit) {
    findGroups();
    isFolded ? fold() : drawAll();
    for (const Link &link : machine.links())
      add(link);
  }

  void write(raw_ostream &os) const {
    bool clustered = !isFolded && groupNames.size() > 1;
    const char *layout = clustered ? "dot" : boxes.size() <= 16 ? "circo" : "neato";
    os << "digraph " << quoted(machine.name) << " {\n  graph [layout=" << layout
       << ", overlap=scale, sep=\"+6\", splines=line, fontname=\"Helvetica\", labelloc=t, label="
       << title() << "];\n"
       << "  node [shape=box, style=filled, fillcolor=\"#f4f4f4\", fontname=\"Helvetica\", "
          "fontsize=10, width=0.4, height=0.3, margin=\"0.08,0.04\"];\n"
       << "  edge [arrowsize=0.4];\n";
    if (clustered)
      for (uint32_t g = 0; g < groupNames.size(); ++g) {
        os << "  subgraph cluster" << g << " {\n    label=" << quoted(groupNames[g])
           << "; color=\"#999999\";\n";
        writeBoxes(os, g);
        os << "  }\n";
      }
    writeBoxes(os, clustered ? std::optional<uint32_t>() : ~uint32_t(0));
    writeEdges(os);
    os << "}\n";
  }

private:
  /// Divides the endpoints by the outermost level, or into blocks.
  void findGroups() {
    ArrayRef<GridLevel> levels = machine.geometry().levels;
    uint32_t n = machine.numEndpoints(), groups = levels.front().size();
    bool byLevel = levels.size() > 1 && groups <= mostGroups;
    if (!byLevel)
      groups = isFolded ? std::min(n, blocks) : 1;
    uint32_t size = uint32_t(ceilDiv(n, groups));
    groupOf.resize(machine.nodes().size());
    isEndpoint.resize(machine.nodes().size());
    std::map<StringRef, uint32_t> byPrefix;
    for (uint32_t e = 0; e < n; ++e) {
      uint32_t node = machine.endpointNode(EndpointId(e)).index(), group = e / size;
      groupOf[node] = group;
      isEndpoint[node] = true;
      if (group == groupNames.size())
        groupNames.push_back(
            byLevel ? formatv("{0} {1}", levels.front().name, group).str()
                    : formatv("endpoints {0} to {1}", e, std::min(e + size, n) - 1).str());
      auto [entry, isNew] = byPrefix.try_emplace(prefixOf(machine.nodes()[node].name), group);
      if (!isNew && entry->second != group) // the names do not follow the level
        entry->second = ~uint32_t(0);
    }
    for (size_t node = 0; node < groupOf.size(); ++node)
      if (auto found = byPrefix.find(prefixOf(machine.nodes()[node].name));
          !groupOf[node] && found != byPrefix.end() && !found->first.empty() &&
          found->second != ~uint32_t(0))
        groupOf[node] = found->second;
  }

  void drawAll() {
    for (size_t node = 0; node < groupOf.size(); ++node) {
      boxOf.push_back(uint32_t(node));
      boxes.push_back({machine.nodes()[node].name, isEndpoint[node], 1, groupOf[node]});
    }
  }

  void fold() {
    for (const std::string &name : groupNames)
      boxes.push_back({name, 0, 0, std::nullopt});
    std::map<std::string, uint32_t> classes;
    for (size_t node = 0; node < groupOf.size(); ++node) {
      uint32_t box;
      if (groupOf[node]) {
        box = *groupOf[node];
      } else {
        std::string name = nodeNameClass(machine.nodes()[node].name);
        auto [entry, isNew] = classes.try_emplace(name, boxes.size());
        if (isNew)
          boxes.push_back({name, 0, 0, std::nullopt});
        box = entry->second;
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
    std::string name;
    llvm::raw_string_ostream os(name);
    llvm::printHTMLEscaped(printable(machine.name), os);
    std::string text = "<" + name + ": " + counted(machine.numEndpoints(), "endpoint") + "<br/>";
    std::map<std::string, std::string> kinds = colorsOf();
    for (const auto &[kind, color] : kinds)
      if (kinds.size() <= std::size(colors))
        text += formatv("<font color=\"{0}\" point-size=\"10\">{1}</font><br/>", color, kind);
    return text + ">";
  }

  /// Writes the boxes of \p group; unset: those without one; ~0: all.
  void writeBoxes(raw_ostream &os, std::optional<uint32_t> group) const {
    for (size_t b = 0; b < boxes.size(); ++b) {
      const Box &box = boxes[b];
      if (group != ~uint32_t(0) && box.group != group)
        continue;
      std::string label = box.name;
      if (group && *group != ~uint32_t(0) && !prefixOf(label).empty())
        label = StringRef(label).split('.').second.str();
      os << "    n" << b << " [label=" << quoted(label);
      if (isFolded)
        os << ", tooltip="
           << quoted(counted(box.endpoints, "endpoint") + ", " + counted(box.nodes, "node"));
      if (box.endpoints > 0)
        os << ", fillcolor=\"#cfe2f3\"";
      else if (!isFolded)
        os << ", shape=ellipse";
      os << "];\n";
    }
  }

  /// Edges lead out of groups, so that the nodes between groups are below them.
  void writeEdges(raw_ostream &os) const {
    std::map<std::string, std::string> kinds = colorsOf();
    for (const auto &[pair, edge] : edges) {
      auto [from, to] = pair;
      const char *arrows = edge.back == 0 ? "forward" : edge.there == 0 ? "back" : "both";
      bool turned = boxes[to].group && !boxes[from].group;
      if (turned) {
        std::swap(from, to);
        arrows = edge.back == 0 ? "back" : edge.there == 0 ? "forward" : "both";
      }
      std::string text = textOf(edge);
      os << formatv("  n{0} -> n{1} [dir={2}, color=\"{3}\", tooltip={4}];\n", from, to, arrows,
                    kinds.at(text), quoted(text));
    }
  }

  const Machine &machine;
  bool isFolded;
  std::vector<std::string> groupNames;
  std::vector<std::optional<uint32_t>> groupOf; ///< by node
  std::vector<bool> isEndpoint;                 ///< by node
  std::vector<Box> boxes;
  std::vector<uint32_t> boxOf; ///< by node
  std::map<std::pair<uint32_t, uint32_t>, Edge> edges;
};
} // namespace

void cclc::writeDot(const Machine &machine, raw_ostream &os, uint32_t limit) {
  Picture(machine, limit).write(os);
}
