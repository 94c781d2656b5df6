//===- Dependences.cpp - Last writer and readers of each cell -------------===//
//
// The kinds of dependences are those of Kuck et al. (POPL 1981). Each cell has its last writer
// and the list of its readers since; the lists share one pool with a free list. A read adds an
// edge from the writer. A write adds edges from the readers, or from the writer where there
// are none, and clears the list. `edgeTo` has the place of the edge from each node in the
// current row, so that a pair of nodes gets one edge with all its kinds. The time is linear in
// the cells that are accessed.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Dependences.h"

using namespace cclc;

/// The state of the cells of one CellSpace: the last writer of each and its readers since.
class DependenceBuilder::CellState {
public:
  explicit CellState(const CellSpace &space) : space(&space), cells(space.size()) {}

  template <class Fn> void forWriter(uint64_t cell, Fn fn) const {
    if (cells[cell].writer)
      fn(cells[cell].writer - 1);
  }

  template <class Fn> void forReaders(uint64_t cell, Fn fn) const {
    for (uint32_t at = cells[cell].readers; at; at = pool[at - 1].next)
      fn(pool[at - 1].node);
  }

  bool hasReaders(uint64_t cell) const { return cells[cell].readers != 0; }

  void addReader(uint64_t cell, uint32_t node) {
    uint32_t head = cells[cell].readers;
    if (head && pool[head - 1].node == node)
      return;
    if (freeList) {
      uint32_t at = freeList;
      freeList = pool[at - 1].next;
      pool[at - 1] = {node, head};
      cells[cell].readers = at;
    } else {
      pool.push_back({node, head});
      cells[cell].readers = pool.size();
    }
  }

  void setWriter(uint64_t cell, uint32_t node) {
    if (uint32_t head = cells[cell].readers) {
      uint32_t tail = head;
      while (pool[tail - 1].next)
        tail = pool[tail - 1].next;
      pool[tail - 1].next = freeList;
      freeList = head;
    }
    cells[cell] = {node + 1, 0};
  }

  const CellSpace *space;

private:
  struct Cell {
    uint32_t writer = 0;  ///< node + 1, or 0
    uint32_t readers = 0; ///< pool index + 1 of the latest, or 0
  };
  struct Reader {
    uint32_t node;
    uint32_t next; ///< pool index + 1, or 0
  };
  std::vector<Cell> cells;
  std::vector<Reader> pool;
  uint32_t freeList = 0;
};

DependenceBuilder::DependenceBuilder(ArrayRef<CellSpace> spaces, uint32_t numNodes)
    : spaces(spaces), edgeTo(numNodes), overwrittenBy(numNodes) {
  for (const CellSpace &space : spaces)
    states.emplace_back(space);
  graph.begin.reserve(numNodes + 1);
}

DependenceBuilder::~DependenceBuilder() = default;

void DependenceBuilder::beginNode(uint32_t node) {
  assert(node + 1 >= graph.begin.size() && "nodes must begin in ascending order");
  // Row n of the graph ends where row n + 1 begins.
  while (graph.begin.size() <= node)
    graph.begin.push_back(graph.edges.size());
  current = node;
}

void DependenceBuilder::addEdge(uint32_t from, DepKind kind) {
  if (from == current)
    return;
  uint32_t &at = edgeTo[from];
  if (at > graph.begin[current]) {
    graph.edges[at - 1].add(kind);
    return;
  }
  graph.edges.push_back(DepEdge(from, kind));
  at = graph.edges.size();
}

void DependenceBuilder::noteOverwrite(uint32_t node) {
  if (node != current && !overwrittenBy[node])
    overwrittenBy[node] = InstrId(current);
}

void DependenceBuilder::read(RankId rank, Operand operand, uint32_t count) {
  for (CellState &state : states) {
    uint64_t first = state.space->cell(rank, operand);
    for (uint64_t cell = first; cell < first + count; ++cell) {
      state.forWriter(cell, [&](uint32_t writer) { addEdge(writer, DepKind::True); });
      state.addReader(cell, current);
    }
  }
}

void DependenceBuilder::write(RankId rank, Operand operand, uint32_t count) {
  for (CellState &state : states) {
    uint64_t first = state.space->cell(rank, operand);
    for (uint64_t cell = first; cell < first + count; ++cell) {
      bool isRead = state.hasReaders(cell);
      state.forReaders(cell, [&](uint32_t reader) {
        addEdge(reader, DepKind::Anti);
        noteOverwrite(reader);
      });
      state.forWriter(cell, [&](uint32_t writer) {
        if (!isRead)
          addEdge(writer, DepKind::Output);
        noteOverwrite(writer);
      });
      state.setWriter(cell, current);
    }
  }
}

bool DependenceBuilder::lateRead(uint32_t node, RankId rank, Operand operand, uint32_t count) {
  bool intact = true;
  for (CellState &state : states) {
    uint64_t first = state.space->cell(rank, operand);
    for (uint64_t cell = first; cell < first + count; ++cell) {
      state.forWriter(cell, [&](uint32_t writer) { intact &= writer == node; });
      state.addReader(cell, node);
    }
  }
  return intact;
}

std::vector<bool> DependenceBuilder::liveOut(const Collective &collective) const {
  std::vector<bool> live(edgeTo.size());
  for (const CellState &state : states) {
    auto mark = [&](RankId rank, Operand operand) {
      state.forWriter(state.space->cell(rank, operand),
                      [&](uint32_t writer) { live[writer] = true; });
    };
    for (uint32_t r = 0; r < collective.ranks(); ++r) {
      RankId rank(r);
      for (uint32_t c = 0; c < collective.outputChunks(); ++c)
        if (!collective.hasPostCondition() ||
            collective.expected(rank, c).kind != Expectation::Kind::Anything)
          mark(rank, Operand(Buffer::Output, c));
      if (!collective.hasPostCondition())
        for (uint32_t c = 0; c < collective.inputChunks(); ++c)
          mark(rank, Operand(Buffer::Input, c));
    }
  }
  return live;
}

DependenceGraph DependenceBuilder::finish() && {
  while (graph.begin.size() <= edgeTo.size())
    graph.begin.push_back(graph.edges.size());
  return std::move(graph);
}

SuccessorGraph::SuccessorGraph(const DependenceGraph &graph) {
  uint32_t n = graph.size();
  begin.assign(n + 1, 0);
  for (uint32_t node = 0; node < n; ++node)
    for (DepEdge edge : graph.preds(node))
      ++begin[edge.node() + 1];
  for (uint32_t node = 0; node < n; ++node)
    begin[node + 1] += begin[node];
  edges.assign(graph.numEdges(), DepEdge(0, DepKind::True));
  std::vector<uint32_t> at(begin.begin(), begin.end() - 1);
  for (uint32_t node = 0; node < n; ++node)
    for (DepEdge edge : graph.preds(node))
      edges[at[edge.node()]++] = edge.withNode(node);
}
