//===- PictureBoxes.cpp - The boxes and edges of a picture ----------------===//
//
// In a large machine, the groups of one depth are boxes, and so are the other nodes of a group by
// the class of their names. Links between two boxes are one edge. The edges of a large complete
// bipartite graph, such as leaves and spines, or of a complete graph lead over a hub that states
// their number (edge concentration: Newbery, Workshop on Software Configuration Management 1989).
// Edges of another kind are drawn in addition, and so are those with a mark.
//
//===----------------------------------------------------------------------===//

#include "MachinePicture.h"

#include "RateText.h"
#include "cclc/Support/Text.h"
#include "cclc/Target/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>
#include <tuple>

using namespace cclc;

namespace {
/// More edges than this that connect all boxes of two rows, or all boxes, lead over a hub.
constexpr size_t mostEdges = 96;

using Box = MachinePicture::Box;
using Edge = MachinePicture::Edge;

class Boxes {
public:
  Boxes(const Machine &machine, const MachineGroups &groups)
      : machine(machine), groups(groups), endpointOf(machine.endpointsByNode()) {}

  MachinePicture run(std::optional<uint32_t> depth) {
    picture.isFolded = depth.has_value();
    depth ? fold(*depth) : drawAll();
    addLinks();
    addHubs();
    return std::move(picture);
  }

private:
  void drawAll() {
    for (uint32_t node = 0; node < endpointOf.size(); ++node) {
      picture.boxOf.push_back(node);
      picture.boxes.push_back({shortName(machine.nodes()[node].name, groups.ofNode[node]), "",
                               endpointOf[node].has_value(), 1, groups.tiers[node],
                               groups.ofNode[node]});
    }
  }

  void fold(uint32_t depth) {
    std::vector<uint32_t> boxOfGroup(groups.groups.size());
    for (size_t g = 0; g < groups.groups.size(); ++g)
      if (const MachineGroups::Group &group = groups.groups[g]; group.depth == depth) {
        boxOfGroup[g] = uint32_t(picture.boxes.size());
        picture.boxes.push_back({shortName(group.name, group.parent),
                                 counted(group.count, "endpoint"), 0, 0, 0, group.parent});
      }
    std::map<std::pair<OptionalIndex, std::string>, uint32_t> classes;
    for (size_t node = 0; node < endpointOf.size(); ++node) {
      OptionalIndex group = groups.ofNode[node];
      while (group && groups.groups[*group].depth > depth)
        group = groups.groups[*group].parent;
      uint32_t box;
      if (group && groups.groups[*group].depth == depth) {
        box = boxOfGroup[*group];
      } else {
        std::string name = nodeNameClass(machine.nodes()[node].name);
        auto [entry, isNew] = classes.try_emplace({group, name}, picture.boxes.size());
        if (isNew)
          picture.boxes.push_back(
              {machine.nodes()[node].name, "", 0, 0, groups.tiers[node], group});
        box = entry->second;
        picture.boxes[box].name = commonName(picture.boxes[box].name, machine.nodes()[node].name);
        picture.boxes[box].tier = std::max(picture.boxes[box].tier, groups.tiers[node]);
      }
      picture.boxOf.push_back(box);
      picture.boxes[box].endpoints += endpointOf[node].has_value();
      ++picture.boxes[box].nodes;
    }
    for (const auto &[key, box] : classes) {
      Box &some = picture.boxes[box];
      if (some.nodes > 1)
        some.detail = "x " + std::to_string(some.nodes);
      some.name = shortName(some.name, key.first);
    }
  }

  /// A name with `*` for each number in which two names of one class differ.
  static std::string commonName(StringRef a, StringRef b) {
    std::string name;
    auto isNumber = [](char c) { return c == '*' || llvm::isDigit(c); };
    while (!a.empty()) {
      StringRef first = a.take_while(isNumber), second = b.take_while(isNumber);
      if (!first.empty())
        name += first == second ? first : "*";
      a = a.drop_front(first.size());
      b = b.drop_front(second.size());
      StringRef same = a.take_until(isNumber);
      name += same;
      a = a.drop_front(same.size());
      b = b.drop_front(same.size());
    }
    return name;
  }

  /// \p name without the part that the frame of \p group states.
  std::string shortName(StringRef name, OptionalIndex group) const {
    for (; group; group = groups.groups[*group].parent) {
      StringRef rest = name;
      std::string frame = groups.groups[*group].name;
      llvm::erase(frame, ' '); // "group 3" of group3.router0
      if ((rest.consume_front(frame) || rest.consume_front(nodeNameClass(frame))) &&
          rest.consume_front(".") && !rest.empty())
        return rest.str();
    }
    return name.str();
  }

  void addLinks() {
    const std::vector<LinkMark> marks = markLinks(machine);
    std::map<std::pair<uint32_t, uint32_t>, Edge> edges;
    std::vector<uint32_t> present(picture.boxes.size()), absent(picture.boxes.size());
    for (size_t l = 0; l < marks.size(); ++l) {
      const Link &link = machine.links()[l];
      uint32_t a = picture.boxOf[link.from.index()], b = picture.boxOf[link.to.index()];
      ++(link.present ? present : absent)[a];
      if (a == b) {
        if (marks[l] > picture.boxes[a].mark)
          picture.boxes[a].mark = marks[l];
        continue;
      }
      auto [low, high] = std::minmax(a, b);
      Edge &edge = edges.try_emplace({low, high}, Edge{.from = low, .to = high}).first->second;
      edge.mark = std::max(edge.mark, marks[l]);
      add(link, a == low, edge);
    }
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (present[b] == 0 && absent[b] > 0)
        picture.boxes[b].mark = LinkMark::Missing;
    for (auto &[pair, edge] : edges) {
      if (picture.boxes[edge.to].tier > picture.boxes[edge.from].tier) {
        std::swap(edge.from, edge.to);
        std::swap(edge.there, edge.back);
      }
      edge.kind = textOf(edge);
      picture.edges.push_back(std::move(edge));
    }
  }

