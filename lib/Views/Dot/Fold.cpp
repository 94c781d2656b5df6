//===- Fold.cpp - Quotient graphs -----------------------------------------===//
//
// The folded picture is the quotient of the graph by rank, group of ranks, phase or both: a
// class of nodes becomes one node, with counts of its operations and chunks, and the edges
// of one kind between two classes become one edge with their number. Groups are the members
// of the outer levels of the hierarchy, down to at most 32, or fewer if these have too many edges.
//
// --dump-fold=auto uses the finest of rank and phase, rank, group and phase, group that has at most
// 72 nodes and 360 edges and whose picture fits, and otherwise one node per phase; folding by phase
// requires two phases. Linear in nodes and edges, plus a sort of the classes.
//
//===----------------------------------------------------------------------===//

#include "Arrange.h"
#include "Style.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace cclc;
using llvm::formatv;

namespace {

/// A folded graph. A column is a rank, a group of ranks or all ranks.
class Folded {
public:
  Folded(const DotGraph &graph, const DotSelection &selection, DotFold fold,
         uint32_t mostGroups = 32)
      : graph(graph), selection(selection), fold(fold) {
    bool byRank = fold == DotFold::Rank || fold == DotFold::RankPhase;
    byPhase = fold != DotFold::Rank && fold != DotFold::Group;
    if (byRank)
      columnsAreRanks();
    else if (fold == DotFold::Group || fold == DotFold::GroupPhase)
      columnsAreGroups(mostGroups);
    else
      ranksPerColumn = graph.info.ranks();
    collect();
  }

  /// Whether the picture is small enough to be legible.
  bool isReadable(const DotOptions &options) const;
  uint32_t numPhases() const { return usedPhases; }
  void draw(raw_ostream &os, StringRef subtitle) const;

private:
  struct Group {
    uint32_t column, phase;
    uint64_t operations = 0, chunks = 0;
    bool selected = false;
    std::vector<std::pair<StringRef, uint64_t>> kinds = {};
    std::array<uint64_t, numDotEdges> inside = {};
  };
  struct Edge {
    uint32_t from, to;
    DotEdge kind;
    uint64_t count = 0, chunks = 0;
  };

  void columnsAreRanks();
  void columnsAreGroups(uint32_t most);
  void collect();
  uint32_t columnOf(RankId rank) const { return rank.index() / ranksPerColumn; }
  uint32_t numColumns() const { return (graph.info.ranks() + ranksPerColumn - 1) / ranksPerColumn; }
  /// The position in the hierarchy, if the column is a group of ranks, and the name of the ranks.
  std::pair<std::string, std::string> columnName(uint32_t column) const;
  std::vector<std::string> linesOf(const Group &group) const;
  DotPoint roomOfNode() const;
  std::vector<DotPoint> places() const;
  std::string groupName(const Group &group) const;
  void beginMember(raw_ostream &os, uint32_t member, ArrayRef<DotPoint> places) const;
  void node(raw_ostream &os, uint32_t id, DotPoint at) const;
  void edge(raw_ostream &os, const Edge &edge) const;
  std::string foldText() const;

