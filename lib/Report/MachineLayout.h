//===- MachineLayout.h - Where to draw the parts of a machine ---*- C++ -*-===//
//
// Machines know what is joined to what and how endpoints are arranged. For a
// drawing every node gets a place: what belongs together by name ("sip0.cube3.")
// stands together in a box, endpoints stand as their geometry says, and what is
// inside a PE stands where the PE does. Links are straight lines unless these lead
// over other nodes or along other links.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_REPORT_MACHINELAYOUT_H
#define CCL_LIB_REPORT_MACHINELAYOUT_H

#include "cclc/Target/Machine.h"

namespace cclc {

struct MachineLayout {
  /// Both directions of a connection have one line; each is drawn this far to its right.
  static constexpr double directionOffset = 0.1;
  /// Of nodes that are no endpoints, where only lines meet.
  static constexpr double pointSide = 0.04;

  struct Point {
    double x, y;
  };
  struct Box {
    std::string name; ///< "sip0", "sip0.cube3", "node1"
    double x, y, width, height;
  };
  /// The outer ones first.
  std::vector<Box> boxes;
  std::vector<Point> nodes; ///< by node
  /// By link: where its line turns, from its beginning to its end. Straight lines turn nowhere.
  std::vector<std::vector<Point>> bends;
  double endpointSide; ///< endpoints are squares around their places
  double width, height;
};

MachineLayout layOut(const Machine &machine);

} // namespace cclc

#endif // CCL_LIB_REPORT_MACHINELAYOUT_H
