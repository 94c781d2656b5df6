//===- MachineDot.cpp - Machines as graphs for graphviz -------------------===//
//
// The picture of MachinePicture.h with all its positions, which the layout `nop2` of graphviz
// keeps. Positions are points from the lower left corner. A line is a spline whose pieces are
// straight.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineDot.h"

#include "MachinePicture.h"
#include "cclc/Support/DotText.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
using Point = MachinePicture::Point;
using Box = MachinePicture::Box;
using Edge = MachinePicture::Edge;

constexpr const char *colors[] = {"#1f77b4", "#2ca02c", "#9467bd", "#8c564b",
                                  "#17becf", "#e377c2", "#7f7f7f", "#bcbd22"};
constexpr const char *missingColor = "#d62728", *slowColor = "#ff7f0e";

std::string dotString(StringRef text) { return '"' + dotQuoted(text) + '"'; }

class DotWriter {
public:
  DotWriter(const Machine &machine, const MachineGroups &groups, const MachinePicture &picture,
            raw_ostream &os)
      : machine(machine), groups(groups), picture(picture), os(os) {
    for (const Edge &edge : picture.edges)
      if (edge.there + edge.back > 0 || edge.isHub)
        kinds.try_emplace(edge.kind, colors[kinds.size() % std::size(colors)]);
    for (const MachinePicture::Frame &frame : picture.frames)
      frames[frame.group] = frame.at;
  }

  void write() {
    std::vector<std::string> lines = titleLines();
    const double titleHeight = 20 + 13 * double(lines.size() - 1);
    const double height = picture.height + titleHeight;
    os << "digraph " << dotString(machine.name) << " {\n"
       << formatv("  graph [layout=nop2, bb=\"0,0,{0},{1}\", fontname=\"Helvetica\", label=<{2}>, "
                  "lp=\"{3},{4}\"];\n",
                  number(picture.width), number(height), llvm::join(lines, "<br/>"),
                  number(picture.width / 2), number(height - titleHeight / 2))
       << "  node [shape=box, style=filled, fillcolor=\"#f4f4f4\", fontname=\"Helvetica\", "
          "fontsize=10, fixedsize=true];\n"
       << "  edge [arrowsize=0.4];\n";
    writeFrame({}, 1);
    for (const Edge &edge : picture.edges)
      writeEdge(edge);
    os << "}\n";
  }

private:
  static std::string number(double value) {
    std::string text = formatv("{0:F1}", value);
    StringRef(text).ends_with(".0") ? text.resize(text.size() - 2) : void();
    return text == "-0" ? "0" : text;
  }
  std::string pointText(Point at) const {
    return number(at.x) + "," + number(picture.height - at.y);
  }

  /// The name of the machine and the legend, as HTML.
  std::vector<std::string> titleLines() const {
    std::vector<std::string> lines = {dotHtml(machine.name) + ": " +
                                      counted(machine.numEndpoints(), "endpoint")};
    auto add = [&](const char *color, StringRef text) {
      lines.push_back(formatv("<font color=\"{0}\" point-size=\"10\">{1}</font>", color, text));
    };
    if (kinds.size() <= std::size(colors))
      for (const auto &[kind, color] : kinds)
        add(color, kind);
    if (hasMark(LinkMark::Slow))
      add(slowColor, "slower than other links of this kind");
    if (hasMark(LinkMark::Missing))
      add(missingColor, "missing links");
    return lines;
  }

  bool hasMark(LinkMark mark) const {
    auto isMarked = [mark](const auto &part) { return part.mark == mark; };
    return llvm::any_of(picture.edges, isMarked) || llvm::any_of(picture.boxes, isMarked);
  }

  /// Writes the boxes and frames inside the frame of \p group; unset: the picture.
  void writeFrame(OptionalIndex group, unsigned depth) {
    const std::string indent(size_t(2) * depth, ' ');
    for (const auto &[inner, at] : frames)
      if (outerFrame(groups.groups[inner].parent) == group) {
        os << indent << "subgraph cluster" << inner << " {\n";
        const std::string &name = groups.groups[inner].name;
        double half = double(name.size()) * 3.2;
        os << formatv("{0}  label={1}; fontsize=11; color=\"#999999\"; bb=\"{2},{3}\"; "
                      "lp=\"{4}\"; lwidth=\"{5:F2}\"; lheight=\"0.2\";\n",
                      indent, dotString(name), pointText({at.x, at.bottom()}),
                      pointText({at.right(), at.y}), pointText({at.x + 8 + half, at.y + 11}),
                      2 * half / 72);
        writeFrame(inner, depth + 1);
        os << indent << "}\n";
      }
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (outerFrame(picture.boxes[b].around) == group)
        writeBox(b, indent);
  }