  const DotGraph &graph;
  const DotSelection &selection;
  DotFold fold;
  bool byPhase;
  uint32_t ranksPerColumn = 1;
  std::vector<GridLevel> levels; ///< the levels whose members are the columns
  uint32_t usedPhases = 0;
  std::vector<Group> groups; ///< by column and phase
  std::vector<Edge> edges;   ///< by kind and ends
};

GridLevel flatLevel(const char *name, uint32_t size) { return {name, GridKind::Flat, size, 1}; }

void Folded::columnsAreRanks() {
  levels = hierarchyOf(graph.info);
  if (levels.empty())
    levels = {flatLevel("rank", graph.info.ranks())};
}

void Folded::columnsAreGroups(uint32_t most) {
  uint32_t ranks = graph.info.ranks();
  ranksPerColumn = ranks;
  for (const GridLevel &level : hierarchyOf(graph.info)) {
    uint32_t inside = ranksPerColumn / level.size();
    if (inside == 1 || ranks / inside > most)
      break;
    ranksPerColumn = inside;
    levels.push_back(level);
  }
  if (levels.empty()) {
    ranksPerColumn = (ranks + most - 1) / most;
    levels = {flatLevel("", numColumns())};
  }
}

void Folded::collect() {
  llvm::DenseMap<uint64_t, uint32_t> number;
  std::vector<OptionalIndex> groupOf(graph.size());
  for (uint32_t id = 0; id < graph.size(); ++id) {
    DotNode node = graph.node(id);
    if (!selection.shows(id) || node.isInitial)
      continue;
    uint32_t column = columnOf(node.rank), phase = byPhase ? node.phase : 0;
    auto [it, isNew] = number.try_emplace(uint64_t(column) << 32 | phase, groups.size());
    if (isNew)
      groups.push_back({column, phase});
    groupOf[id] = it->second;
    Group &group = groups[it->second];
    ++group.operations;
    group.chunks += node.count;
    group.selected |= selection.isSelected(id);
    auto kind = llvm::find_if(group.kinds, [&](auto &entry) { return entry.first == node.kind; });
    if (kind == group.kinds.end())
      group.kinds.push_back({node.kind, 1});
    else
      ++kind->second;
  }
  // Sort groups by column and phase.
  std::vector<uint32_t> order(groups.size()), rankOf(groups.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(groups[a].column, groups[a].phase) <
           std::pair(groups[b].column, groups[b].phase);
  });
  std::vector<Group> sorted;
  std::vector<bool> used(graph.info.phases.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    rankOf[order[i]] = i;
    sorted.push_back(std::move(groups[order[i]]));
    used[sorted.back().phase] = true;
    std::sort(sorted.back().kinds.begin(), sorted.back().kinds.end(), [](auto &a, auto &b) {
      return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
  }
  groups = std::move(sorted);
  usedPhases = std::count(used.begin(), used.end(), true);

  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> edgeNumber;
  graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge kind) {
    if (!selection.showsEdge(from, to) || !groupOf[from])
      return;
    uint32_t a = rankOf[*groupOf[from]], b = rankOf[*groupOf[to]];
    if (a == b) {
      ++groups[a].inside[static_cast<size_t>(kind)];
      return;
    }
    auto [it, isNew] =
        edgeNumber.try_emplace({uint64_t(a) << 32 | b, static_cast<uint32_t>(kind)}, edges.size());
    if (isNew)
      edges.push_back({a, b, kind});
    ++edges[it->second].count;
    edges[it->second].chunks += graph.node(to).count;
  });
  std::sort(edges.begin(), edges.end(), [](const Edge &a, const Edge &b) {
    return std::tuple(a.kind, a.from, a.to) < std::tuple(b.kind, b.from, b.to);
  });
}

std::pair<std::string, std::string> Folded::columnName(uint32_t column) const {
  uint32_t first = column * ranksPerColumn;
  uint32_t last = std::min(first + ranksPerColumn, graph.info.ranks()) - 1;
  if (first == last)
    return {"", "rank " + std::to_string(first)};
  std::string outer;
  uint64_t inside = numColumns();
  for (const GridLevel &level : levels) {
    inside /= level.size();
    if (!level.name.empty())
      outer += (outer.empty() ? "" : ", ") + level.name + " " +
               std::to_string(column / inside % level.size());
  }
  return {outer, formatv("ranks {0}-{1}", first, last)};
}

std::string Folded::groupName(const Group &group) const {
  auto [outer, ranks] = columnName(group.column);
  const std::string &phase = graph.info.phases[group.phase].name;
  return (outer.empty() ? "" : outer + ", ") + ranks +
         (byPhase && !phase.empty() ? ", " + phase : "");
}

