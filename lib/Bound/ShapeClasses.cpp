//===- ShapeClasses.cpp - Searches renumberings by refinement -------------===//
//
// The nodes of both graphs are divided into cells: at first by label, then by the labels of their
// arcs to the nodes of a cell, until no cell divides another (partition refinement: McKay and
// Piperno, Practical graph isomorphism II, J. Symb. Comput. 60, 2014). A cell that has more nodes
// of one graph than of the other shows that there is no renumbering. Where cells remain, one node
// of each graph is selected to be mapped, and the refinement goes on. In the end the renumbering is
// applied to all arcs.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/ShapeClasses.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;

namespace {
/// The labels of the arcs of a node, with their direction, and the nodes at their other ends.
using Arcs = std::vector<std::pair<uint32_t, uint32_t>>;

/// The cells of the nodes of two graphs of equal size; those of the second follow.
class Cells {
public:
  Cells(const LabelledGraph &a, const LabelledGraph &b) : size(a.labels.size()) {
    auto arcs = std::make_shared<std::vector<Arcs>>(2 * size);
    cellOf.resize(size_t(2) * size);
    for (const LabelledGraph *graph : {&a, &b}) {
      uint32_t offset = graph == &a ? 0 : size;
      for (const LabelledGraph::Arc &arc : graph->arcs) {
        (*arcs)[offset + arc.from].emplace_back(2 * arc.label, offset + arc.to);
        (*arcs)[offset + arc.to].emplace_back(2 * arc.label + 1, offset + arc.from);
      }
    }
    next = std::move(arcs);
    std::map<uint32_t, std::vector<uint32_t>> byLabel;
    for (uint32_t node = 0; node < size; ++node)
      byLabel[a.labels[node]].push_back(node);
    for (uint32_t node = 0; node < size; ++node)
      byLabel[b.labels[node]].push_back(size + node);
    for (auto &[label, nodes] : byLabel)
      add(std::move(nodes));
  }

  /// Divides cells until they are stable. False if a cell has more nodes of one graph.
  bool refine() {
    while (!pending.empty() && balanced) {
      uint32_t cell = pending.back();
      pending.pop_back();
      isPending[cell] = false;
      divideBy(cells[cell]);
    }
    return balanced;
  }

  /// A cell with several nodes of each graph; unset if there is none.
  std::optional<uint32_t> openCell() const {
    for (uint32_t cell = 0; cell < cells.size(); ++cell)
      if (cells[cell].size() > 2)
        return cell;
    return std::nullopt;
  }
  ArrayRef<uint32_t> nodes(uint32_t cell) const { return cells[cell]; }

  /// Maps node \p a to \p b, both of \p cell.
  void select(uint32_t cell, uint32_t a, uint32_t b) {
    llvm::erase_if(cells[cell], [&](uint32_t node) { return node == a || node == b; });
    add({a, b});
  }

  /// Whether the renumbering of cells with one node of each graph maps the arcs of \p a to those of
  /// \p b.
  bool maps(const LabelledGraph &a, const LabelledGraph &b) const {
    std::vector<uint32_t> image(size);
    for (const std::vector<uint32_t> &cell : cells) {
      auto [first, second] = std::minmax(cell[0], cell[1]);
      if (a.labels[first] != b.labels[second - size])
        return false;
      image[first] = second - size;
    }
    std::vector<LabelledGraph::Arc> mapped = a.arcs, expected = b.arcs;
    for (LabelledGraph::Arc &arc : mapped)
      arc = {image[arc.from], image[arc.to], arc.label};
    llvm::sort(mapped);
    llvm::sort(expected);
    return mapped == expected;
  }

private:
  /// Whether half of \p nodes are of each graph.
  bool isBalanced(ArrayRef<uint32_t> nodes) const {
    size_t ofFirst = llvm::count_if(nodes, [&](uint32_t n) { return n < size; });
    return 2 * ofFirst == nodes.size();
  }

  void add(std::vector<uint32_t> nodes) {
    balanced &= isBalanced(nodes);
    for (uint32_t node : nodes)
      cellOf[node] = cells.size();
    pending.push_back(cells.size());
    isPending.push_back(true);
    cells.push_back(std::move(nodes));
  }

  /// Divides all cells by the labels of arcs to \p splitter, which may be one of them.
  void divideBy(const std::vector<uint32_t> &splitter) {
    std::map<uint32_t, std::vector<uint32_t>> arcsOf; // by node
    for (uint32_t node : splitter)
      for (auto [label, other] : (*next)[node])
        arcsOf[other].push_back(label);
    std::map<uint32_t, std::map<std::vector<uint32_t>, std::vector<uint32_t>>> parts; // by cell
    for (auto &[node, labels] : arcsOf) {
      llvm::sort(labels);
      parts[cellOf[node]][std::move(labels)].push_back(node);
    }
    for (auto &[cell, byLabels] : parts)
      divide(cell, byLabels);
  }

  /// Nodes of the cell without arcs to the splitter remain in it.
  void divide(uint32_t cell, std::map<std::vector<uint32_t>, std::vector<uint32_t>> &byLabels) {
    size_t reached = 0;
    for (const auto &[labels, nodes] : byLabels)
      reached += nodes.size();
    bool allReached = reached == cells[cell].size();
    if (allReached && byLabels.size() == 1)
      return;
    if (allReached)
      byLabels.erase(byLabels.begin()); // the first part keeps the cell
    for (const auto &[labels, nodes] : byLabels)
      for (uint32_t node : nodes)
        cellOf[node] = ~uint32_t(0);
    llvm::erase_if(cells[cell], [&](uint32_t node) { return cellOf[node] != cell; });
    size_t largest = 0;
    for (auto &[labels, nodes] : byLabels) {
      largest = std::max(largest, nodes.size());
      add(std::move(nodes));
    }
    // What the largest part divides, the others and the whole cell divide as well.
    if (!isPending[cell] && cells[cell].size() < largest) {
      isPending[cell] = true;
      pending.push_back(cell);
    }
    balanced &= isBalanced(cells[cell]);
  }

