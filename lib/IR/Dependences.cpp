//===- Dependences.cpp - Last writer and readers of each run of cells -----===//
//
// The kinds of dependences are those of Kuck et al. (POPL 1981). Cells with the same accesses form
// runs, and the state of a run is stored at its first cell: its last writer and the list of its
// readers since; the lists share one pool with a free list. An access splits the runs at its two
// ends. A read adds an edge from each writer. A write adds edges from the readers, or from the
// writer where there are none, and makes one run of the range. `edgeTo` has the place of the edge
// from each node in the current row, so that a pair of nodes gets one edge with all its kinds. The
// time is linear in the runs that are accessed.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Dependences.h"

#include "cclc/IR/RunStarts.h"

#include <algorithm>
#include <memory>

using namespace cclc;

/// The state of the cells of one CellSpace: the last writer of each and its readers since.
class DependenceBuilder::CellState {
public:
  struct Cell {
    uint32_t writer;  ///< node + 1, or 0
    uint32_t readers; ///< pool index + 1 of the latest, or 0
  };

  explicit CellState(const CellSpace &space)
      : space(&space), starts(space.size()),
        cells(std::make_unique_for_overwrite<Cell[]>(space.size() + 1)) {
    cells[0] = {0, 0};
  }

  /// Calls fn(cell) for the runs of a range of at least one cell, which is split from the cells
  /// around it.
  template <class Fn> void forRuns(RankId rank, Operand operand, uint32_t count, Fn fn) {
    uint64_t first = space->cell(rank, operand), end = first + count;
    split(first);
    split(end);
    fn(cells[first]);
    for (uint64_t at = starts.next(first, end); at < end; at = starts.next(at, end))
      fn(cells[at]);
  }

  /// Calls fn(writer) for the runs of a range that were written.
  template <class Fn> void forWriters(RankId rank, Operand operand, uint32_t count, Fn fn) const {
    uint64_t first = space->cell(rank, operand), end = first + count;
    for (uint64_t at = first; at < end; at = starts.next(at, end))
      if (uint32_t writer = cells[starts.startOf(at)].writer)
        fn(writer - 1);
  }

  template <class Fn> void forReaders(Cell cell, Fn fn) const {
    for (uint32_t at = cell.readers; at; at = pool[at - 1].next)
      fn(pool[at - 1].node);
  }

  void addReader(Cell &cell, uint32_t node) {
    if (!cell.readers || pool[cell.readers - 1].node != node)
      cell.readers = makeReader(node, cell.readers);
  }

  /// Makes one run of a range whose runs have been visited by forRuns().
  void setWriter(RankId rank, Operand operand, uint32_t count, uint32_t node) {
    uint64_t first = space->cell(rank, operand), end = first + count;
    freeReaders(cells[first].readers);
    for (uint64_t at = starts.next(first, end); at < end; at = starts.next(at, end))
      freeReaders(cells[at].readers);
    cells[first] = {node + 1, 0};
    starts.erase(first + 1, end);
  }

private:
  struct Reader {
    uint32_t node;
    uint32_t next; ///< pool index + 1, or 0
  };

  /// Makes a run begin at \p cell.
  void split(uint64_t cell) {
    if (!starts.contains(cell))
      splitInside(cell);
  }

  void splitInside(uint64_t cell) {
    Cell from = cells[starts.startOf(cell)];
    cells[cell] = {from.writer, 0};
    starts.insert(cell);
    uint32_t tail = 0;
    for (uint32_t at = from.readers; at; at = pool[at - 1].next) {
      uint32_t copy = makeReader(pool[at - 1].node, 0);
      (tail ? pool[tail - 1].next : cells[cell].readers) = copy;
      tail = copy;
    }
  }

  uint32_t makeReader(uint32_t node, uint32_t next) {
    if (!freeList) {
      pool.push_back({node, next});
      return pool.size();
    }
    uint32_t at = freeList;
    freeList = pool[at - 1].next;
    pool[at - 1] = {node, next};
    return at;
  }

  void freeReaders(uint32_t head) {
    if (!head)
      return;
    uint32_t tail = head;
    while (pool[tail - 1].next)
      tail = pool[tail - 1].next;
    pool[tail - 1].next = freeList;
    freeList = head;
  }

  const CellSpace *space;
  RunStarts starts;
  std::unique_ptr<Cell[]> cells; ///< those that begin a run are set
  std::vector<Reader> pool;
  uint32_t freeList = 0;
};