  /// The smallest group with a frame from \p group outwards.
  OptionalIndex outerFrame(OptionalIndex group) const {
    while (group && !frames.count(*group))
      group = groups.groups[*group].parent;
    return group;
  }

  void writeBox(uint32_t b, StringRef indent) {
    const Box &box = picture.boxes[b];
    std::string text = dotQuoted(box.name);
    if (!box.detail.empty())
      text += "\\n" + dotQuoted(box.detail);
    os << formatv("{0}n{1} [label=\"{2}\", pos=\"{3}\", width={4:F2}, height={5:F2}", indent, b,
                  text, pointText(box.at.centre()), box.at.width / 72, box.at.height / 72);
    if (picture.isFolded && !box.isHub)
      os << ", tooltip="
         << dotString(counted(box.endpoints, "endpoint") + ", " + counted(box.nodes, "node"));
    if (box.isHub)
      os << ", style=\"rounded,filled\", fillcolor=white";
    else if (box.endpoints > 0)
      os << ", fillcolor=\"#cfe2f3\"";
    if (box.mark != LinkMark::None)
      os << ", penwidth=2, color=\"" << (box.mark == LinkMark::Slow ? slowColor : missingColor)
         << '"';
    os << "];\n";
  }

  void writeEdge(const Edge &edge) {
    const bool isThere = edge.there > 0, isBack = edge.back > 0;
    const char *arrows = isThere && isBack ? "both"
                         : isThere         ? "forward"
                         : isBack          ? "back"
                                           : "none";
    const char *color = edge.mark == LinkMark::Slow      ? slowColor
                        : edge.mark == LinkMark::Missing ? missingColor
                                                         : kinds.at(edge.kind);
    os << formatv("  n{0} -> n{1} [dir={2}, color=\"{3}\"", edge.from, edge.to, arrows, color);
    if (edge.isHub || (!isThere && !isBack))
      os << ", style=dashed";
    if (edge.mark != LinkMark::None)
      os << ", penwidth=2";
    if (!edge.isHub) {
      std::string text = edge.kind;
      if (edge.missing > 0 && (isThere || isBack))
        text += formatv(", {0} missing", edge.missing);
      os << ", tooltip=" << dotString(text);
    }
    os << ", pos=\"" << splineText(edge.points, isThere, isBack) << "\"];\n";
  }

  /// The corners of a line, each of which is three control points. Arrowheads end at boxes.
  std::string splineText(std::vector<Point> line, bool atEnd, bool atStart) const {
    std::string text;
    if (atStart)
      text += "s," + pointText(shorten(line.front(), line[1])) + " ";
    if (atEnd)
      text += "e," + pointText(shorten(line.back(), line[line.size() - 2])) + " ";
    text += pointText(line.front());
    for (size_t i = 0; i + 1 < line.size(); ++i)
      text +=
          " " + pointText(line[i]) + " " + pointText(line[i + 1]) + " " + pointText(line[i + 1]);
    return text;
  }

  /// Moves the end of a line towards the next corner by the length of an arrowhead. Returns the
  /// previous end.
  static Point shorten(Point &end, Point next) {
    Point before = end;
    double length = std::hypot(next.x - end.x, next.y - end.y), part = std::min(4 / length, 0.5);
    if (length > 0)
      end = {end.x + (next.x - end.x) * part, end.y + (next.y - end.y) * part};
    return before;
  }

  const Machine &machine;
  const MachineGroups &groups;
  const MachinePicture &picture;
  raw_ostream &os;
  std::map<std::string, const char *> kinds; ///< the colour of each kind of edge
  std::map<uint32_t, MachinePicture::Rect> frames;
};
} // namespace

void cclc::writeDot(const Machine &machine, raw_ostream &os, uint32_t limit) {
  MachineGroups groups = findGroups(machine);
  DotWriter(machine, groups, drawMachine(machine, groups, limit), os).write();
}
