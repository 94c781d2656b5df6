//===- Nodes.cpp - Pictures with one node per operation -------------------===//
//
// Writes DOT with positions: clusters of the hierarchy, ranks, lanes and nodes from left to right,
// rows from top to bottom, with box sizes estimated from the text. A picture that is too wide gets
// fewer lanes, with more rows, or is broken into bands of ranks, one below the other. layout=nop
// makes Graphviz keep the positions; above 100 nodes, edges are straight as well (nop2), because
// its routing of splines around nodes takes cubic time, and edges within a lane that skip nodes are
// curved here.
//
//===----------------------------------------------------------------------===//

#include "Arrange.h"
#include "Layout.h"
#include "Style.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace cclc;
using llvm::Twine;

namespace {

/// The nodes that are shown, each in the cluster of its rank, and their edges.
class NodeDrawing {
public:
  NodeDrawing(const DotGraph &graph, const DotSelection &selection,
              ArrayRef<std::optional<uint32_t>> chunks, raw_ostream &os, uint32_t mostLanes)
      : graph(graph), selection(selection), chunks(chunks), os(os),
        hierarchy(hierarchyOf(graph.info)), layout(graph, selection, chunks, mostLanes) {
    size_t lines = 1;
    for (const DotLayout::Place &place : layout.places()) {
      DotNode node = graph.node(place.id);
      legend.border |= !selection.isSelected(place.id);
      legend.fused |= !node.sends.empty();
      phases |= !graph.info.phases[node.phase].name.empty();
      if (chunks[place.id])
        legend.chunks = std::max(legend.chunks.value_or(0), *chunks[place.id] + 1);
      lines = std::max<size_t>(lines, 1 + StringRef(labelOf(place.id)).count('\n'));
    }
    graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge kind) {
      legend.edges[static_cast<size_t>(kind)] |= selection.showsEdge(from, to);
    });
    large = layout.places().size() > 100;
    if (large)
      drawn.resize(graph.size());
    rowHeight = lineHeight * int64_t(lines + legend.fused + phases) + lineHeight / 2 + arrows;
  }

  void draw(StringRef subtitle, int64_t atMost) {
    bandWidth = atMost;
    beginDot(graph, os, subtitle, legend);
    // layout=nop keeps the positions of nodes. Routing splines around nodes takes cubic time.
    os << (large ? "  layout=nop2; splines=line; outputorder=edgesfirst;\n"
                 : "  layout=nop; splines=true;\n");
    ranks();
    edges();
    os << "}\n";
  }

  /// The size of the picture if a band ends with the cluster that reaches \p atMost.
  DotPoint sizeWith(int64_t atMost) {
    bandWidth = atMost;
    ranks();
    return {widest, numBands * heightOfBand()};
  }
  /// The number of bands of the last picture.
  uint32_t bands() const { return numBands; }