  uint32_t size;
  std::shared_ptr<const std::vector<Arcs>> next; ///< by node; copies of the cells share them
  std::vector<uint32_t> cellOf;
  std::vector<std::vector<uint32_t>> cells;
  std::vector<uint32_t> pending;
  std::vector<bool> isPending;
  bool balanced = true;
};
} // namespace

bool cclc::hasRenumbering(const LabelledGraph &a, const LabelledGraph &b) {
  if (a.labels.size() != b.labels.size() || a.arcs.size() != b.arcs.size())
    return false;
  Cells cells(a, b);
  if (!cells.refine())
    return false;
  while (std::optional<uint32_t> open = cells.openCell()) {
    std::vector<uint32_t> nodes(cells.nodes(*open));
    uint32_t first = *llvm::min_element(nodes);
    bool found = false;
    for (uint32_t node : nodes) {
      if (node < a.labels.size())
        continue;
      Cells tried = cells;
      tried.select(*open, first, node);
      found = tried.refine();
      if (found) {
        cells = std::move(tried);
        break;
      }
    }
    if (!found)
      return false;
  }
  return cells.maps(a, b);
}

uint32_t ShapeClasses::numberOf(std::vector<uint64_t> label) {
  return numbers.try_emplace(std::move(label), numbers.size()).first->second;
}

namespace {
/// The kinds of labels.
enum LabelKind : uint64_t { OfNode, OfArc, OfGroup, OfMember, OfNeighbour };
} // namespace

LabelledGraph ShapeClasses::shapeOf(const Machine &machine, ArrayRef<EndpointId> endpoints,
                                    const FlowGraph &graph, const Collective &collective) {
  LabelledGraph shape;
  const bool isRooted = collective.isRooted();
  for (uint32_t node = 0; node < graph.numNodes(); ++node) {
    const Node &of = machine.nodes()[graph.machineNode(node).index()];
    bool isRoot = isRooted && node == collective.root().index();
    shape.labels.push_back(numberOf(
        {OfNode, graph.isRank(node), isRoot, uint64_t(of.overhead.picoseconds()), of.reassembles}));
  }
  for (const FlowArc &arc : graph.arcs()) {
    std::vector<std::pair<uint64_t, uint64_t>> links;
    for (LinkId id : arc.links)
      links.emplace_back(machine.link(id).bandwidth.bytesPerSecond(),
                         machine.link(id).propagation.picoseconds());
    llvm::sort(links);
    std::vector<uint64_t> label{OfArc};
    for (auto [rate, propagation] : links)
      label.insert(label.end(), {rate, propagation});
    shape.arcs.push_back({arc.from, arc.to, numberOf(std::move(label))});
  }
  // The members of levels, with whose cuts bounds are computed.
  uint64_t below = machine.numEndpoints(), level = 0;
  for (const GridLevel &grid : machine.geometry().levels) {
    below /= grid.size();
    ++level;
    std::map<uint64_t, uint32_t> groups;
    for (uint32_t rank = 0; below > 1 && rank < endpoints.size(); ++rank) {
      auto [at, isNew] = groups.try_emplace(endpoints[rank].index() / below, shape.labels.size());
      if (isNew)
        shape.labels.push_back(numberOf({OfGroup, level}));
      shape.arcs.push_back({rank, at->second, numberOf({OfMember, level})});
    }
  }
  // Ranks of these collectives have different peers, or different sums.
  if (collective.kind() == CollectiveKind::SendRecv ||
      collective.kind() == CollectiveKind::AllToNext || isScan(collective.kind()))
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank)
      if (rank + 1 < graph.numRanks() || collective.kind() == CollectiveKind::SendRecv)
        shape.arcs.push_back({rank, (rank + 1) % graph.numRanks(), numberOf({OfNeighbour})});
  return shape;
}

uint32_t ShapeClasses::classOf(const Machine &machine, ArrayRef<EndpointId> endpoints,
                               const FlowGraph &graph, const Collective &collective) {
  LabelledGraph shape = shapeOf(machine, endpoints, graph, collective);
  // The sorted labels of the nodes with those of their arcs.
  std::vector<std::vector<uint64_t>> around(shape.labels.size());
  for (const LabelledGraph::Arc &arc : shape.arcs) {
    around[arc.from].push_back(2 * uint64_t(arc.label));
    around[arc.to].push_back(2 * uint64_t(arc.label) + 1);
  }
  for (auto [label, arcs] : llvm::zip(shape.labels, around)) {
    llvm::sort(arcs);
    arcs.push_back(label);
  }
  llvm::sort(around);
  std::vector<uint64_t> kept{graph.isRouted(), graph.numRanks()};
  for (const std::vector<uint64_t> &arcs : around) {
    kept.push_back(arcs.size());
    kept.insert(kept.end(), arcs.begin(), arcs.end());
  }
  auto &known = firsts[std::move(kept)];
  for (const auto &[first, number] : known)
    if (hasRenumbering(first, shape))
      return number;
  known.emplace_back(std::move(shape), classes);
  return classes++;
}