  static void add(const Link &link, bool isThere, Edge &edge) {
    if (!link.present) {
      ++edge.missing;
      return;
    }
    // The first link decides the direction whose rate is shown.
    if (isThere ? edge.back == 0 || edge.there > 0 : edge.there == 0) {
      edge.rate += link.bandwidth.bytesPerSecond();
      edge.isUnlimited |= link.bandwidth.isUnlimited();
    }
    ++(isThere ? edge.there : edge.back);
  }

  /// The rate of \p edge, or the number and the total rate of its links.
  static std::string textOf(const Edge &edge) {
    uint64_t number = std::max(edge.there, edge.back);
    if (number == 0)
      return "missing";
    return (number > 1 ? std::to_string(number) + " links, " : "") +
           rateText(edge.isUnlimited ? Bandwidth() : Bandwidth(edge.rate));
  }

  // --- Hubs --------------------------------------------------------------------------------

  /// The innermost group around two boxes.
  OptionalIndex commonGroup(uint32_t a, uint32_t b) const {
    for (OptionalIndex outer = picture.boxes[a].around; outer; outer = groups.groups[*outer].parent)
      for (OptionalIndex other = picture.boxes[b].around; other;
           other = groups.groups[*other].parent)
        if (*other == *outer)
          return outer;
    return {};
  }

  /// Finds the complete graphs among the edges: between two tiers inside a group, or of all boxes.
  void addHubs() {
    bool isTiered = llvm::any_of(picture.boxes, [](const Box &box) { return box.tier > 0; });
    std::map<std::tuple<OptionalIndex, uint32_t, uint32_t>, std::vector<size_t>> families;
    for (size_t e = 0; e < picture.edges.size(); ++e) {
      const Edge &edge = picture.edges[e];
      uint32_t low = picture.boxes[edge.to].tier, high = picture.boxes[edge.from].tier;
      if (low < high || !isTiered)
        families[{isTiered ? commonGroup(edge.from, edge.to) : OptionalIndex(), low, high}]
            .push_back(e);
    }
    std::vector<bool> isConcentrated(picture.edges.size());
    for (const auto &[key, family] : families)
      if (family.size() > mostEdges)
        addHub(std::get<0>(key), family, isConcentrated);
    std::vector<Edge> kept;
    for (size_t e = 0; e < picture.edges.size(); ++e)
      if (e >= isConcentrated.size() || !isConcentrated[e])
        kept.push_back(std::move(picture.edges[e]));
    picture.edges = std::move(kept);
  }

  void addHub(OptionalIndex group, ArrayRef<size_t> family, std::vector<bool> &isConcentrated) {
    std::set<uint32_t> above, below;
    std::map<std::string, std::vector<size_t>> kinds;
    bool isTiered = false;
    for (size_t e : family) {
      const Edge &edge = picture.edges[e];
      bool differs = picture.boxes[edge.from].tier > picture.boxes[edge.to].tier;
      isTiered |= differs;
      (differs ? above : below).insert(edge.from);
      below.insert(edge.to);
      if (edge.mark == LinkMark::None)
        kinds[edge.kind].push_back(e);
    }
    size_t all = isTiered ? above.size() * below.size() : below.size() * (below.size() - 1) / 2;
    if (family.size() != all || kinds.empty() || above.size() == 1)
      return;
    const auto &[kind, most] = *llvm::max_element(
        kinds, [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
    uint64_t there = 0, back = 0;
    for (size_t e : most) {
      there += picture.edges[e].there;
      back += picture.edges[e].back;
      isConcentrated[e] = true;
    }
    std::string number =
        there == back ? "2 x " + counted(there, "link") : counted(there + back, "link");
    auto hub = uint32_t(picture.boxes.size());
    uint32_t tier = picture.boxes[picture.edges[family.front()].from].tier;
    picture.boxes.push_back(
        {(most.size() == family.size() ? "all pairs: " : "all other pairs: ") + number,
         "a pair: " + kind, 0, 0, tier, group, /*isHub=*/true});
    auto connect = [&](uint32_t from, uint32_t to) {
      Edge edge{.from = from, .to = to};
      edge.isHub = true;
      edge.kind = kind;
      picture.edges.push_back(std::move(edge));
    };
    for (uint32_t box : above)
      connect(box, hub);
    for (uint32_t box : below)
      connect(hub, box);
  }

  const Machine &machine;
  const MachineGroups &groups;
  const std::vector<OptionalIndex> endpointOf; ///< by node
  MachinePicture picture;
};
} // namespace

MachinePicture cclc::findBoxes(const Machine &machine, const MachineGroups &groups,
                               std::optional<uint32_t> depth) {
  return Boxes(machine, groups).run(depth);
}