private:
  // Sizes in points. The width of text is an estimate, since only Graphviz knows the font.
  static constexpr int64_t letter = 6, lineHeight = 12, margin = 8, header = 20, arrows = 26;

  static int64_t widthOf(StringRef text) {
    size_t letters = 0;
    for (StringRef line : llvm::split(text, "\n"))
      letters = std::max(letters, line.size());
    return letter * int64_t(letters) + 2 * margin;
  }
  int64_t widthOf(uint32_t id) const {
    // The name of the phase has a smaller font.
    StringRef phase = graph.info.phases[graph.node(id).phase].name;
    return std::max(widthOf(labelOf(id)), widthOf(phase) * 2 / 3);
  }
  int64_t height() const { return rowHeight * layout.numRows(); }
  int64_t middleOf(uint32_t row) const {
    return bottom + height() - rowHeight * row - rowHeight / 2;
  }
  int64_t heightOfBand() const {
    int64_t clusters = outerLevels() + insideRank() + 1;
    return height() + (header + margin) * clusters + 2 * arrows;
  }

  std::string labelOf(uint32_t id) const {
    std::string text;
    llvm::raw_string_ostream label(text);
    graph.label(label, id);
    return text;
  }

  // --- Clusters: ranks, their lanes and the outer levels ----------------------------------

  raw_ostream &line() { return os.indent(2 + 2 * lefts.size()); }

  void open(const Twine &id, const std::string &label, StringRef attributes, double lettersScale) {
    line() << "subgraph \"cluster_" << id << "\" {\n";
    lefts.push_back({x, x + int64_t(double(widthOf(label)) * lettersScale)});
    line() << "label=\"" << dotQuoted(label) << "\"; tooltip=\"" << dotQuoted(label) << "\"; "
           << attributes << '\n';
    x += margin;
  }
  /// Closes the cluster, with \p inside levels of nested clusters.
  void close(uint32_t inside) {
    auto [left, least] = lefts.back();
    x = std::max(x, least);
    line() << llvm::formatv("bb=\"{0},{1},{2},{3}\";\n", left, bottom - margin * (inside + 1), x,
                            bottom + height() + header * (inside + 1));
    lefts.pop_back();
    line() << "}\n";
    x += margin;
  }

  /// The member of \p level that contains \p rank, numbered within the level above.
  uint32_t coordinate(RankId rank, size_t level) const {
    uint64_t inside = 1;
    for (size_t inner = level + 1; inner < hierarchy.size(); ++inner)
      inside *= hierarchy[inner].size();
    return rank.index() / inside % hierarchy[level].size();
  }

  size_t outerLevels() const { return hierarchy.empty() ? 0 : hierarchy.size() - 1; }
  uint32_t insideRank() const { return graph.hasColumns() ? 1 : 0; }

  void leaveLevels(size_t left) {
    for (; path.size() > left; path.pop_back())
      close(insideRank() + outerLevels() - path.size() + 1);
  }

  void ranks() {
    x = bottom = widest = 0;
    numBands = 1;
    ArrayRef<DotLayout::Place> places = layout.places();
    for (size_t begin = 0, end; begin < places.size(); begin = end) {
      end = begin + 1;
      while (end < places.size() && places[end].rank == places[begin].rank)
        ++end;
      enterRank(RankId(places[begin].rank));
      rank(places.slice(begin, end - begin));
      widest = std::max(widest, x);
    }
    leaveLevels(0);
    widest = std::max(widest, x);
  }

  /// Opens the clusters of the outer levels that contain \p rank.
  void enterRank(RankId rank) {
    size_t common = 0;
    while (common < path.size() && path[common] == coordinate(rank, common))
      ++common;
    leaveLevels(common);
    if (path.empty() && x >= bandWidth) {
      widest = std::max(widest, x);
      x = 0;
      bottom -= heightOfBand();
      ++numBands;
    }
    for (size_t level = common; level < outerLevels(); ++level) {
      path.push_back(coordinate(rank, level));
      std::string id = "level";
      for (uint32_t member : path)
        id += "_" + std::to_string(member);
      open(id, hierarchy[level].name + " " + std::to_string(path.back()),
           "style=\"rounded,filled\"; color=\"#d0d0d0\"; fillcolor=\"#f4f4f4\"; fontsize=13;", 1.3);
    }
  }

  void rank(ArrayRef<DotLayout::Place> places) {
    RankId rank(places.front().rank);
    std::string label = "rank " + std::to_string(rank.index());
    if (hierarchy.size() > 1)
      label += ", " + hierarchy.back().name + " " +
               std::to_string(coordinate(rank, hierarchy.size() - 1));
    open("r" + Twine(rank.index()), label,
         "style=\"rounded,filled\"; color=\"#808080\"; fillcolor=\"#ffffff\"; fontsize=12;", 1.2);
    for (size_t begin = 0, end; begin < places.size(); begin = end) {
      end = begin + 1;
      while (end < places.size() && places[end].lane == places[begin].lane)
        ++end;
      lane(places.slice(begin, end - begin));
    }
    close(insideRank());
  }

  void lane(ArrayRef<DotLayout::Place> places) {
    std::optional<uint32_t> column = graph.column(places.front().id);
    if (column)
      open("c" + Twine(*column), graph.columnLabel(*column),
           "style=rounded; color=\"#c0c0c0\"; fillcolor=\"#ffffff\"; fontsize=9;", 0.9);
    int64_t width = 0;
    for (const DotLayout::Place &place : places)
      width = std::max(width, widthOf(place.id));
    if (column)
      width = std::max(width, lefts.back().least - x - margin);
    for (const DotLayout::Place &place : places) {
      node(place.id, x + width / 2, middleOf(place.row));
      if (large)
        drawn[place.id] = {x + width / 2, width / 2, middleOf(place.row), place.row};
    }
    x += width + margin;
    if (!column)
      return;
    for (size_t i = 1; i < places.size(); ++i)
      line() << graph.name(places[i - 1].id) << " -> " << graph.name(places[i].id)
             << " [color=\"#b0b0b0\", arrowhead=none, tooltip=\"then\"];\n";
    close(0);
  }

  // --- Nodes and edges -------------------------------------------------------------------

  void node(uint32_t id, int64_t atX, int64_t atY) {
    DotNode node = graph.node(id);
    bool selected = selection.isSelected(id);
    std::string text = dotHtml(labelOf(id)), phase;
    if (const std::string &name = graph.info.phases[node.phase].name;
        !name.empty() && !node.isInitial)
      phase = "<FONT POINT-SIZE=\"7\">" + dotHtml(name) + "</FONT>";
    StringRef fill = chunks[id] ? chunkColor(*chunks[id]) : "#ffffff";

    line() << graph.name(id) << " [pos=\"" << atX << ',' << atY << "\", ";
    if (selected && !node.sends.empty()) {
      os << "shape=plain, label=<<TABLE BORDER=\"2\" STYLE=\"ROUNDED\" COLOR=\"" << dotFusedColor
         << "\" BGCOLOR=\"" << fill
         << "\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\"><TR><TD COLSPAN=\"2\">" << text
         << "</TD></TR><TR>" << half(node.receives, "R") << half(node.sends, "") << "</TR>";
      if (!phase.empty())
        os << "<TR><TD COLSPAN=\"2\" BORDER=\"1\" SIDES=\"T\" COLOR=\"" << dotFusedColor << "\">"
           << phase << "</TD></TR>";
      os << "</TABLE>>";
    } else {
      os << "label=<" << text << (phase.empty() ? "" : "<BR/>") << phase << '>';
      if (selected)
        os << ", fillcolor=\"" << fill << '"' << (node.isInitial ? ", shape=ellipse" : "");
      else
        os << ", " << dotStubAttributes;
    }
    os << ", tooltip=\"" << dotQuoted(sourceOf(node)) << "\"];\n";
  }

  /// One part of a fused instruction, with a line above and on \p side.
  static std::string half(StringRef what, StringRef side) {
    return ("<TD BORDER=\"1\" SIDES=\"T" + side + "\" COLOR=\"" + dotFusedColor +
            "\"><FONT POINT-SIZE=\"8\">" + what + "</FONT></TD>")
        .str();
  }

  std::string sourceOf(const DotNode &node) const {
    return node.isInitial ? "there at the beginning"
                          : sourceLines(graph.info, node.loc, node.sendLoc);
  }

  void edges() {
    graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge kind) {
      if (!selection.showsEdge(from, to))
        return;
      const DotEdgeStyle &style = styleOf(kind);
      DotNode source = graph.node(from), sink = graph.node(to);
      std::string text = style.name.str();
      llvm::raw_string_ostream tip(text);
      if (source.rank != sink.rank)
        tip << " from " << source.rank << " to " << sink.rank;
      tip << '\n'
          << labelOf(from) << " (" << sourceOf(source) << ")\n"
          << labelOf(to) << " (" << sourceOf(sink) << ')';
      os << "  " << graph.name(from) << " -> " << graph.name(to) << " [color=\"" << style.color
         << "\", penwidth=" << style.width << style.attributes;
      if (large && source.rank == sink.rank && drawn[from].x == drawn[to].x &&
          drawn[from].row + 1 < drawn[to].row)
        bow(from, to);
      os << ", tooltip=\"" << dotQuoted(text) << "\"];\n";
    });
  }

  /// An estimate of the height of the box that Graphviz draws.
  int64_t heightOf(uint32_t id) const {
    DotNode node = graph.node(id);
    int64_t lines = 1 + StringRef(labelOf(id)).count('\n');
    bool phase = !graph.info.phases[node.phase].name.empty();
    if (selection.isSelected(id) && !node.sends.empty())
      return 23 + 11 * lines + (phase ? 14 : 0);
    return std::max<int64_t>(22, 6 + 11 * lines + (phase ? 6 : 0));
  }

  /// Draws an edge around the nodes between two nodes of a lane.
  void bow(uint32_t from, uint32_t to) {
    constexpr int64_t besides = 8, arrow = 6, mostRows = 20;
    int64_t side = drawn[from].x + besides, begin = drawn[from].y - heightOf(from) / 2;
    int64_t end = drawn[to].y + heightOf(to) / 2 + 1;
    int64_t rows = std::min<int64_t>(drawn[to].row - drawn[from].row, mostRows);
    int64_t away = drawn[from].x + drawn[from].halfWidth + 4 * rows;
    os << llvm::formatv(", pos=\"e,{0},{1} {0},{2} {3},{4} {3},{5} {0},{6}\"", side, end, begin,
                        away, begin - arrows, end + arrows, end + arrow);
  }

  const DotGraph &graph;
  const DotSelection &selection;
  ArrayRef<std::optional<uint32_t>> chunks;
  raw_ostream &os;
  const std::vector<GridLevel> hierarchy;
  const DotLayout layout;
  DotLegend legend;
  bool phases = false, large = false;
  int64_t rowHeight = 0;

  struct Drawn {
    int64_t x, halfWidth; ///< of its lane
    int64_t y;
    uint32_t row;
  };
  std::vector<Drawn> drawn; ///< by node, in large pictures

  struct Left {
    int64_t left, least; ///< the left border of the cluster, and its minimum right border
  };
  std::vector<Left> lefts;    ///< left borders of the open clusters
  std::vector<uint32_t> path; ///< open members of the outer levels
  int64_t x = 0, bottom = 0;  ///< of what is drawn next, and of its band
  int64_t bandWidth = 0, widest = 0;
  uint32_t numBands = 1;
};

