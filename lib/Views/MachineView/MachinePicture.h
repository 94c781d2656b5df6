//===- MachinePicture.h - Boxes and lines of a machine ----------*- C++ -*-===//
//
// A picture of a machine for paper: nodes, or in a large machine groups of nodes, as boxes, groups
// around them as frames, and the links between two boxes as one line. Positions are in points, from
// the upper left corner.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_MACHINEVIEW_MACHINEPICTURE_H
#define CCL_LIB_VIEWS_MACHINEVIEW_MACHINEPICTURE_H

#include "cclc/Views/MachineView/LinkMarks.h"
#include "cclc/Views/MachineView/MachineGroups.h"
#include "cclc/Views/MachineView/MachineLayout.h"

namespace cclc {

struct MachinePicture {
  /// The distance of parallel lines.
  static constexpr double laneWidth = 5;

  using Point = MachineLayout::Point;
  using Size = MachineLayout::Size;
  struct Rect {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
    Point centre() const { return {x + width / 2, y + height / 2}; }
  };

  struct Box {
    std::string name;
    std::string detail; ///< the second line of the text, or empty
    uint32_t endpoints = 0, nodes = 0;
    uint32_t tier = 0;              ///< the highest of the nodes, 0 for a group
    OptionalIndex around;           ///< the smallest group that is not in the box
    bool isHub = false;             ///< a text to which all boxes of a complete graph are connected
    LinkMark mark = LinkMark::None; ///< of a link inside; `Missing` if all of its links are
    Rect at = {};
  };

  struct Frame {
    uint32_t group;
    Rect at;
  };

  /// The links between two boxes, from the one in the higher tier.
  struct Edge {
    uint32_t from = 0, to = 0;    ///< boxes
    uint64_t there = 0, back = 0; ///< number of links
    uint64_t missing = 0;         ///< number of absent ones in both directions
    uint64_t rate = 0;            ///< bytes per second of `there`, else of `back`
    bool isUnlimited = false;
    LinkMark mark = LinkMark::None;
    bool isHub = false;    ///< leads to a hub
    std::string kind = {}; ///< "8 links, 400 GB/s"
    std::vector<Point> points = {};
  };

  std::vector<Box> boxes;
  std::vector<Frame> frames; ///< each after the frame around it
  std::vector<Edge> edges;
  std::vector<uint32_t> boxOf; ///< by node
  bool isFolded = false;
  double width = 0, height = 0;
};

/// The size of a box with its text, whose letters are 10 points high.
MachinePicture::Size sizeOf(const MachinePicture::Box &box);

/// The boxes and edges of a machine without positions. With a \p depth, the groups of this depth
/// are boxes; otherwise each node is one.
MachinePicture findBoxes(const Machine &machine, const MachineGroups &groups,
                         std::optional<uint32_t> depth);

/// Places the boxes: groups as frames with their members in a grid, the switches of each tier in a
/// row above these. \p groups are those of findBoxes().
void placeInFrames(MachinePicture &picture, const Machine &machine, const MachineGroups &groups);

/// Draws every edge without points clear of the boxes that it does not connect: as a straight line
/// or an arc, else along the gaps between boxes, where edges of one switch share their way.
/// Returns false if too many lines need gaps; then these are straight.
bool routeEdges(MachinePicture &picture);

/// The picture with as many boxes as are legible on a page, and at most \p limit.
MachinePicture drawMachine(const Machine &machine, const MachineGroups &groups, uint32_t limit);

} // namespace cclc

#endif // CCL_LIB_VIEWS_MACHINEVIEW_MACHINEPICTURE_H
