//===- MachineLayout.h - Drawing a machine ----------------------*- C++ -*-===//
//
// A machine has links and the geometry of its endpoints, but no positions. For a drawing every node
// gets a position: nodes with a common name prefix ("sip0.cube3.") are in a box, endpoints are
// arranged by their geometry, and parts of a PE have the position of the PE. Links are straight
// lines unless these would cross other nodes or overlap other links.
//
// Small machines with switches have the positions of their pictures. The page itself arranges those
// whose groups are closed (assets/report/tiers.js and circle.js).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_MACHINEVIEW_MACHINELAYOUT_H
#define CCL_VIEWS_MACHINEVIEW_MACHINELAYOUT_H

#include "cclc/Views/MachineView/MachineGroups.h"

namespace cclc {

struct MachineLayout {
  /// Both directions of a connection share a line; each is drawn at this offset to its right.
  static constexpr double directionOffset = 0.1;
  /// The size of nodes that are not endpoints and only join lines.
  static constexpr double pointSide = 0.04;

  struct Point {
    double x, y;
  };
  struct Box {
    std::string name; ///< "sip0", "sip0.cube3", "node1"
    double x, y, width, height;
    OptionalIndex group = {}; ///< of a machine in tiers
  };
  struct Size {
    double width = 0, height = 0;
  };
  /// Outer boxes first.
  std::vector<Box> boxes;
  std::vector<Point> nodes; ///< by node
  /// By node, in a machine in tiers; otherwise empty.
  std::vector<Size> sizes;
  /// By link: the corners of its line from beginning to end, in a machine in tiers with both ends.
  /// Empty for straight lines.
  std::vector<std::vector<Point>> bends;
  double endpointSide; ///< endpoints are squares around their positions
  double width = 0, height = 0;
};

enum class Arrangement {
  Placed, ///< by layOut()
  Tiers,  ///< a tree of switches: one row for each tier
  Circle, ///< groups whose members have direct links, such as those of a dragonfly
};

Arrangement arrangementOf(const Machine &machine, const MachineGroups &groups);

/// The column and the row of member \p i of a ring of \p n, at least 4, that is a rectangle about
/// 1.6 times as wide as high.
std::pair<uint32_t, uint32_t> placeOnLoop(uint32_t i, uint32_t n);

/// Places the nodes of a machine with \c Arrangement::Placed.
MachineLayout layOut(const Machine &machine);

/// The positions of the picture of a machine with \c Arrangement::Tiers, in points. Unset if it is
/// too large for a page that also shows other things, or so dense that pictures have hubs.
std::optional<MachineLayout> layOutTiers(const Machine &machine, const MachineGroups &groups);

} // namespace cclc

#endif // CCL_VIEWS_MACHINEVIEW_MACHINELAYOUT_H
