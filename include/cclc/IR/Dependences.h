//===- Dependences.h - Exact dependences over cells -------------*- C++ -*-===//
//
// Nodes access ranges of cells in program order. Their dependences are those of each cell, and so
// are exact for overlapping ranges and aliased buffers:
//
//   true (read after write)     from the last writer of a cell to its readers
//   anti (write after read)     from the readers since then to the next writer
//   output (write after write)  from the last writer, if there is no read in between
//
// The last two kinds are the false edges. With several CellSpaces (a program offered both in place
// and out of place) the result is the union over all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_DEPENDENCES_H
#define CCL_IR_DEPENDENCES_H

#include "cclc/IR/CellSpace.h"
#include "cclc/Support/Grouped.h"

#include <span>

namespace cclc {

enum class DepKind : uint8_t { True = 1, Anti = 2, Output = 4 };

/// An edge between two nodes, stored at one of them. One edge may have several kinds.
class DepEdge {
public:
  DepEdge() = default;
  DepEdge(uint32_t node, DepKind kind) : bits(node << 3 | static_cast<uint32_t>(kind)) {
    assert(node <= maxNode);
  }
  static constexpr uint32_t maxNode = (uint32_t(1) << 29) - 1;

  uint32_t node() const { return bits >> 3; }
  bool is(DepKind kind) const { return bits & static_cast<uint32_t>(kind); }
  bool isTrue() const { return is(DepKind::True); }
  bool isFalse() const { return is(DepKind::Anti) || is(DepKind::Output); }
  void add(DepKind kind) { bits |= static_cast<uint32_t>(kind); }
  /// Adds the kinds of \p other.
  void add(DepEdge other) { bits |= other.bits & 7; }
  /// The same edge, stored at the other end.
  DepEdge withNode(uint32_t node) const {
    DepEdge edge = *this;
    edge.bits = node << 3 | (bits & 7);
    return edge;
  }

private:
  uint32_t bits = 0;
};

/// Predecessors of every node, as rows of one array. A pair of nodes has at
/// most one edge.
class DependenceGraph {
public:
  size_t size() const { return begin.size() - 1; }
  std::span<const DepEdge> preds(uint32_t node) const {
    return {edges.data() + begin[node], edges.data() + begin[node + 1]};
  }
  size_t numEdges() const { return edges.size(); }

  /// The graph of \p numNodes nodes in which node n is newId[n]. Nodes with one new id become one
  /// node; nodes without a new id have no edges.
  DependenceGraph renumbered(ArrayRef<OptionalIndex> newId, uint32_t numNodes) const;

private:
  friend class DependenceBuilder;
  std::vector<uint32_t> begin = {0};
  std::vector<DepEdge> edges;
};

/// What follows from the accesses of a program to cells.
struct Dependences {
  DependenceGraph graph;
  /// Whether a node wrote the final version of a cell that the post-condition constrains.
  std::vector<bool> liveOut;
  /// For every node, the first later node that overwrites a version which it read or wrote.
  std::vector<OptionalIndex> overwrites;
  /// Pairs of a node and another one that overwrites such a version: the first one in an order of
  /// the nodes that respects their dependences is here or in `overwrites`.
  std::vector<std::pair<uint32_t, uint32_t>> furtherOverwrites;

  /// The same for the nodes newId[n], as in DependenceGraph::renumbered(). The new ids are in an
  /// order that respects the dependences.
  Dependences renumbered(ArrayRef<OptionalIndex> newId, uint32_t numNodes) const;
};

/// The reversed edges of a DependenceGraph.
class SuccessorGraph {
public:
  explicit SuccessorGraph(const DependenceGraph &graph);
  ArrayRef<DepEdge> succs(uint32_t node) const { return edges[node]; }

private:
  GroupedValues<DepEdge> edges;
};

/// Which overwrites of a node are kept: the first one in the order of the nodes, or all, for an
/// order that is not known yet.
enum class Overwrites : uint8_t { First, All };

/// Collects accesses in program order. Node numbers are dense; a node's
/// predecessors are complete once the next node begins, so a node's later
/// accesses may only read cells that it wrote itself.
class DependenceBuilder {
public:
  /// \p spaces must outlive the builder.
  DependenceBuilder(ArrayRef<CellSpace> spaces, uint32_t numNodes,
                    Overwrites kept = Overwrites::First);
  ~DependenceBuilder();

  /// Starts node \p node; nodes must begin in ascending order.
  void beginNode(uint32_t node);
  /// The current node reads (writes) a range. A node that reads and writes a
  /// range reads it first.
  void read(RankId rank, Operand operand, uint32_t count);
  void write(RankId rank, Operand operand, uint32_t count);
  /// \p node, begun earlier, reads a range that it wrote itself, so that later writers must wait
  /// for it. False if another node has written there since.
  bool lateRead(uint32_t node, RankId rank, Operand operand, uint32_t count);

  /// Everything that follows from the accesses, for the post-condition of \p collective. Without
  /// a post-condition, every input and output cell counts as constrained.
  Dependences finish(const Collective &collective) &&;
  /// The graph alone.
  DependenceGraph finish() &&;

private:
  class CellState;
  void addEdge(uint32_t from, DepKind kind);
  void noteOverwrite(uint32_t node);
  std::vector<bool> liveOut(const Collective &collective) const;

  std::vector<CellState> states; ///< one per space
  DependenceGraph graph;
  uint32_t current = 0;
  std::vector<uint32_t> edgeTo; ///< per node: position of its edge in the current row, plus one
  Overwrites kept;
  std::vector<OptionalIndex> overwrittenBy;
  std::vector<std::pair<uint32_t, uint32_t>> furtherOverwrites;
};

} // namespace cclc

#endif // CCL_IR_DEPENDENCES_H