std::string Folded::foldText() const {
  StringRef unit = fold == DotFold::RankPhase    ? "rank in a phase"
                   : fold == DotFold::Rank       ? "rank"
                   : fold == DotFold::GroupPhase ? "group of ranks in a phase"
                   : fold == DotFold::Group      ? "group of ranks"
                                                 : "phase";
  return formatv(
      "<B>folded</B>: a node is a {0}, the number at an edge its multiplicity; --dump-fold=none "
      "draws every node, --dump-rank, --dump-phase and --dump-chunk draw a part",
      unit);
}

/// Begins the cluster of a member of the outermost level, whose nodes have the positions \p places.
void Folded::beginMember(raw_ostream &os, uint32_t member, ArrayRef<DotPoint> places) const {
  auto [left, right] = std::minmax_element(places.begin(), places.end(),
                                           [](DotPoint a, DotPoint b) { return a.x < b.x; });
  auto [bottom, top] = std::minmax_element(places.begin(), places.end(),
                                           [](DotPoint a, DotPoint b) { return a.y < b.y; });
  DotPoint room = roomOfNode();
  int64_t besides = room.x / 2, above = room.y / 2 + 20;
  std::string name = dotQuoted(levels.front().name) + " " + std::to_string(member);
  os << "  subgraph \"cluster_level_" << member << "\" {\n    label=\"" << name << "\"; tooltip=\""
     << name << "\"; style=\"rounded,filled\"; color=\"#d0d0d0\"; fillcolor=\"#f4f4f4\"; "
     << formatv("bb=\"{0},{1},{2},{3}\";\n", left->x - besides, bottom->y - above,
                right->x + besides, top->y + above);
}

/// The text of a node; the first line is its name.
std::vector<std::string> Folded::linesOf(const Group &group) const {
  std::vector<std::string> lines;
  auto [outer, ranks] = columnName(group.column);
  if (!outer.empty())
    lines.push_back(outer);
  lines.push_back(ranks);
  const std::string &phase = graph.info.phases[group.phase].name;
  if (byPhase && !phase.empty())
    lines.push_back(phase);
  constexpr size_t kindsPerLine = 3;
  for (size_t k = 0; k < group.kinds.size(); ++k) {
    std::string text = (group.kinds[k].first + " " + llvm::Twine(group.kinds[k].second)).str();
    if (k % kindsPerLine == 0)
      lines.push_back(text);
    else
      lines.back() += ", " + text;
  }
  lines.push_back(std::to_string(group.chunks) + (group.chunks == 1 ? " chunk" : " chunks"));
  if (uint64_t messages = group.inside[static_cast<size_t>(DotEdge::Message)])
    lines.push_back(std::to_string(messages) + " messages inside");
  return lines;
}

/// The space for a node, including the gap to the next. The width of text is estimated.
DotPoint Folded::roomOfNode() const {
  constexpr int64_t letter = 6, lineHeight = 12, besides = 70, between = 45;
  size_t letters = 0, lines = 0;
  for (const Group &group : groups) {
    std::vector<std::string> text = linesOf(group);
    lines = std::max(lines, text.size());
    for (const std::string &line : text)
      letters = std::max(letters, line.size());
  }
  return {letter * int64_t(letters) + besides, lineHeight * int64_t(lines) + between};
}

/// The positions of all columns, by phase if phases are folded as well.
std::vector<DotPoint> Folded::places() const {
  return byPhase ? arrangeTable(numColumns(), graph.info.phases.size(), roomOfNode())
                 : arrange(levels, roomOfNode());
}

