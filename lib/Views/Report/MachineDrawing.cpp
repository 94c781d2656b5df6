//===- MachineDrawing.cpp - The machine of a report page ------------------===//
//
// A machine has positions, or groups, or both, depending on its arrangement and size.
//
//===----------------------------------------------------------------------===//

#include "MachineDrawing.h"
#include "JsonText.h"

#include "cclc/Views/MachineView/LinkMarks.h"
#include "cclc/Views/MachineView/MachineLayout.h"

using namespace cclc;
using nlohmann::ordered_json;

namespace {
class DrawingWriter {
public:
  DrawingWriter(const Machine &machine, ColumnWriter &columns)
      : machine(machine), columns(columns) {}

  ordered_json write() {
    out["name"] = machine.name;
    out["description"] = machine.description;
    for (const Node &node : machine.nodes())
      out["nodes"].push_back(node.name);
    std::vector<uint64_t> endpoints;
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
      endpoints.push_back(machine.endpointNode(EndpointId(e)).index());
    out["endpoints"] = columns.plain(endpoints);
    ArrayRef<Link> links = machine.links();
    add("from", links, [](const Link &link) { return link.from.index(); });
    add("to", links, [](const Link &link) { return link.to.index(); });
    add("rate", links, [](const Link &link) { return link.bandwidth.bytesPerSecond(); });
    add("present", links, [](const Link &link) { return link.present; });
    addMarks();
    MachineGroups groups = findGroups(machine);
    switch (arrangementOf(machine, groups)) {
    case Arrangement::Placed:
      out["arrangement"] = "placed";
      addLayout(layOut(machine));
      return std::move(out);
    case Arrangement::Tiers:
      out["arrangement"] = "tiers";
      if (std::optional<MachineLayout> layout = layOutTiers(machine, groups))
        addTiers(*layout);
      break;
    case Arrangement::Circle:
      out["arrangement"] = "circle";
      break;
    }
    addGroups(groups);
    return std::move(out);
  }

private:
  template <class Rows, class Fn> void add(const char *name, const Rows &rows, Fn value) {
    std::vector<int64_t> values;
    values.reserve(rows.size());
    for (const auto &row : rows)
      values.push_back(int64_t(value(row)));
    out[name] = columns.deltas(values);
  }

  void addMarks() {
    std::vector<uint64_t> slow;
    const std::vector<LinkMark> marks = markLinks(machine);
    for (size_t l = 0; l < marks.size(); ++l)
      if (marks[l] == LinkMark::Slow)
        slow.push_back(l);
    out["slow"] = columns.plain(slow);
  }

  /// Frames have the numbers of their groups.
  void addTiers(const MachineLayout &layout) {
    addPlaces(layout);
    add("item_width", layout.sizes, [](const auto &size) { return size.width; });
    add("item_height", layout.sizes, [](const auto &size) { return size.height; });
    out["frames"] = ordered_json::array();
    for (const MachineLayout::Box &box : layout.boxes)
      out["frames"].push_back({*box.group + 1, box.x, box.y, box.width, box.height});
  }

  /// Groups are numbered from 1; 0 is the whole machine.
  void addGroups(const MachineGroups &groups) {
    auto number = [](OptionalIndex group) { return group ? *group + 1 : 0; };
    out["groups"] = ordered_json::array();
    for (const MachineGroups::Group &group : groups.groups)
      out["groups"].push_back(group.name);
    add("group_parent", groups.groups,
        [&](const MachineGroups::Group &group) { return number(group.parent); });
    add("group_of", groups.ofNode, number);
    add("tier", groups.tiers, [](uint32_t tier) { return tier; });
  }

  void addLayout(const MachineLayout &layout) {
    addPlaces(layout);
    out["endpoint_side"] = layout.endpointSide;
    out["boxes"] = ordered_json::array();
    for (const MachineLayout::Box &box : layout.boxes)
      out["boxes"].push_back({box.name, box.x, box.y, box.width, box.height});
  }

  /// Positions are hundredths, which are sufficiently exact for a drawing.
  void addPlaces(const MachineLayout &layout) {
    auto hundredths = [](double x) { return x * 100 + 0.5; };
    out["width"] = layout.width;
    out["height"] = layout.height;
    add("x", layout.nodes, [&](const auto &at) { return hundredths(at.x); });
    add("y", layout.nodes, [&](const auto &at) { return hundredths(at.y); });
    // The bends of links that are not straight.
    std::vector<size_t> bent;
    std::vector<MachineLayout::Point> points;
    for (size_t l = 0; l < layout.bends.size(); ++l)
      if (!layout.bends[l].empty()) {
        bent.push_back(l);
        points.insert(points.end(), layout.bends[l].begin(), layout.bends[l].end());
      }
    add("bent", bent, [](size_t link) { return link; });
    add("bends", bent, [&](size_t link) { return layout.bends[link].size(); });
    add("bend_x", points, [&](const auto &at) { return hundredths(at.x); });
    add("bend_y", points, [&](const auto &at) { return hundredths(at.y); });
  }

  const Machine &machine;
  ColumnWriter &columns;
  ordered_json out;
};
} // namespace

ordered_json cclc::drawingOf(const Machine &machine, ColumnWriter &columns) {
  return DrawingWriter(machine, columns).write();
}