/// A choice of lanes and bands, and the size of its picture.
struct Shape {
  uint32_t mostLanes = 0, bands = 0;
  int64_t bandWidth = 0;
  DotPoint size = {};
};
} // namespace

/// The first shape that fits, with few bands and many lanes, or the one whose longer side is least.
static Shape shapeOf(const DotGraph &graph, const DotSelection &selection,
                     ArrayRef<std::optional<uint32_t>> chunks, const DotOptions &options) {
  constexpr uint32_t mostBands = 6;
  constexpr int64_t endless = std::numeric_limits<int64_t>::max();
  constexpr uint32_t lanesToTry[] = {std::numeric_limits<uint32_t>::max(), 8, 4, 2, 1};
  std::vector<NodeDrawing> drawings;
  for (uint32_t lanes : ArrayRef(lanesToTry).take_front(graph.hasColumns() ? 1 : 5))
    drawings.emplace_back(graph, selection, chunks, llvm::nulls(), lanes);
  std::vector<int64_t> wholes;
  Shape best;
  for (uint32_t bands = 1; bands <= mostBands; ++bands)
    for (size_t i = 0; i < drawings.size(); ++i) {
      int64_t atMost = bands == 1 ? endless : (wholes[i] + bands - 1) / bands;
      DotPoint size = drawings[i].sizeWith(atMost);
      if (bands == 1)
        wholes.push_back(size.x);
      Shape shape = {lanesToTry[i], drawings[i].bands(), atMost, size};
      if (options.fits(size.x, size.y))
        return shape;
      if (best.bands == 0 || std::max(size.x, size.y) < std::max(best.size.x, best.size.y))
        best = shape;
    }
  return best;
}

bool cclc::drawNodes(const DotGraph &graph, const DotSelection &selection,
                     ArrayRef<std::optional<uint32_t>> chunks, raw_ostream &os, StringRef subtitle,
                     const DotOptions &options) {
  constexpr uint64_t smallestNode = 40 * 40;
  bool mayFold = options.fold == DotFold::Auto;
  if (mayFold && selection.selected * smallestNode > uint64_t(options.most) * options.most)
    return false;
  Shape shape = shapeOf(graph, selection, chunks, options);
  if (mayFold && !options.fits(shape.size.x, shape.size.y))
    return false;
  std::string bands;
  if (shape.bands > 1)
    bands =
        llvm::formatv("<BR/>ranks in {0} bands, in each of which time runs downwards", shape.bands);
  NodeDrawing(graph, selection, chunks, os, shape.mostLanes)
      .draw((subtitle + bands).str(), shape.bandWidth);
  return true;
}