DependenceBuilder::DependenceBuilder(ArrayRef<CellSpace> spaces, uint32_t numNodes, Overwrites kept)
    : edgeTo(numNodes), kept(kept), overwrittenBy(numNodes) {
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

inline void DependenceBuilder::addEdge(uint32_t from, DepKind kind) {
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

inline void DependenceBuilder::noteOverwrite(uint32_t node) {
  if (node == current || overwrittenBy[node] == current)
    return;
  std::pair<uint32_t, uint32_t> pair(node, current);
  if (!overwrittenBy[node])
    overwrittenBy[node] = current;
  else if (kept == Overwrites::All &&
           (furtherOverwrites.empty() || furtherOverwrites.back() != pair))
    furtherOverwrites.push_back(pair);
}

void DependenceBuilder::read(RankId rank, Operand operand, uint32_t count) {
  for (CellState &state : states)
    state.forRuns(rank, operand, count, [&](CellState::Cell &cell) {
      if (cell.writer)
        addEdge(cell.writer - 1, DepKind::True);
      state.addReader(cell, current);
    });
}

void DependenceBuilder::write(RankId rank, Operand operand, uint32_t count) {
  for (CellState &state : states) {
    state.forRuns(rank, operand, count, [&](CellState::Cell &cell) {
      state.forReaders(cell, [&](uint32_t reader) {
        addEdge(reader, DepKind::Anti);
        noteOverwrite(reader);
      });
      if (!cell.writer)
        return;
      if (!cell.readers)
        addEdge(cell.writer - 1, DepKind::Output);
      noteOverwrite(cell.writer - 1);
    });
    state.setWriter(rank, operand, count, current);
  }
}

bool DependenceBuilder::lateRead(uint32_t node, RankId rank, Operand operand, uint32_t count) {
  bool intact = true;
  for (CellState &state : states)
    state.forRuns(rank, operand, count, [&](CellState::Cell &cell) {
      intact &= !cell.writer || cell.writer == node + 1;
      state.addReader(cell, node);
    });
  return intact;
}

std::vector<bool> DependenceBuilder::liveOut(const Collective &collective) const {
  std::vector<bool> live(edgeTo.size());
  auto mark = [&](RankId rank, Operand operand, uint32_t count) {
    for (const CellState &state : states)
      state.forWriters(rank, operand, count, [&](uint32_t writer) { live[writer] = true; });
  };
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    RankId rank(r);
    if (!collective.hasPostCondition()) {
      mark(rank, Operand(Buffer::Output, 0), collective.outputChunks());
      mark(rank, Operand(Buffer::Input, 0), collective.inputChunks());
      continue;
    }
    for (uint32_t c = 0, run; c < collective.outputChunks(); c += run) {
      run = collective.constraintRun(rank, c);
      if (collective.expected(rank, c).kind != Expectation::Kind::Anything)
        mark(rank, Operand(Buffer::Output, c), run);
    }
  }
  return live;
}

DependenceGraph DependenceBuilder::finish() && {
  while (graph.begin.size() <= edgeTo.size())
    graph.begin.push_back(graph.edges.size());
  return std::move(graph);
}

Dependences DependenceBuilder::finish(const Collective &collective) && {
  Dependences result;
  result.liveOut = liveOut(collective);
  result.overwrites = std::move(overwrittenBy);
  result.furtherOverwrites = std::move(furtherOverwrites);
  result.graph = std::move(*this).finish();
  return result;
}

DependenceGraph DependenceGraph::renumbered(ArrayRef<OptionalIndex> newId,
                                            uint32_t numNodes) const {
  Grouped members(numNodes, [&](auto add) { // the old nodes by new id
    for (uint32_t old = 0; old < newId.size(); ++old)
      if (newId[old])
        add(*newId[old], old);
  });
  DependenceGraph result;
  result.begin.reserve(numNodes + 1);
  result.edges.reserve(edges.size());
  std::vector<uint32_t> edgeTo(numNodes); // as in DependenceBuilder
  for (uint32_t node = 0; node < numNodes; ++node) {
    for (uint32_t member : members[node])
      for (DepEdge edge : preds(member)) {
        uint32_t from = *newId[edge.node()];
        if (from == node)
          continue;
        if (edgeTo[from] > result.begin.back()) {
          result.edges[edgeTo[from] - 1].add(edge);
          continue;
        }
        result.edges.push_back(edge.withNode(from));
        edgeTo[from] = result.edges.size();
      }
    result.begin.push_back(result.edges.size());
  }
  return result;
}

Dependences Dependences::renumbered(ArrayRef<OptionalIndex> newId, uint32_t numNodes) const {
  Dependences result;
  result.graph = graph.renumbered(newId, numNodes);
  result.liveOut.resize(numNodes);
  result.overwrites.resize(numNodes);
  auto noteOverwrite = [&](uint32_t node, uint32_t by) {
    OptionalIndex &first = result.overwrites[*newId[node]];
    first = std::min(first.value_or(*newId[by]), *newId[by]);
  };
  for (uint32_t old = 0; old < newId.size(); ++old) {
    if (liveOut[old])
      result.liveOut[*newId[old]] = true;
    if (overwrites[old])
      noteOverwrite(old, *overwrites[old]);
  }
  for (auto [node, by] : furtherOverwrites)
    noteOverwrite(node, by);
  return result;
}

SuccessorGraph::SuccessorGraph(const DependenceGraph &graph)
    : edges(graph.size(), [&](auto add) {
        for (uint32_t node = 0; node < graph.size(); ++node)
          for (DepEdge edge : graph.preds(node))
            add(edge.node(), edge.withNode(node));
      }) {}