bool Folded::isReadable(const DotOptions &options) const {
  if (groups.size() > 72 || edges.size() > 360)
    return false;
  DotPoint low{}, high{}, room = roomOfNode();
  for (DotPoint at : places()) {
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  return options.fits(high.x - low.x + room.x, high.y - low.y + room.y);
}

void Folded::node(raw_ostream &os, uint32_t id, DotPoint at) const {
  const Group &group = groups[id];
  std::vector<std::string> lines = linesOf(group);
  os << "  g" << id << " [pos=\"" << at.x << ',' << at.y << "\", label=<<B>" << dotHtml(lines[0])
     << "</B>";
  for (const std::string &line : ArrayRef(lines).drop_front())
    os << "<BR/>" << dotHtml(line);
  os << ">, tooltip=\"" << dotQuoted(groupName(group)) << ": " << group.operations << ' '
     << graph.nodesAre();
  for (unsigned k = 0; k < numDotEdges; ++k)
    if (group.inside[k])
      os << "\\n" << styleOf(static_cast<DotEdge>(k)).name << " inside: " << group.inside[k];
  os << '"';
  if (!group.selected)
    os << ", " << dotStubAttributes;
  os << "];\n";
}

void Folded::edge(raw_ostream &os, const Edge &edge) const {
  const DotEdgeStyle &style = styleOf(edge.kind);
  os << "  g" << edge.from << " -> g" << edge.to << " [color=\"" << style.color
     << "\", penwidth=" << formatv("{0:F1}", 1 + 0.4 * (std::bit_width(edge.count) - 1))
     << style.attributes << ", label=\"" << edge.count << "\", fontcolor=\"" << style.color
     << "\", tooltip=\"" << dotQuoted(groupName(groups[edge.from])) << " to "
     << dotQuoted(groupName(groups[edge.to])) << "\\n"
     << style.name << ": " << edge.count;
  if (edge.kind == DotEdge::Message)
    os << ", " << edge.chunks << (edge.chunks == 1 ? " chunk" : " chunks");
  os << "\"];\n";
}

void Folded::draw(raw_ostream &os, StringRef subtitle) const {
  DotLegend legend;
  legend.border = llvm::any_of(groups, [](const Group &group) { return !group.selected; });
  for (const Edge &one : edges)
    legend.edges[static_cast<size_t>(one.kind)] = true;
  beginDot(graph, os, (subtitle + "<BR/>" + foldText()).str(), legend);
  // layout=nop keeps the positions of nodes.
  os << "  layout=nop; splines=" << (edges.size() <= 150 ? "true" : "line")
     << "; outputorder=edgesfirst;\n";
  std::vector<DotPoint> at = places();
  std::optional<uint32_t> open; // the current member of the outermost level
  for (uint32_t id = 0; id < groups.size(); ++id) {
    if (!byPhase && levels.size() > 1) {
      uint32_t members = numColumns() / levels.front().size();
      uint32_t member = groups[id].column / members;
      if (open != member) {
        os << (open ? "  }\n" : "");
        beginMember(os, member, ArrayRef(at).slice(size_t(member) * members, members));
        open = member;
      }
    }
    node(os, id,
         at[byPhase ? groups[id].phase * size_t(numColumns()) + groups[id].column
                    : groups[id].column]);
  }
  os << (open ? "  }\n" : "");
  for (const Edge &one : edges)
    edge(os, one);
  os << "}\n";
}
} // namespace

void cclc::drawFolded(const DotGraph &graph, const DotSelection &selection, raw_ostream &os,
                      StringRef subtitle, const DotOptions &options) {
  if (options.fold != DotFold::Auto)
    return Folded(graph, selection, options.fold).draw(os, subtitle);
  auto drawIfReadable = [&](const Folded &folded, bool byPhase) {
    bool readable = (!byPhase || folded.numPhases() > 1) && folded.isReadable(options);
    if (readable)
      folded.draw(os, subtitle);
    return readable;
  };
  for (DotFold candidate : {DotFold::RankPhase, DotFold::Rank})
    if (drawIfReadable({graph, selection, candidate}, candidate == DotFold::RankPhase))
      return;
  for (uint32_t groups = 32; groups > 1; groups /= 2)
    for (DotFold candidate : {DotFold::GroupPhase, DotFold::Group})
      if (drawIfReadable({graph, selection, candidate, groups}, candidate == DotFold::GroupPhase))
        return;
  Folded(graph, selection, DotFold::Phase).draw(os, subtitle);
}
